//! What many who keep all that they can leave to others, and for how long they can keep it.

use std::time::Duration;

use usher_wire::raknet::{Budget, Frame, Limits, Part, Reliability, Share};

use crate::ends::{End, MTU, datagram, frame, part};

/// What a server of a hundred players assures each of, and has them leave to newcomers.
const PLAYER: Share = Share {
    assured: Budget::DEFAULT_LIMIT / 8 / 100,
    spared: Budget::DEFAULT_LIMIT / 4,
};

/// And one of whom a thousand may wait.
const NEWCOMER: Share = Share {
    assured: Budget::DEFAULT_LIMIT / 8 / 2_000,
    spared: 0,
};

const FULL_PART: [u8; 1_340] = [0x87; 1_340];

fn player(budget: &Budget) -> End {
    let limits = Limits {
        share: PLAYER,
        ..Limits::accepted()
    };
    End::with(MTU, limits, budget.clone())
}

fn newcomer(budget: &Budget) -> End {
    let limits = Limits {
        share: NEWCOMER,
        ..Limits::pending(MTU)
    };
    End::with(MTU, limits, budget.clone())
}

/// Has all parts but one kept of as many ordered messages as find room.
fn hoard(end: &mut End) {
    let mut number = 0;
    for id in 0..64_u16 {
        for index in 0..48 {
            let piece = Frame {
                reliability: Reliability::ReliableOrdered,
                order: id.into(),
                ..part(number, 49, id, index, &FULL_PART)
            };
            end.hears(&datagram(number, &[piece]));
            number += 1;
        }
    }
    // It has acknowledged all that was kept.
    end.says();
}

/// Sends an ordered message of so many parts. Whether it arrived.
fn sends(end: &mut End, count: u32) -> bool {
    let mut got = 0;
    for index in 0..count {
        let piece = Frame {
            reliability: Reliability::ReliableOrdered,
            ..part(index, count, 0, index, &FULL_PART)
        };
        got += end.hears(&datagram(index, &[piece])).len();
    }
    got == 1
}

/// Whether a payload of a newcomer finds room.
fn holds(budget: &Budget, bytes: usize) -> bool {
    newcomer(budget).connection.hold(bytes)
}

#[test]
fn a_full_server_of_hoarders_leaves_room_for_a_player_and_for_newcomers() {
    let budget = Budget::default();
    let mut hoarders = Vec::new();
    for _ in 0..99 {
        let mut hoarder = player(&budget);
        hoard(&mut hoarder);
        hoarders.push(hoarder);
        if hoarders.len() % 11 == 0 {
            assert!(sends(&mut player(&budget), 49), "{budget:?}");
            assert!(sends(&mut newcomer(&budget), 49), "{budget:?}");
            assert!(holds(&budget, 65_536));
        }
    }
    assert!(budget.used() > 35 << 20, "it was tried: {budget:?}");
    assert!(budget.used() < Budget::DEFAULT_LIMIT);
    drop(hoarders);
    assert_eq!(budget.used(), 0);
}

#[test]
fn hoarders_among_those_who_wait_take_nothing_that_a_player_is_assured_of() {
    let budget = Budget::default();
    let mut hoarders = Vec::new();
    for _ in 0..1_000 {
        let mut hoarder = newcomer(&budget);
        // As long a payload as finds room, and then parts.
        let has_one = (12..=16)
            .rev()
            .any(|bits| hoarder.connection.hold(1 << bits));
        assert!(has_one, "{budget:?}");
        hoard(&mut hoarder);
        hoarders.push(hoarder);
    }
    assert!(sends(&mut player(&budget), 49), "{budget:?}");
    assert!(holds(&budget, 4_000));
    drop(hoarders);
    assert_eq!(budget.used(), 0);
}

#[test]
fn what_was_begun_finds_room_for_all_its_parts() {
    let budget = Budget::default();
    let mut first = player(&budget);
    let piece = |index| part(index, 49, 0, index, &FULL_PART);
    first.hears(&datagram(0, &[piece(0)]));
    let mut hoarders: Vec<_> = (0..99).map(|_| player(&budget)).collect();
    hoarders.iter_mut().for_each(hoard);
    let got: usize = (1..49)
        .map(|index| first.hears(&datagram(index, &[piece(index)])).len())
        .sum();
    assert_eq!(got, 1);
}

/// Ends when it is stuck: after how many seconds.
fn until_stuck(end: &mut End, mut each_second: impl FnMut(&mut End, u64)) -> u64 {
    for second in 0..500 {
        end.at(second * 1_000);
        if end.connection.is_stuck(end.now) {
            end.says();
            assert!(end.connection.is_lost(end.now));
            assert_eq!(end.connection.poll_timeout(), None);
            return second;
        }
        each_second(end, second);
        end.says();
    }
    panic!("it never ends");
}

#[test]
fn a_message_of_which_no_more_comes_ends_its_peer_on_time() {
    let mut end = End::new();
    end.hears(&datagram(0, &[part(0, 3, 0, 0, b"x")]));
    end.says();
    assert_eq!(end.due(), Some(10_000));
    // The same again, and others that are whole, are no progress.
    let ended = until_stuck(&mut end, |end, second| {
        let number = 1 + 2 * second as u32;
        let whole = Frame {
            message: 10 + second as u32,
            ..frame(Reliability::Reliable, b"\x87")
        };
        assert_eq!(end.hears(&datagram(number, &[whole])).len(), 1);
        end.hears(&datagram(
            number + 1,
            &[part(5_000 + number, 3, 0, 0, b"x")],
        ));
    });
    assert_eq!(ended, 10);
}

#[test]
fn a_message_that_trickles_in_ends_its_peer_after_a_minute() {
    let mut end = End::with(MTU, Limits::accepted(), Budget::default());
    let ended = until_stuck(&mut end, |end, second| {
        if second.is_multiple_of(9) {
            let index = second as u32 / 9;
            end.hears(&datagram(index, &[part(index, 49, 0, index, b"x")]));
        }
    });
    assert_eq!(ended, 60);
}

#[test]
fn a_slow_message_that_gets_there_ends_nobody() {
    let mut end = End::new();
    for index in 0..12 {
        end.at(u64::from(index) * 5_000);
        end.says();
        let got = end.hears(&datagram(index, &[part(index, 12, 0, index, b"x")]));
        assert_eq!(got.len(), usize::from(index == 11));
    }
    end.at(500_000).says();
    assert!(!end.connection.is_stuck(end.now));
    assert_eq!(end.due(), None);
}

fn ordered(order: u32) -> Frame<'static> {
    Frame {
        message: order,
        order,
        ..frame(Reliability::ReliableOrdered, b"\x87")
    }
}

#[test]
fn a_message_that_others_wait_for_in_vain_ends_its_peer_on_time() {
    let mut end = End::new();
    // That more have to wait is no progress.
    let ended = until_stuck(&mut end, |end, second| {
        let number = second as u32;
        end.hears(&datagram(number, &[ordered(1 + number)]));
    });
    assert_eq!(ended, 10);
}

#[test]
fn holes_that_are_filled_one_by_one_keep_nothing_for_more_than_two_minutes() {
    let mut end = End::with(MTU, Limits::accepted(), Budget::default());
    let number = std::cell::Cell::new(0);
    let next = || number.replace(number.get() + 1);
    // Each second one is missing.
    let send = |end: &mut End, order| {
        let number = next();
        let message = Frame {
            message: number,
            ..ordered(order)
        };
        end.hears(&datagram(number, &[message])).len()
    };
    for order in 0..500 {
        send(&mut end, 1 + 2 * order);
    }
    let mut came = 0;
    let ended = until_stuck(&mut end, |end, second| {
        if second.is_multiple_of(8) {
            came += send(end, second as u32 / 8 * 2);
            send(end, 1_001 + second as u32 / 8 * 2);
        }
    });
    assert!((60..=120).contains(&ended), "{ended}");
    assert!(came > 10);
}

#[test]
fn a_busy_link_with_a_new_hole_each_second_ends_nobody() {
    let mut end = End::new();
    let mut got = 0;
    // Each hole is filled two seconds later, when there is another one already.
    for second in 0..300_u32 {
        end.at(u64::from(second) * 1_000);
        let mut messages = vec![ordered(2 * second + 1)];
        messages.extend(second.checked_sub(2).map(|second| ordered(2 * second)));
        got += end.hears(&datagram(second, &messages)).len();
        end.says();
        assert!(!end.connection.is_stuck(end.now), "{second}");
    }
    assert_eq!(got, 596);
}

#[test]
fn who_finds_no_room_is_given_the_time_that_others_take() {
    let budget = Budget::new(64 * 2_000);
    let mut others = Vec::new();
    for _ in 0..4 {
        let mut other = End::with(MTU, Limits::pending(MTU), budget.clone());
        assert!(other.connection.hold(4_800));
        others.push(other);
    }
    // Its message finds no room, and others of its channel wait for it already.
    let mut end = End::with(MTU, Limits::pending(MTU), budget.clone());
    end.hears(&datagram(0, &[ordered(9)]));
    let first = |second: u64| Frame {
        reliability: Reliability::ReliableOrdered,
        part: Some(Part {
            count: 3,
            id: 0,
            index: 0,
        }),
        ..part(second as u32 % 8, 3, 0, 0, &FULL_PART)
    };
    let ended = until_stuck(&mut end, |end, second| {
        end.hears(&datagram(1 + second as u32, &[first(second)]));
    });
    assert_eq!(ended, 60);
}

#[test]
fn what_is_unfinished_when_a_connection_closes_is_forgotten_and_stays_so() {
    let budget = Budget::default();
    let mut end = player(&budget);
    hoard(&mut end);
    assert!(budget.used() > 1 << 20);
    end.connection.forget_unfinished();
    assert_eq!(budget.used(), 0);
    end.at(5);
    end.hears(&datagram(9_000, &[part(9_000, 2, 999, 0, b"x")]));
    end.hears(&datagram(9_001, &[ordered(99)]));
    assert_eq!(budget.used(), 0);
    // It still hears what is due.
    let due = frame(Reliability::Unreliable, b"\x87");
    assert_eq!(end.hears(&datagram(9_002, &[due])).len(), 1);
    end.at(100_000);
    assert!(!end.connection.is_stuck(end.now + Duration::from_secs(1)));
}
