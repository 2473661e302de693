//! Waiting: the one order of those who wait, their positions, and how long they may.

use super::world::{World, accept, accept_or_wait, claim, wait, waiting};
use crate::*;
use std::time::Duration;

/// A full server of one seat, and its player.
fn full() -> (World, RequestId) {
    let mut world = World::new(|config| {
        config.max_players = 1;
        config.doors[0].binding = Binding::None;
    });
    let player = world.arrive("player");
    world.answer(player, accept([]));
    (world, player)
}

fn queue(world: &mut World, count: usize) -> Vec<RequestId> {
    (0..count)
        .map(|n| {
            let peer = world.arrive(&format!("w{n}"));
            world.answer(peer, accept_or_wait([], "soon"));
            peer
        })
        .collect()
}

fn in_lane(lane: &str, lane_rank: i32, priority: i32) -> Decision {
    Decision::Wait(Waiting {
        lane: lane.into(),
        lane_rank,
        priority,
        ..waiting([])
    })
}

#[test]
fn the_order_is_lane_rank_then_priority_then_arrival() {
    let (mut world, player) = full();
    // In the order in which they arrive; the last number is the place in which they are served.
    let cases = [
        (in_lane("main", 0, 0), 4),
        (in_lane("main", 0, 5), 2),
        (in_lane("vip", -1, 0), 1),
        (in_lane("main", 0, 0), 5),
        (in_lane("main", 0, 5), 3),
        (in_lane("late", 7, 99), 6),
    ];
    let mut peers: Vec<_> = cases
        .map(|(verdict, place)| {
            let peer = world.arrive("R9");
            world.answer(peer, verdict);
            (place, peer)
        })
        .into();
    peers.sort_unstable();
    let positions: Vec<_> = peers
        .iter()
        .map(|(_, peer)| world.position(*peer).unwrap())
        .collect();
    assert_eq!(positions, [1, 1, 2, 3, 4, 1], "positions are a lane's own");
    let mut seated = player;
    for (place, peer) in peers {
        world.leave(seated);
        assert_eq!(world.asks.len(), 1, "one seat, one offer");
        assert_eq!(world.why(peer), Why::Offer, "place {place}");
        world.answer(peer, accept([]));
        seated = peer;
    }
    world.close();
}

#[test]
fn the_position_is_told_with_an_offer_and_a_redecision() {
    let (mut world, player) = full();
    let peers = queue(&mut world, 3);
    world.reload();
    for (place, peer) in (1..).zip(&peers) {
        let asked = world.asked(*peer).unwrap();
        assert_eq!((asked.position, asked.attempt), (Some(place), 2));
        world.answer(*peer, accept_or_wait([], "soon"));
    }
    world.advance(3_000);
    world.leave(player);
    let asked = world.asked(peers[0]).unwrap();
    assert_eq!((asked.position, asked.attempt), (Some(1), 3));
    assert_eq!(asked.waited, Duration::from_secs(3));
    world.close();
}

#[test]
fn positions_are_right_at_once_when_the_middle_ten_of_thirty_vanish() {
    let (mut world, player) = full();
    let peers = queue(&mut world, 30);
    for (index, peer) in peers.iter().enumerate().skip(10).take(10) {
        if index % 2 == 0 {
            world.leave(*peer);
        } else {
            world.drop_peer(*peer);
        }
    }
    let stay: Vec<_> = peers[..10].iter().chain(&peers[20..]).copied().collect();
    for (place, peer) in (1..).zip(&stay) {
        assert_eq!(world.position(*peer), Some(place));
    }
    assert_eq!(world.report().pending, 20, "no identity, no grace");
    // And the status that follows says so.
    world.advance(5_000);
    let ask = world.status_asks.pop().unwrap();
    let told: Vec<_> = ask
        .waiters
        .iter()
        .map(|waiter| (waiter.request, waiter.position, waiter.lane_length))
        .collect();
    let expected: Vec<_> = (1..)
        .zip(&stay)
        .map(|(place, peer)| (*peer, place, 20))
        .collect();
    assert_eq!(told, expected);
    // Served in that order, too.
    let mut seated = player;
    for peer in stay {
        world.leave(seated);
        world.answer(peer, accept([]));
        seated = peer;
    }
    world.close();
}

#[test]
fn connecting_and_cancelling_a_thousand_times_overtakes_nobody() {
    let (mut world, player) = full();
    let peers = queue(&mut world, 10);
    for round in 0..1_000 {
        let pest = world.arrive_from("203.0.113.9", "pest");
        let identity = Some("pest".into());
        world.answer(
            pest,
            Decision::Wait(Waiting {
                identity,
                ..waiting([])
            }),
        );
        assert_eq!(world.position(pest), Some(11), "round {round}");
        world.leave(pest);
    }
    assert_eq!(world.report().pending, 10, "a cancel leaves no place");
    let last = queue(&mut world, 1)[0];
    assert_eq!(world.position(last), Some(11));
    let mut seated = player;
    for peer in peers {
        world.leave(seated);
        world.answer(peer, accept([]));
        seated = peer;
    }
    world.close();
}

#[test]
fn a_newcomer_gets_no_seat_that_is_held_for_a_waiter() {
    let (mut world, player) = full();
    let waiter = queue(&mut world, 1)[0];
    world.leave(player);
    let newcomer = world.arrive("newcomer");
    world.answer(newcomer, accept([]));
    assert_eq!(world.refused(newcomer).as_deref(), Some("server-full"));
    world.answer(waiter, accept([]));
    world.accepted(waiter);
    world.close();
}

#[test]
fn a_waiter_holds_nothing_of_what_it_waits_for() {
    let (mut world, _) = full();
    let waiter = world.arrive("waiter");
    world.answer(waiter, wait([claim("name:R9", 1)]));
    assert_eq!(world.core.taken_view().taken(&Key::of("name", "R9")), 0);
    let other = world.arrive("other");
    world.answer(other, wait([claim("name:R9", 1)]));
    assert_eq!(world.report().claims, 2, "the player's server and room");
    world.close();
}

#[test]
fn what_can_be_had_at_once_is_offered_at_once() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, wait([]));
    assert_eq!(world.why(peer), Why::Offer);
    world.answer(peer, accept([]));
    world.accepted(peer);
    world.close();
}

#[test]
fn a_wait_begins_its_next_decision_at_the_first_policy_with_fresh_evidence() {
    let (mut world, player) = full();
    world.policies(&[("names", FailMode::Closed), ("queue", FailMode::Closed)]);
    let peer = world.arrive("R9");
    let ask = Decision::Ask(Inquiry {
        questions: vec![super::world::question("verify")],
        hold: vec![],
    });
    world.answer(peer, ask);
    let attempt = world.attempt(peer);
    world.handle(Input::Fact {
        request: peer,
        attempt,
        question: super::world::question("verify"),
        answer: FactAnswer::Missing,
    });
    world.answer(peer, super::world::pass([]));
    world.answer(peer, accept_or_wait([], "soon"));
    world.reload();
    let number = world.core.snapshot.number;
    world.answer(peer, super::world::pass([]));
    world.answer(peer, accept_or_wait([], "soon"));
    world.leave(player);
    let asked = world.asked(peer).unwrap();
    assert_eq!((asked.slot, asked.why), (SlotId(0), Why::Offer));
    assert_eq!((asked.facts.len(), asked.snapshot.number), (0, number));
    world.close();
}

#[test]
fn the_decision_timeout_does_not_bound_the_wait() {
    let (mut world, player) = full();
    let waiter = queue(&mut world, 1)[0];
    world.advance(3_600_000);
    assert_eq!(world.position(waiter), Some(1));
    world.leave(player);
    world.answer(waiter, accept([]));
    world.accepted(waiter);
    world.close();
}

#[test]
fn a_wait_ends_when_the_door_can_hold_it_no_longer() {
    // Whether the door has status, what it can hold, and after how long a waiter is told.
    let secs = Duration::from_secs;
    for (status, longest, after) in [
        (true, None, None),
        (true, Some(secs(20)), Some(20)),
        (false, None, Some(60)),
        (false, Some(secs(20)), Some(20)),
        (false, Some(secs(90)), Some(60)),
    ] {
        let (mut world, _) = full();
        let waiter = world.arrive_with(DoorId(0), |data| {
            data.abilities.status = status;
            data.abilities.longest_wait = longest;
        });
        world.answer(waiter, accept_or_wait([], "soon"));
        world.advance(after.unwrap_or(3_600) * 1_000 - 1);
        assert_eq!(world.state(waiter), Some("waiting"));
        world.advance(1);
        let told = after.map(|_| "queue-timeout");
        assert_eq!(world.refused(waiter).as_deref(), told);
        world.close();
    }
}

#[test]
fn a_redecision_does_not_restart_the_longest_wait() {
    let (mut world, _) = full();
    let waiter = world.arrive_with(DoorId(0), |data| data.abilities.status = false);
    world.answer(waiter, accept_or_wait([], "soon"));
    world.advance(50_000);
    world.reload();
    world.answer(waiter, accept_or_wait([], "soon"));
    world.advance(10_000);
    assert_eq!(world.refused(waiter).as_deref(), Some("queue-timeout"));
    world.close();
}

#[test]
fn an_estimate_comes_from_how_fast_the_lane_moved() {
    let (mut world, mut seated) = full();
    let peers = queue(&mut world, 6);
    for peer in &peers[..3] {
        world.advance(10_000);
        world.status_asks.clear();
        world.leave(seated);
        world.answer(*peer, accept([]));
        seated = *peer;
    }
    world.advance(5_000);
    let ask = world.status_asks.pop().unwrap();
    let estimates: Vec<_> = ask.waiters.iter().map(|waiter| waiter.estimate).collect();
    // Three in 25 s since the first of them.
    let each = Duration::from_secs(25) / 3;
    assert_eq!(estimates, [Some(each), Some(each * 2), Some(each * 3)]);
    world.close();
}

#[test]
fn an_answer_to_an_earlier_decision_is_no_evidence_in_the_next() {
    let (mut world, player) = full();
    let peer = world.arrive("R9");
    world.answer(peer, accept_or_wait([], "soon"));
    let ask = || {
        Decision::Ask(Inquiry {
            questions: vec![super::world::question("verify")],
            hold: vec![],
        })
    };
    world.reload();
    world.answer(peer, ask());
    let old = world.attempt(peer);
    // The decision runs out of time, and the waiter is decided anew.
    world.advance(10_000);
    world.reload();
    world.answer(peer, ask());
    let fact = |attempt, answer| Input::Fact {
        request: peer,
        attempt,
        question: super::world::question("verify"),
        answer,
    };
    assert_ne!(world.attempt(peer), old);
    world.handle(fact(old, FactAnswer::Missing));
    assert!(world.asked(peer).is_none(), "it still waits for its own");
    let attempt = world.attempt(peer);
    world.handle(fact(attempt, FactAnswer::Found([].into())));
    let facts = &world.asked(peer).expect("it is asked again").facts;
    assert_eq!(facts[0].answer, FactAnswer::Found([].into()));
    world.answer(peer, super::world::reject("no"));
    world.leave(player);
    world.close();
}
