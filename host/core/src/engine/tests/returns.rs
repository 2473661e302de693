//! Clients that crash, freeze, give up or vanish, as the core hears of it: late, or never.

use super::takeover::{enter, host, plays};
use super::world::{World, accept, accept_as, accept_or_wait, accept_or_wait_as, reject};
use crate::*;
use std::time::Duration;

const BOTH: [Duplicates; 2] = [Duplicates::Refuse, Duplicates::TakeOver];

/// A server with a seat or more to spare, where `ada` plays from this address.
fn ada(duplicates: Duplicates) -> (World, RequestId) {
    let mut world = host(duplicates, 4);
    let ada = arrive_as_ada(&mut world, accept_as("ada", []));
    world.take_rules();
    world.take_told(ada);
    (world, ada)
}

/// A request from the address at which `ada` plays. The core does not know her by it.
fn arrive_as_ada(world: &mut World, verdict: Decision) -> RequestId {
    let peer = world.arrive_from("192.0.2.7", "ada");
    world.answer(peer, verdict);
    peer
}

#[test]
fn a_crashed_client_that_returns_from_a_new_port_in_a_second_takes_its_place_over() {
    let (mut world, crashed) = ada(Duplicates::TakeOver);
    world.advance(1_000);
    let back = arrive_as_ada(&mut world, accept_as("ada", []));
    let session = world.accepted(back);
    assert_eq!(world.take_told(crashed), ["ended taken-over"]);
    assert_eq!(
        world.take_rules(),
        ["left 1 Kicked", &format!("joined {session}")]
    );
    // The door finds the old connection dead later on. It is nobody's by then.
    world.advance(9_000);
    world.drop_peer(crashed);
    assert_eq!(world.take_told(crashed), [""; 0]);
    assert!(plays(&world, back));
    assert_eq!(world.take_rules(), [""; 0]);
    world.close();
}

#[test]
fn a_crashed_client_that_returns_is_refused_until_the_old_connection_is_found_dead() {
    let (mut world, crashed) = ada(Duplicates::Refuse);
    world.advance(1_000);
    let back = arrive_as_ada(&mut world, accept_as("ada", []));
    assert_eq!(world.refused(back).as_deref(), Some("duplicate-identity"));
    // One that the policy lets wait needs not come again.
    let waits = arrive_as_ada(&mut world, accept_or_wait_as("ada", []));
    world.advance(9_000);
    assert!(world.asked(waits).is_none());
    world.drop_peer(crashed);
    world.answer(waits, accept_or_wait_as("ada", []));
    world.accepted(waits);
    world.close();
}

#[test]
fn a_client_that_froze_and_returns_from_the_same_port_is_in_by_either_rule() {
    for duplicates in BOTH {
        // A door that sees a new connection from a peer's own endpoint knows that the old one is over.
        let (mut world, frozen) = ada(duplicates);
        world.advance(30_000);
        world.drop_peer(frozen);
        let back = arrive_as_ada(&mut world, accept_as("ada", []));
        world.accepted(back);
        assert_eq!(world.take_told(frozen), ["ended closed"]);
        assert_eq!(world.take_rules(), ["left 1 Lost", "joined 2"]);
        world.close();
    }
}

#[test]
fn a_client_that_froze_and_thaws_after_it_was_taken_over_has_nothing_any_more() {
    let (mut world, frozen) = ada(Duplicates::TakeOver);
    let old = world.accepted(frozen);
    world.advance(3_000);
    let back = arrive_as_ada(&mut world, accept_as("ada", []));
    let new = world.accepted(back);
    // What it still does names a session that is over.
    world.bind(old, "192.0.2.7:4000");
    world.kick(old, "old");
    world.leave(frozen);
    assert!(plays(&world, back));
    assert_eq!(world.report().sessions.len(), 1);
    assert_eq!(world.report().sessions[0].id, new);
    world.close();
}

#[test]
fn a_client_that_froze_at_a_door_that_binds_is_found_silent_or_taken_over() {
    for duplicates in BOTH {
        let mut world = World::new(|config| config.duplicates = duplicates);
        let frozen = enter(&mut world, "ada");
        let session = world.accepted(frozen);
        world.bind(session, "192.0.2.7:5000");
        world.seen.insert(session, world.now);
        world.advance(4_000);
        let back = enter(&mut world, "ada");
        let taken_over = duplicates == Duplicates::TakeOver;
        assert_eq!(plays(&world, back), taken_over);
        world.advance(6_000);
        let told = if taken_over {
            "ended taken-over"
        } else {
            "ended idle-timeout"
        };
        assert_eq!(world.take_told(frozen).last().unwrap(), told);
        // After that the refused one may try again.
        if !taken_over {
            let again = enter(&mut world, "ada");
            assert!(plays(&world, again));
        }
        world.close();
    }
}

#[test]
fn an_accept_after_the_client_gave_up_leaves_nothing_whenever_the_door_notices() {
    for notices in [None, Some(0), Some(1), Some(10_000)] {
        let mut world = World::new(|config| {
            config.max_players = 1;
            config.decision_timeout = Duration::from_secs(60);
            config.doors[0].binding = Binding::None;
        });
        let [peer, next] = ["gave up", "next"].map(|name| world.arrive(name));
        // The client's own timer ends here, and nobody hears of it.
        world.advance(10_000);
        if let Some(after) = notices {
            world.answer(peer, accept([]));
            world.answer(next, accept_or_wait([], "soon"));
            assert!(plays(&world, peer) && !plays(&world, next));
            world.advance(after);
            world.drop_peer(peer);
            assert_eq!(world.take_told(peer).last().unwrap(), "ended closed");
            assert_eq!(world.endings(peer), ["accepted 1"]);
            assert_eq!(world.why(next), Why::Offer);
        } else {
            let late = world.take_ask(peer);
            world.drop_peer(peer);
            assert!(!late.wanted.still());
            world.answer_ask(&late, Ok(accept([]).into()));
            assert_eq!(world.endings(peer), ["abandoned Dropped"]);
        }
        world.answer(next, accept([]));
        assert!(plays(&world, next), "the seat is free for the next");
        assert_eq!(world.report().connected, 1);
        world.close();
    }
}

#[test]
fn who_vanished_without_a_word_is_skipped_at_its_turn_once_the_door_finds_out() {
    let mut world = host(Duplicates::Refuse, 1);
    let mut seated = enter(&mut world, "player");
    let waiters: Vec<_> = (0..6)
        .map(|n| {
            let peer = world.arrive(&format!("w{n}"));
            world.answer(peer, accept_or_wait([], "soon"));
            peer
        })
        .collect();
    // The second and the third are dead, and nobody knows.
    let dead = [waiters[1], waiters[2]];
    for waiter in &waiters {
        world.leave(seated);
        assert_eq!(world.why(*waiter), Why::Offer, "each at its turn");
        world.answer(*waiter, accept([]));
        seated = *waiter;
        if dead.contains(waiter) {
            // Nothing is ever heard from it: its door says so, and the seat goes on at once.
            world.advance(10_000);
            world.drop_peer(*waiter);
        }
    }
    let played: Vec<_> = world.take_rules();
    assert_eq!(
        played.iter().filter(|it| it.starts_with("joined")).count(),
        7
    );
    assert_eq!(played.iter().filter(|it| it.ends_with("Lost")).count(), 2);
    world.close();
}

#[test]
fn a_ban_refuses_at_once_who_waits_and_catches_who_is_let_in_by_older_rules() {
    let mut world = host(Duplicates::Refuse, 1);
    world.slots[0].recheck = true;
    world.reload();
    let player = enter(&mut world, "player");
    let waits = world.arrive("banned");
    world.answer(waits, accept_or_wait([], "soon"));
    let [deciding, slow] = [(); 2].map(|()| world.arrive("banned"));
    // The ban.
    world.reload();
    let banned = |ask: &Ask| {
        let by_new_rules = matches!(ask.why, Why::Reload | Why::Recheck);
        by_new_rules && ask.request.name.as_deref() == Some("banned")
    };
    assert_eq!(world.why(waits), Why::Reload);
    world.answer(waits, reject("banned"));
    assert_eq!(world.refused(waits).as_deref(), Some("banned"));
    world.answer(player, accept([]));
    // A decision that is out is made by the rules that it began with. One that comes to a wait is made anew,
    world.answer(deciding, accept_or_wait([], "soon"));
    let ask = world.take_ask(deciding);
    assert!(banned(&ask));
    world.answer_ask(&ask, Ok(reject("banned").into()));
    assert_eq!(world.refused(deciding).as_deref(), Some("banned"));
    // and one that lets its peer in is checked.
    world.leave(player);
    world.answer(slow, accept([]));
    assert!(plays(&world, slow));
    let ask = world.take_ask(slow);
    assert!(banned(&ask));
    world.answer_ask(&ask, Ok(reject("banned").into()));
    assert_eq!(world.take_told(slow).last().unwrap(), "ended kicked");
    world.close();
}
