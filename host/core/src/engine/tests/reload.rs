//! Reload: new rules decide those anew who wait, in paced batches, and nobody who is being decided.

use super::world::{World, accept, accept_or_wait, claim, reject, wait};
use crate::*;

/// A full server with this many waiters.
fn queue(count: usize, change: impl FnOnce(&mut Config)) -> (World, RequestId, Vec<RequestId>) {
    let mut world = World::new(|config| {
        config.max_players = 1;
        config.max_pending = 1_000;
        config.doors[0].binding = Binding::None;
        change(config);
    });
    let player = world.arrive("player");
    world.answer(player, accept([]));
    let waiters = (0..count)
        .map(|n| {
            let peer = world.arrive(&format!("w{n}"));
            world.answer(peer, accept_or_wait([], "soon"));
            peer
        })
        .collect();
    (world, player, waiters)
}

fn asked(world: &World) -> Vec<RequestId> {
    world.asks.iter().map(|ask| ask.request.id).collect()
}

#[test]
fn waiters_are_decided_anew_in_order_a_batch_at_a_time() {
    let (mut world, _, waiters) = queue(10, |config| config.reload_batch = 3);
    world.reload();
    assert_eq!(asked(&world), waiters[..3]);
    // Whoever is decided makes way for the next, in any order.
    for (answered, next) in [(1, 3), (0, 4), (2, 5), (5, 6)] {
        assert_eq!(world.why(waiters[answered]), Why::Reload);
        world.answer(waiters[answered], accept_or_wait([], "soon"));
        assert_eq!(asked(&world).last(), Some(&waiters[next]));
        assert_eq!(world.asks.len(), 3);
    }
    let answered = world.serve(|_| accept_or_wait([], "soon"));
    assert_eq!(answered, 6, "each once");
    for (place, waiter) in (1..).zip(&waiters) {
        assert_eq!(world.position(*waiter), Some(place), "arrival is kept");
    }
    world.close();
}

#[test]
fn a_hung_or_gone_waiter_does_not_hold_the_rest_of_a_reload_up() {
    let (mut world, _, waiters) = queue(4, |config| config.reload_batch = 1);
    world.reload();
    world.leave(waiters[0]);
    assert_eq!(asked(&world).last(), Some(&waiters[1]));
    world.advance(10_000);
    assert_eq!(asked(&world).last(), Some(&waiters[2]));
    world.fault(waiters[2]);
    assert_eq!(asked(&world).last(), Some(&waiters[3]));
    world.close();
}

#[test]
fn a_second_reload_begins_anew_with_the_newest_rules() {
    let (mut world, _, waiters) = queue(3, |config| config.reload_batch = 1);
    world.reload();
    world.reload();
    let newest = world.core.snapshot.number;
    let mut latest = std::collections::BTreeMap::new();
    world.serve(|ask| {
        latest.insert(ask.request.id, ask.snapshot.number);
        accept_or_wait([], "soon")
    });
    for waiter in waiters {
        assert_eq!(latest[&waiter], newest);
    }
    world.close();
}

#[test]
fn an_offer_in_flight_keeps_its_snapshot_and_is_decided_anew_only_if_it_waits_on() {
    for declines in [false, true] {
        let (mut world, player, waiters) = queue(1, |_| {});
        let before = world.core.snapshot.number;
        world.leave(player);
        world.reload();
        let ask = world.asked(waiters[0]).unwrap();
        assert_eq!((ask.why, ask.snapshot.number), (Why::Offer, before));
        assert_eq!(world.asks.len(), 1, "one ask a request");
        if declines {
            world.answer(waiters[0], wait([]));
            let ask = world.asked(waiters[0]).unwrap();
            assert_eq!((ask.why, ask.snapshot.number), (Why::Reload, before + 1));
        } else {
            world.answer(waiters[0], accept([]));
            world.accepted(waiters[0]);
        }
        world.close();
    }
}

#[test]
fn a_first_decision_that_ends_in_a_wait_on_old_rules_is_made_anew() {
    let (mut world, _, _) = queue(0, |_| {});
    let peer = world.arrive("R9");
    world.reload();
    world.answer(peer, accept_or_wait([], "soon"));
    let ask = world.asked(peer).unwrap();
    assert_eq!(ask.why, Why::Reload);
    assert_eq!(ask.snapshot.number, world.core.snapshot.number);
    world.answer(peer, accept_or_wait([], "soon"));
    assert!(world.asked(peer).is_none(), "once");
    world.close();
}

#[test]
fn new_rules_may_let_in_refuse_or_move_who_waits() {
    let (mut world, player, waiters) = queue(3, |_| {});
    world.leave(player);
    let newcomer = world.arrive("newcomer");
    world.answer(waiters[0], accept([]));
    world.answer(newcomer, accept_or_wait([], "soon"));
    world.reload();
    world.answer(waiters[1], reject("banned"));
    assert_eq!(world.refused(waiters[1]).as_deref(), Some("banned"));
    world.answer(
        waiters[2],
        Decision::Wait(Waiting {
            lane: "late".into(),
            lane_rank: 9,
            ..super::world::waiting([])
        }),
    );
    assert_eq!(world.position(newcomer), Some(1));
    assert_eq!(world.position(waiters[2]), Some(1), "first in its lane");
    world.answer(newcomer, accept_or_wait([], "soon"));
    world.leave(waiters[0]);
    assert_eq!(
        world.why(newcomer),
        Why::Offer,
        "the lane that is served first"
    );
    world.close();
}

#[test]
fn new_rules_wake_one_who_declined() {
    let (mut world, player, waiters) = queue(1, |_| {});
    world.leave(player);
    world.answer(waiters[0], wait([]));
    assert!(world.asked(waiters[0]).is_none());
    world.reload();
    assert_eq!(world.why(waiters[0]), Why::Reload);
    world.answer(waiters[0], accept([]));
    world.accepted(waiters[0]);
    world.close();
}

#[test]
fn a_unit_that_frees_while_its_best_waiter_is_decided_anew_is_held_for_it() {
    for accepts in [true, false] {
        let (mut world, player, waiters) = queue(2, |_| {});
        world.reload();
        world.leave(player);
        assert!(
            world.asks.iter().all(|ask| ask.why == Why::Reload),
            "one ask a request"
        );
        let newcomer = world.arrive("newcomer");
        world.answer(newcomer, accept([]));
        assert!(world.refused(newcomer).is_some(), "the seat is held");
        world.answer(waiters[1], accept_or_wait([], "soon"));
        if accepts {
            world.answer(waiters[0], accept([]));
            world.accepted(waiters[0]);
        } else {
            // It was not asked about the seat yet.
            world.answer(waiters[0], wait([]));
            assert_eq!(world.why(waiters[0]), Why::Offer);
            world.answer(waiters[0], accept([]));
            world.accepted(waiters[0]);
        }
        world.close();
    }
}

#[test]
fn who_falls_behind_in_a_redecision_leaves_the_unit_to_who_is_better_now() {
    let (mut world, player, waiters) = queue(2, |_| {});
    world.reload();
    world.answer(waiters[1], accept_or_wait([], "soon"));
    world.leave(player);
    world.answer(
        waiters[0],
        Decision::Wait(Waiting {
            priority: -1,
            ..super::world::waiting([])
        }),
    );
    assert_eq!(world.why(waiters[1]), Why::Offer);
    assert!(world.asked(waiters[0]).is_none());
    world.close();
}

#[test]
fn a_reload_asks_nobody_who_plays_or_is_being_decided() {
    let (mut world, _, _) = queue(0, |_| {});
    let peer = world.arrive("R9");
    world.reload();
    assert_eq!(world.asks.len(), 1);
    world.answer(peer, reject("no"));
    assert!(world.asks.is_empty());
    world.close();
}

#[test]
fn a_redecision_waits_for_what_the_new_rules_name() {
    let (mut world, player, waiters) = queue(1, |_| {});
    world.reload();
    world.answer(waiters[0], wait([claim("gate", 0)]));
    world.leave(player);
    assert!(world.asked(waiters[0]).is_none(), "the gate is shut");
    world.reload();
    world.answer(waiters[0], wait([]));
    assert_eq!(
        world.why(waiters[0]),
        Why::Offer,
        "and a free seat is seen at once"
    );
    world.close();
}
