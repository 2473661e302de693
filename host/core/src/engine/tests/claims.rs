//! Claims of verdicts: options, limits, indexes, closed keys and timed units.

use super::world::{World, accept, accept_or_wait, claim, reject};
use crate::ledger::Holder;
use crate::*;
use std::collections::BTreeSet;
use std::time::Duration;

fn options(sets: &[&[Claim]]) -> Decision {
    let option = |claims: &&[Claim]| Admission {
        claims: claims.to_vec(),
        ..Admission::default()
    };
    Decision::Accept(Acceptance {
        options: sets.iter().map(option).collect(),
        ..Acceptance::default()
    })
}

/// What the session of a peer holds besides server and room.
fn units(world: &World, peer: RequestId) -> Vec<(String, Option<u32>)> {
    let session = Holder::Session(world.accepted(peer));
    let units = world.core.ledger.of(session);
    units
        .filter(|(key, _)| !["server", "room"].contains(&key.namespace()))
        .map(|(key, unit)| (key.to_string(), unit.index))
        .collect()
}

fn server(limit: u32, code: &str) -> Claim {
    Claim::new(Key::server(), limit, Reason::new(code, ""))
}

#[test]
fn fifty_accepts_in_one_tick_for_one_seat_let_one_in_and_tell_forty_nine() {
    let mut world = World::new(|config| config.max_players = 1);
    let peers: Vec<_> = (0..50).map(|n| world.arrive(&format!("p{n}"))).collect();
    for peer in &peers {
        world.answer(*peer, accept([server(1, "no-seat")]));
    }
    world.accepted(peers[0]);
    for peer in &peers[1..] {
        assert_eq!(world.refused(*peer).as_deref(), Some("no-seat"));
    }
    assert_eq!(world.report().connected, 1);
    world.close();
}

#[test]
fn fifty_accepts_in_one_tick_for_one_seat_let_one_in_and_queue_forty_nine() {
    let mut world = World::new(|config| config.max_players = 1);
    let peers: Vec<_> = (0..50).map(|n| world.arrive(&format!("p{n}"))).collect();
    for peer in &peers {
        world.answer(*peer, accept_or_wait([], "soon"));
    }
    world.accepted(peers[0]);
    for (place, peer) in (1..).zip(&peers[1..]) {
        assert_eq!(world.position(*peer), Some(place));
        assert_eq!(world.take_told(*peer), ["status soon"]);
    }
    world.close();
}

#[test]
fn two_joins_for_two_seats_are_both_in_though_the_first_is_decided_slowly() {
    let mut world = World::new(|config| config.max_players = 2);
    let (slow, quick) = (world.arrive("slow"), world.arrive("quick"));
    world.answer(quick, accept([server(2, "full")]));
    world.advance(9_999);
    world.answer(slow, accept([server(2, "full")]));
    world.accepted(quick);
    world.accepted(slow);
    world.close();
}

#[test]
fn no_policy_overfills_the_host_whatever_limit_it_names() {
    let mut world = World::new(|config| config.max_players = 2);
    let told: Vec<_> = (0..3)
        .map(|_| {
            let peer = world.arrive("R9");
            world.answer(peer, accept([server(1_000, "policy")]));
            world.refused(peer)
        })
        .collect();
    assert_eq!(told, [None, None, Some("server-full".to_owned())]);
    world.close();
}

#[test]
fn the_first_option_that_fits_is_taken_and_else_the_first_reason_is_told() {
    let (red, blue) = ([claim("red", 1)], [claim("blue", 1)]);
    let mut world = World::new(|_| {});
    for (held, told) in [
        ("red", None),
        ("blue", None),
        ("", Some("red-full".to_owned())),
    ] {
        let peer = world.arrive("R9");
        world.answer(peer, options(&[&red, &blue]));
        assert_eq!(world.refused(peer), told);
        if told.is_none() {
            assert_eq!(units(&world, peer), [(held.to_owned(), None)]);
        }
    }
    world.close();
}

#[test]
fn an_option_that_does_not_fit_leaves_nothing_of_itself_behind() {
    let mut world = World::new(|_| {});
    let first = world.arrive("first");
    world.answer(first, accept([claim("z", 1)]));
    let second = world.arrive("second");
    world.answer(second, options(&[&[claim("a", 9), claim("z", 1)], &[]]));
    assert_eq!(units(&world, second), []);
    assert_eq!(world.core.taken_view().taken(&Key::bare("a")), 0);
    world.close();
}

#[test]
fn two_seats_are_reserved_by_different_limits_on_one_key() {
    let mut world = World::new(|config| config.max_players = 20);
    let mut enter = |limit, code: &str| {
        let peer = world.arrive("R9");
        world.answer(peer, accept([server(limit, code)]));
        world.refused(peer)
    };
    assert!((0..18).all(|_| enter(18, "ordinary-full").is_none()));
    assert_eq!(enter(18, "ordinary-full").as_deref(), Some("ordinary-full"));
    assert!((0..2).all(|_| enter(20, "reserved-full").is_none()));
    assert_eq!(enter(20, "reserved-full").as_deref(), Some("reserved-full"));
    world.close();
}

#[test]
fn players_are_numbered_by_the_lowest_free_index_and_keep_it() {
    let mut world = World::new(|config| {
        config.max_players = 8;
        config.doors[0].player_number = Some(PlayerNumber { limit: 4 });
    });
    let mut enter = || {
        let peer = world.arrive("R9");
        world.answer(peer, accept([]));
        peer
    };
    let mut peers: Vec<_> = (0..4).map(|_| enter()).collect();
    let fifth = enter();
    assert_eq!(world.refused(fifth).as_deref(), Some("server-full"));
    world.leave(peers[2]);
    world.leave(peers[1]);
    for expected in [1, 2] {
        let peer = world.arrive("R9");
        world.answer(peer, accept([]));
        assert_eq!(world.grant(peer).unwrap().number, Some(expected));
        peers.push(peer);
    }
    let numbers: BTreeSet<_> = world
        .report()
        .sessions
        .iter()
        .map(|session| session.number)
        .collect();
    assert_eq!(numbers, (0..4).map(Some).collect());
    world.close();
}

#[test]
fn a_policys_own_slot_is_bounded_by_what_the_protocol_can_number() {
    let mut world = World::new(|config| {
        config.doors[0].player_number = Some(PlayerNumber { limit: 1 });
    });
    let mut enter = || {
        let peer = world.arrive("R9");
        world.answer(peer, accept([claim("slot", 99)]));
        peer
    };
    let (first, second) = (enter(), enter());
    assert_eq!(world.grant(first).unwrap().number, Some(0));
    assert_eq!(world.refused(second).as_deref(), Some("slot-full"));
    world.close();
}

#[test]
fn a_slot_that_was_held_first_is_bounded_too() {
    let mut world = World::new(|config| {
        config.doors[0].player_number = Some(PlayerNumber { limit: 1 });
    });
    let first = world.arrive("first");
    world.answer(first, accept([]));
    assert_eq!(world.grant(first).unwrap().number, Some(0));
    let second = world.arrive("second");
    let hold = vec![claim("slot", 99)];
    let questions = vec![];
    world.answer(second, Decision::Ask(Inquiry { questions, hold }));
    assert_eq!(world.refused(second).as_deref(), Some("slot-full"));
    world.close();
}

#[test]
fn a_slot_with_parts_is_no_player_number_so_no_two_players_have_the_same() {
    let mut world = World::new(|config| {
        config.doors[0].player_number = Some(PlayerNumber { limit: 4 });
    });
    let numbers = ["slot:red", "slot:blue"].map(|key| {
        let peer = world.arrive("R9");
        world.answer(peer, accept([claim(key, 2).with_lowest_index()]));
        world.grant(peer).unwrap().number
    });
    assert_eq!(numbers, [Some(0), Some(1)]);
    world.close();
}

#[test]
fn a_closed_room_refuses_with_its_reason_and_opens_again() {
    let mut world = World::new(|_| {});
    let (early, late) = (world.arrive("early"), world.arrive("late"));
    assert!(world.asked(early).unwrap().room.closed.is_none());
    world.handle(Input::Close {
        key: Key::room("main"),
        reason: Reason::new("game-started", ""),
    });
    world.answer(early, accept([]));
    assert_eq!(
        world.refused(early).as_deref(),
        Some("game-started"),
        "checked at commit, not when it was asked"
    );
    let third = world.arrive("third");
    let closed = world.asked(third).unwrap().room.closed.clone();
    assert_eq!(&*closed.unwrap().code, "game-started");
    world.answer(third, reject("no"));
    world.handle(Input::Open {
        key: Key::room("main"),
    });
    world.answer(late, accept([]));
    world.accepted(late);
    world.close();
}

#[test]
fn a_closed_server_refuses_everyone() {
    let mut world = World::new(|_| {});
    world.handle(Input::Close {
        key: Key::server(),
        reason: Reason::new("maintenance", ""),
    });
    let peer = world.arrive("R9");
    world.answer(peer, accept([]));
    assert_eq!(world.refused(peer).as_deref(), Some("maintenance"));
    world.close();
}

#[test]
fn another_room_is_another_key() {
    let mut world = World::new(|_| {});
    world.handle(Input::Close {
        key: Key::room("main"),
        reason: Reason::new("game-started", ""),
    });
    let peer = world.arrive("R9");
    let elsewhere = Admission {
        room: Some("lobby".into()),
        ..Admission::default()
    };
    let options = vec![Admission::default(), elsewhere];
    world.answer(
        peer,
        Decision::Accept(Acceptance {
            options,
            ..Acceptance::default()
        }),
    );
    assert_eq!(&*world.grant(peer).unwrap().room, "lobby");
    assert_eq!(world.core.taken_view().taken(&Key::room("lobby")), 1);
    assert_eq!(world.core.taken_view().taken(&Key::room("main")), 0);
    world.close();
}

#[test]
fn a_spent_ticket_outlives_its_session_until_its_expiry_exactly() {
    let mut world = World::new(|_| {});
    let expiry = world.now.after(Duration::from_secs(60));
    let ticket = || claim("ticket:t", 1).until(Until::Time(expiry));
    let first = world.arrive("R9");
    world.answer(first, accept([ticket()]));
    world.leave(first);
    assert!(world.core.is_empty(), "a spent ticket is no leak");
    for (wait, told) in [(59_999, Some("ticket-full".to_owned())), (1, None)] {
        world.advance(wait);
        let again = world.arrive("R9");
        world.answer(again, accept([ticket()]));
        assert_eq!(world.refused(again), told);
    }
    world.close();
}

#[test]
fn a_ticket_of_someone_who_did_not_get_in_is_not_spent() {
    let mut world = World::new(|config| config.max_players = 1);
    let expiry = world.now.after(Duration::from_secs(600));
    let ticket = || claim("ticket:t", 1).until(Until::Time(expiry));
    let first = world.arrive("first");
    world.answer(first, accept([]));
    let second = world.arrive("second");
    world.answer(second, accept([ticket()]));
    assert_eq!(world.refused(second).as_deref(), Some("server-full"));
    assert_eq!(world.core.taken_view().taken(&Key::of("ticket", "t")), 0);
    world.leave(first);
    let third = world.arrive("third");
    world.answer(third, accept([ticket()]));
    world.accepted(third);
    world.close();
}
