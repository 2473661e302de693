//! Offers: a freed unit is held for the best waiter that can be placed before it is asked.

use super::world::{World, accept, accept_or_wait, claim, reject, wait, waiting};
use crate::*;

pub(super) fn enter(world: &mut World, claims: &[Claim]) -> RequestId {
    let peer = world.arrive("player");
    world.answer(peer, accept(claims.iter().cloned()));
    world.accepted(peer);
    peer
}

pub(super) fn queued(world: &mut World, claims: &[Claim]) -> RequestId {
    let peer = world.arrive("waiter");
    world.answer(peer, wait(claims.iter().cloned()));
    peer
}

/// Who has an offer out, the longest known first.
pub(super) fn offered(world: &World) -> Vec<RequestId> {
    let mut offered: Vec<_> = world
        .asks
        .iter()
        .filter(|ask| ask.why == Why::Offer)
        .map(|ask| ask.request.id)
        .collect();
    offered.sort_unstable();
    offered
}

pub(super) fn seats(count: u32) -> World {
    World::new(|config| {
        config.max_players = count;
        config.doors[0].binding = Binding::None;
    })
}

#[test]
fn a_freed_unit_is_held_for_the_best_waiter_before_it_is_asked() {
    let mut world = seats(1);
    let player = enter(&mut world, &[]);
    let (first, second) = (queued(&mut world, &[]), queued(&mut world, &[]));
    world.leave(player);
    assert_eq!(offered(&world), [first], "one seat, one offer");
    let keys: Vec<_> = world
        .asked(first)
        .unwrap()
        .held
        .iter()
        .map(|unit| unit.key.clone())
        .collect();
    assert_eq!(keys, [Key::room("main"), Key::server()]);
    let newcomer = world.arrive("newcomer");
    world.answer(newcomer, accept([]));
    assert_eq!(world.refused(newcomer).as_deref(), Some("server-full"));
    world.answer(first, accept([]));
    world.accepted(first);
    assert_eq!(world.position(second), Some(1));
    world.close();
}

#[test]
fn a_head_that_cannot_be_placed_is_passed_over_and_keeps_its_place() {
    let mut world = seats(2);
    let red = [claim("red", 1)];
    let (blocker, player) = (enter(&mut world, &red), enter(&mut world, &[]));
    let (head, next) = (queued(&mut world, &red), queued(&mut world, &[]));
    world.leave(player);
    assert_eq!(offered(&world), [next], "the head needs red");
    world.answer(next, accept([]));
    world.leave(blocker);
    assert_eq!(offered(&world), [head]);
    world.answer(head, accept(red));
    world.accepted(head);
    world.close();
}

#[test]
fn several_freed_units_are_offered_to_as_many_at_once() {
    let mut world = seats(3);
    let players: Vec<_> = (0..3).map(|_| enter(&mut world, &[])).collect();
    let waiters: Vec<_> = (0..5).map(|_| queued(&mut world, &[])).collect();
    for player in players {
        world.leave(player);
    }
    assert_eq!(offered(&world), waiters[..3]);
    // Answered backwards: nobody takes what is held for another.
    for waiter in waiters[..3].iter().rev() {
        world.answer(*waiter, accept([]));
        world.accepted(*waiter);
    }
    world.close();
}

#[test]
fn whoever_waits_for_more_does_not_overtake_through_the_rest_of_what_is_freed() {
    let mut world = seats(1);
    // What the player holds is freed key by key, and `a` sorts before `server`.
    let a = [claim("a", 1)];
    let player = enter(&mut world, &a);
    let (best, other) = (queued(&mut world, &[]), queued(&mut world, &a));
    world.leave(player);
    assert_eq!(offered(&world), [best]);
    world.answer(best, accept([]));
    assert_eq!(world.position(other), Some(1));
    world.close();
}

#[test]
fn a_waiter_with_a_higher_limit_is_offered_what_a_better_one_may_not_have() {
    let mut world = seats(20);
    let limit = |limit| Claim::new(Key::server(), limit, Reason::new("full", ""));
    let players: Vec<_> = (0..20).map(|_| enter(&mut world, &[])).collect();
    let (ordinary, reserved) = (
        queued(&mut world, &[limit(18)]),
        queued(&mut world, &[limit(20)]),
    );
    world.leave(players[0]);
    assert_eq!(offered(&world), [reserved]);
    world.answer(reserved, accept([limit(20)]));
    world.leave(players[1]);
    world.leave(players[2]);
    assert_eq!(offered(&world), [], "18 others hold a seat still");
    world.leave(players[3]);
    assert_eq!(offered(&world), [ordinary]);
    world.answer(ordinary, accept([limit(18)]));
    world.accepted(ordinary);
    world.close();
}

#[test]
fn a_waiter_that_is_refused_or_goes_during_its_offer_gives_it_to_the_next() {
    type End = fn(&mut World, RequestId);
    let ends: [(&str, End); 4] = [
        ("refused", |world, id| world.answer(id, reject("no"))),
        ("cancelled", World::leave),
        ("dropped", World::drop_peer),
        ("kept waiting", |world, id| world.answer(id, wait([]))),
    ];
    for (how, end) in ends {
        let mut world = seats(1);
        let player = enter(&mut world, &[]);
        let (first, second) = (queued(&mut world, &[]), queued(&mut world, &[]));
        world.leave(player);
        end(&mut world, first);
        assert_eq!(world.why(second), Why::Offer, "{how}");
        world.answer(second, accept([]));
        world.accepted(second);
        world.close();
    }
}

#[test]
fn an_offer_holds_what_the_verdict_needs_also_when_the_host_fills_up_meanwhile() {
    let mut world = seats(1);
    let player = enter(&mut world, &[]);
    let waiter = queued(&mut world, &[claim("name:R9", 1)]);
    world.leave(player);
    for _ in 0..20 {
        let rival = world.arrive("R9");
        world.answer(rival, accept([claim("name:R9", 1)]));
        assert!(world.refused(rival).is_some());
    }
    world.answer(waiter, accept([claim("name:R9", 1)]));
    world.accepted(waiter);
    world.close();
}

#[test]
fn one_of_several_ways_in_is_enough_and_others_that_open_wake_it_too() {
    for way in ["red", "blue"] {
        let mut world = seats(4);
        let players = ["red", "blue"].map(|key| (key, enter(&mut world, &[claim(key, 1)])));
        let option = |key: &str| Admission {
            claims: vec![claim(key, 1)],
            ..Admission::default()
        };
        let either = || {
            Decision::Accept(Acceptance {
                options: vec![option("red"), option("blue")],
                otherwise_wait: Some(waiting([])),
                then: None,
            })
        };
        let waiter = world.arrive("waiter");
        world.answer(waiter, either());
        assert_eq!(world.position(waiter), Some(1));
        let (_, leaver) = players.into_iter().find(|(key, _)| *key == way).unwrap();
        world.leave(leaver);
        assert_eq!(offered(&world), [waiter]);
        world.answer(waiter, either());
        world.accepted(waiter);
        assert_eq!(world.core.taken_view().taken(&Key::bare(way)), 1);
        world.close();
    }
}

#[test]
fn otherwise_waits_with_the_claims_of_every_option_and_its_own() {
    let mut world = seats(4);
    let gate = enter(&mut world, &[claim("gate", 1)]);
    let red = enter(&mut world, &[claim("red", 1)]);
    let peer = world.arrive("R9");
    let verdict = || {
        Decision::Accept(Acceptance {
            options: vec![Admission {
                claims: vec![claim("red", 1)],
                ..Admission::default()
            }],
            otherwise_wait: Some(waiting([claim("gate", 1)])),
            then: None,
        })
    };
    world.answer(peer, verdict());
    world.leave(red);
    assert_eq!(offered(&world), [], "the gate is shut");
    world.leave(gate);
    assert_eq!(offered(&world), [peer]);
    world.answer(peer, verdict());
    world.accepted(peer);
    assert_eq!(world.core.taken_view().taken(&Key::bare("gate")), 0);
    world.close();
}

#[test]
fn a_commands_kick_makes_room_for_those_who_wait_first() {
    let mut world = seats(1);
    let player = enter(&mut world, &[]);
    let session = world.accepted(player);
    let waiter = queued(&mut world, &[]);
    let admin = world.arrive("admin");
    world.answer(
        admin,
        Verdict {
            decision: accept_or_wait([], "soon"),
            commands: vec![Command::KickSession(session, Reason::new("idle", ""))],
        },
    );
    assert_eq!(offered(&world), [waiter]);
    assert_eq!(world.position(admin), Some(2));
    world.answer(waiter, accept([]));
    world.close();
}

#[test]
fn a_unit_that_expires_is_offered_at_that_moment() {
    let mut world = seats(2);
    let expiry = world.now.after(std::time::Duration::from_secs(60));
    let ticket = claim("ticket:t", 1).until(Until::Time(expiry));
    let player = enter(&mut world, std::slice::from_ref(&ticket));
    world.leave(player);
    let waiter = queued(&mut world, &[ticket]);
    world.advance(59_999);
    assert_eq!(offered(&world), []);
    world.advance(1);
    assert_eq!(offered(&world), [waiter]);
    world.close();
}
