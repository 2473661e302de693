//! What a peer cannot make a connection keep or do. Some of it brings the original down.

use usher_wire::raknet::{Budget, Frame, Limits, Malformed, Part, Reliability};

use crate::ends::{End, MTU, ack, datagram, frame, part};

fn limits() -> Limits {
    Limits::pending(MTU)
}

#[test]
fn before_acceptance_a_message_has_the_parts_of_the_longest_payload() {
    for (mtu, parts) in [(1400, 49), (1280, 54), (1024, 68), (576, 128)] {
        assert_eq!(Limits::pending(mtu).max_parts, parts);
    }
}

/// One datagram of 30 bytes took the original to 161 MB.
#[test]
fn a_count_that_is_claimed_takes_no_memory() {
    let mut end = End::new();
    let idle = end.connection.memory();
    let claim = part(0, 20_000_000, 0, 0, b"x");
    let result = end.tries(&datagram(0, &[claim]));
    assert_eq!(
        result,
        Err(Malformed::TooManyParts {
            count: 20_000_000,
            limit: 49
        })
    );
    end.says();
    assert_eq!((end.connection.memory(), end.budget.used()), (idle, 0));

    // Nor within the limit: a part takes what a part takes.
    end.hears(&datagram(1, &[part(1, 49, 0, 0, b"x")]));
    end.says();
    assert!(end.connection.memory() < idle + 1024);
}

/// The original writes beyond its table, and is gone.
#[test]
fn parts_that_differ_in_their_count_are_dropped_and_the_message_lives() {
    let mut end = End::new();
    end.hears(&datagram(0, &[part(0, 3, 5, 0, b"a")]));
    for (number, count, index) in [(1, 40, 39), (2, 2, 1), (3, 4, 2)] {
        let result = end.tries(&datagram(
            number,
            &[part(number + 10, count, 5, index, b"x")],
        ));
        assert_eq!(result, Err(Malformed::PartsDiffer("count")));
    }
    end.hears(&datagram(4, &[part(1, 3, 5, 1, b"b")]));
    let got = end.hears(&datagram(5, &[part(2, 3, 5, 2, b"c")]));
    assert_eq!(got[0].bytes, b"abc");
    assert_eq!(end.budget.used(), 0);
}

#[test]
fn parts_that_differ_otherwise_are_dropped_too() {
    let first = Frame {
        reliability: Reliability::ReliableOrdered,
        order: 0,
        ..part(0, 2, 5, 0, b"a")
    };
    for (field, other) in [
        (
            "reliability",
            Frame {
                reliability: Reliability::Reliable,
                ..first
            },
        ),
        (
            "channel",
            Frame {
                channel: 1,
                ..first
            },
        ),
        ("ordering index", Frame { order: 1, ..first }),
    ] {
        let mut end = End::new();
        end.hears(&datagram(0, &[first]));
        let other = Frame {
            message: 1,
            part: Some(Part {
                count: 2,
                id: 5,
                index: 1,
            }),
            ..other
        };
        let result = end.tries(&datagram(1, &[other]));
        assert_eq!(result, Err(Malformed::PartsDiffer(field)));
    }
}

#[test]
fn an_index_beyond_the_count_is_malformed() {
    let mut end = End::new();
    for (count, index) in [(2, 2), (0, 0), (1, u32::MAX)] {
        let result = end.tries(&datagram(0, &[part(0, count, 0, index, b"x")]));
        assert_eq!(result, Err(Malformed::Part { index, count }));
        end = End::new();
    }
}

#[test]
fn unreliable_parts_are_malformed() {
    let mut end = End::new();
    let unreliable = Frame {
        reliability: Reliability::Unreliable,
        ..part(0, 2, 0, 0, b"x")
    };
    assert_eq!(
        end.tries(&datagram(0, &[unreliable])),
        Err(Malformed::UnreliablePart)
    );
}

#[test]
fn what_finds_no_room_is_not_acknowledged_and_comes_again() {
    let limits = Limits {
        max_held: 3_000,
        ..limits()
    };
    let mut end = End::with(MTU, limits, Budget::default());
    let bytes = [0x87; 1_000];
    let message = |number| Frame {
        message: number,
        order: number,
        ..frame(Reliability::ReliableOrdered, &bytes)
    };
    for number in 1..5 {
        end.hears(&datagram(number - 1, &[message(number)]));
    }
    // Two are held, the others have to come again.
    assert_eq!(end.says(), [ack(&[(0, 1)])]);
    let got = end.hears(&datagram(4, &[message(0)]));
    assert_eq!(got.len(), 3);
    let got = end.hears(&datagram(5, &[message(3), message(4)]));
    assert_eq!(got.len(), 2);
    assert_eq!(end.says(), [ack(&[(4, 5)])]);
    assert_eq!(end.budget.used(), 0);
}

#[test]
fn an_exhausted_budget_slows_one_peer_down_and_loses_nothing() {
    // So little that some of them have the room of one short message, and then nobody has.
    let budget = Budget::new(64 * 1_700);
    let bytes = [0x87; 1_300];
    let mut hogs = Vec::new();
    for _ in 0..20 {
        let mut hog = End::with(MTU, limits(), budget.clone());
        hog.hears(&datagram(0, &[part(0, 2, 0, 0, &bytes)]));
        hogs.push(hog);
    }
    assert!((10_000..20_000).contains(&budget.used()), "{budget:?}");

    // Another one plays on with what is due, and has to wait with what needs parts.
    let mut end = End::with(MTU, limits(), budget.clone());
    let due = frame(Reliability::Reliable, &bytes);
    assert_eq!(end.hears(&datagram(0, &[due])).len(), 1);
    end.says();
    for index in [0, 1] {
        end.hears(&datagram(
            1 + index,
            &[part(1 + index, 2, 0, index, &bytes)],
        ));
    }
    assert!(end.says().is_empty());
    drop(hogs);
    end.hears(&datagram(3, &[part(1, 2, 0, 0, &bytes)]));
    let got = end.hears(&datagram(4, &[part(2, 2, 0, 1, &bytes)]));
    assert_eq!(got[0].bytes.len(), 2_600);
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_message_for_which_there_can_be_no_room_is_malformed() {
    let budget = Budget::new(64 * 1_700);
    let mut end = End::with(MTU, limits(), budget.clone());
    let result = end.tries(&datagram(0, &[part(0, 4, 0, 0, b"x")]));
    assert!(matches!(
        result,
        Err(Malformed::TooManyParts { count: 4, .. })
    ));
    end.hears(&datagram(1, &[part(1, 3, 1, 0, b"x")]));
    assert!(budget.used() > 0);
}

#[test]
fn the_lowest_missing_message_begins_however_full_it_is() {
    let limits = Limits {
        max_held: 4_000,
        max_parts: 4,
        ..limits()
    };
    let mut end = End::with(MTU, limits, Budget::default());
    let bytes = [0x87; 1_300];
    let ordered = |message, order, part| Frame {
        reliability: Reliability::ReliableOrdered,
        message,
        order,
        part,
        ..frame(Reliability::ReliableOrdered, &bytes)
    };
    let piece = |index| {
        Some(Part {
            count: 3,
            id: 1,
            index,
        })
    };
    // Two wait for a message in three parts, for which there is no room beside them.
    end.hears(&datagram(0, &[ordered(3, 1, None)]));
    end.hears(&datagram(1, &[ordered(4, 2, None)]));
    // Its second part comes first, and is not the lowest that is missing.
    end.hears(&datagram(2, &[ordered(1, 0, piece(1))]));
    assert_eq!(end.says(), [ack(&[(0, 1)])]);
    for (number, index) in [(3, 0), (4, 1)] {
        assert!(
            end.hears(&datagram(number, &[ordered(index, 0, piece(index))]))
                .is_empty()
        );
    }
    let got = end.hears(&datagram(5, &[ordered(2, 0, piece(2))]));
    assert_eq!(got.len(), 3);
    assert_eq!(end.says(), [ack(&[(3, 5)])]);
    assert_eq!(end.budget.used(), 0);
}

#[test]
fn one_message_at_a_time_begins_without_room() {
    let limits = Limits {
        max_held: 4_000,
        ..limits()
    };
    let mut end = End::with(MTU, limits, Budget::default());
    // Each of them is the lowest that is missing, and the first part of a message of its own.
    for number in 0..10 {
        end.hears(&datagram(
            number,
            &[part(number, 49, number as u16, 0, b"x")],
        ));
    }
    assert_eq!(end.says(), [ack(&[(0, 0)])]);
}

#[test]
fn two_messages_at_the_same_place_take_the_room_of_one() {
    let mut end = End::new();
    let ordered = |message, order| Frame {
        message,
        order,
        ..frame(Reliability::ReliableOrdered, b"\x87")
    };
    for number in 1..20 {
        assert!(
            end.hears(&datagram(number, &[ordered(number, 1)]))
                .is_empty()
        );
    }
    assert_eq!(end.hears(&datagram(0, &[ordered(0, 0)])).len(), 2);
    assert_eq!(end.budget.used(), 0);
}

#[test]
fn room_is_given_back_when_a_message_is_whole() {
    let mut end = End::new();
    let ordered = |number, index| Frame {
        reliability: Reliability::ReliableOrdered,
        order: (number / 2 % 200) ^ 1,
        ..part(number, 2, number as u16 / 2, index, &[0x87; 1_300])
    };
    // Each second one waits for the other.
    for number in 0..400 {
        end.hears(&datagram(number, &[ordered(number, number % 2)]));
    }
    assert_eq!(end.budget.used(), 0);
    // Two that are not the lowest, and as long as there may be: there is room for one of them only.
    end.says();
    for (number, id) in [(400, 1_000), (401, 1_001)] {
        end.hears(&datagram(number, &[part(500 + number, 49, id, 0, b"x")]));
    }
    assert_eq!(end.says(), [ack(&[(400, 400)])]);
}

#[test]
fn the_number_of_messages_in_parts_is_bounded() {
    let limits = Limits {
        max_held: usize::MAX / 2,
        ..limits()
    };
    let mut end = End::with(MTU, limits, Budget::default());
    for id in 0..100u16 {
        // Never the lowest: 0 is missing.
        let number = u32::from(id);
        end.hears(&datagram(number, &[part(1 + number, 2, id, 0, b"x")]));
    }
    assert_eq!(end.says().len(), 1);
    assert!(end.connection.memory() < 100_000);
    // 64 were begun, so those can be ended.
    let got = end.hears(&datagram(100, &[part(200, 2, 63, 1, b"y")]));
    assert_eq!(got[0].bytes, b"xy");
    assert!(
        end.hears(&datagram(101, &[part(201, 2, 64, 1, b"y")]))
            .is_empty()
    );
}

#[test]
fn numbers_far_ahead_take_no_memory() {
    let mut end = End::new();
    let idle = end.connection.memory();
    let far = |message| Frame {
        message,
        ..frame(Reliability::Reliable, b"\x87")
    };
    for step in 0..2_000 {
        let _ = end.tries(&datagram(step, &[far(1 + 2 * step)]));
        end.says();
    }
    assert!(end.connection.memory() < idle + 8 * 1024);
    assert!(end.tries(&datagram(2_000, &[far(1_000_001)])).is_err());
}

/// The worst of everything at once.
#[test]
fn the_stated_figure_holds() {
    let mut end = End::new();
    let most = limits().most(MTU);
    assert!(most < 600 << 10, "{most}");
    let bytes = [0x87; 1_300];
    for number in 0..4_000u32 {
        let frame = match number % 3 {
            0 => part(3 * number + 1, 49, number as u16, number % 49, &bytes),
            1 => Frame {
                message: 3 * number + 1,
                order: number + 1,
                channel: (number % 32) as u8,
                ..frame(Reliability::ReliableOrdered, &bytes)
            },
            _ => Frame {
                order: number + 1,
                sequence: number,
                channel: (number % 32) as u8,
                ..frame(Reliability::UnreliableSequenced, &bytes[..7])
            },
        };
        let _ = end.tries(&datagram(number * 2, &[frame]));
        let _ = end
            .connection
            .send(&bytes[..40], Reliability::ReliableOrdered, 0);
        end.now += std::time::Duration::from_millis(1);
        end.says();
        assert!(end.connection.memory() <= most);
    }
    assert!(end.connection.memory() > 200 << 10, "it was tried");
    let budget = end.budget.clone();
    drop(end);
    assert_eq!(budget.used(), 0);
}
