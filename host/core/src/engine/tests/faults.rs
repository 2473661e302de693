//! Faults: what a policy that traps, hangs or talks nonsense costs, and whom.

use super::world::{World, accept, accept_or_wait, claim, pass, wait};
use crate::*;

/// Two policies, the first of which fails as `fail` says.
fn failing(fail: FailMode) -> World {
    let mut world = World::new(|_| {});
    world.policies(&[("weak", fail), ("last", FailMode::Closed)]);
    world
}

/// A waiter behind one player, in a world with one seat.
fn waiting_behind() -> (World, RequestId, RequestId) {
    let mut world = World::new(|config| config.max_players = 1);
    let player = world.arrive("player");
    world.answer(player, accept([]));
    let waiter = world.arrive("waiter");
    world.answer(waiter, accept_or_wait([], "soon"));
    world.take_told(waiter);
    (world, player, waiter)
}

#[test]
fn a_fault_of_a_policy_that_fails_closed_refuses_the_one_request() {
    let mut world = failing(FailMode::Closed);
    let (one, other) = (world.arrive("one"), world.arrive("other"));
    world.fault(one);
    assert_eq!(world.refused(one).as_deref(), Some("policy-fault"));
    world.answer(other, pass([]));
    world.answer(other, accept([]));
    world.accepted(other);
    world.close();
}

#[test]
fn a_policy_that_fails_open_counts_as_having_passed_without_claims() {
    let mut world = failing(FailMode::Open);
    let peer = world.arrive("R9");
    world.fault(peer);
    assert_eq!(world.asked(peer).unwrap().slot, SlotId(1));
    world.answer(peer, accept([]));
    world.accepted(peer);
    assert_eq!(world.report().claims, 2, "server and room");
    world.close();
}

#[test]
fn a_policy_that_falls_back_is_asked_in_its_last_good_generation_once() {
    let mut world = failing(FailMode::LastGood);
    for faults_again in [false, true] {
        let peer = world.arrive("R9");
        assert!(!world.asked(peer).unwrap().last_good);
        world.fault(peer);
        let asked = world.asked(peer).unwrap();
        assert!(asked.last_good && asked.slot == SlotId(0) && asked.why == Why::First);
        if faults_again {
            world.fault(peer);
            assert_eq!(world.refused(peer).as_deref(), Some("policy-fault"));
        } else {
            world.answer(peer, pass([]));
            assert!(
                !world.asked(peer).unwrap().last_good,
                "that was the first's"
            );
            world.answer(peer, accept([]));
            world.accepted(peer);
        }
    }
    world.close();
}

#[test]
fn a_policy_that_never_answers_costs_its_request_and_no_other() {
    let mut world = World::new(|_| {});
    let hung = world.arrive("hung");
    world.advance(5_000);
    let other = world.arrive("other");
    world.answer(other, accept([]));
    world.accepted(other);
    world.advance(5_000);
    assert_eq!(world.refused(hung).as_deref(), Some("approval-timeout"));
    world.answer(hung, accept([]));
    assert!(world.grant(hung).is_none(), "too late");
    world.close();
}

#[test]
fn a_fault_in_an_offer_changes_nothing_and_backs_off() {
    let (mut world, player, waiter) = waiting_behind();
    world.leave(player);
    let mut waits = Vec::new();
    for _ in 0..7 {
        let asked = world.now;
        assert_eq!(world.why(waiter), Why::Offer);
        world.fault(waiter);
        assert_eq!(world.position(waiter), Some(1), "it waits on");
        assert_eq!(world.report().claims, 0, "the seat goes back");
        while world.asked(waiter).is_none() {
            world.advance(100);
        }
        waits.push(world.now.since(asked).as_secs());
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
    world.answer(waiter, accept([]));
    world.accepted(waiter);
    world.close();
}

#[test]
fn a_hung_offer_goes_to_the_next_waiter_after_the_decision_timeout() {
    let (mut world, player, first) = waiting_behind();
    let second = world.arrive("second");
    world.answer(second, accept_or_wait([], "soon"));
    world.leave(player);
    assert!(world.asked(second).is_none());
    world.advance(10_000);
    assert_eq!(world.why(second), Why::Offer);
    world.answer(second, accept([]));
    world.accepted(second);
    assert_eq!(world.position(first), Some(1));
    world.close();
}

#[test]
fn a_fault_in_a_redecision_changes_nothing_and_is_tried_again() {
    for fail in [FailMode::Closed, FailMode::Open, FailMode::LastGood] {
        let (mut world, player, waiter) = waiting_behind();
        world.policies(&[("only", fail)]);
        assert_eq!(world.why(waiter), Why::Reload);
        world.fault(waiter);
        assert_eq!(world.take_told(waiter), [""; 0]);
        assert_eq!(world.position(waiter), Some(1));
        assert!(world.asked(waiter).is_none(), "not at once");
        world.advance(1_000);
        assert_eq!(world.why(waiter), Why::Reload);
        world.answer(waiter, accept_or_wait([], "soon"));
        world.leave(player);
        assert_eq!(world.why(waiter), Why::Offer);
        world.answer(waiter, accept([]));
        world.accepted(waiter);
        world.close();
    }
}

#[test]
fn a_waiter_whose_redecision_faulted_is_still_first_for_what_is_declined() {
    let (mut world, player, first) = waiting_behind();
    let second = world.arrive("second");
    world.answer(second, accept_or_wait([], "soon"));
    world.leave(player);
    assert_eq!(world.why(first), Why::Offer);
    world.reload();
    assert_eq!(world.why(second), Why::Reload);
    world.fault(second);
    // Nobody has offered the second anything yet: what the first declines is its turn.
    world.answer(first, wait([]));
    assert_eq!(world.why(second), Why::Offer);
    world.close();
}

#[test]
fn a_fault_after_an_offer_counts_back_off_from_the_first_again_once_it_went_well() {
    let (mut world, player, waiter) = waiting_behind();
    for _ in 0..2 {
        world.reload();
        world.fault(waiter);
        world.advance(1_000);
        assert_eq!(world.why(waiter), Why::Reload, "one second, not two");
        world.answer(waiter, accept_or_wait([], "soon"));
    }
    world.leave(player);
    world.answer(waiter, wait([claim("gate", 0)]));
    world.close();
}

#[test]
fn one_who_declines_after_a_fault_is_not_asked_again_by_the_fault() {
    let (mut world, player, waiter) = waiting_behind();
    world.reload();
    world.fault(waiter);
    // What it waits for comes before the retry, and it declines that.
    world.leave(player);
    assert_eq!(world.why(waiter), Why::Offer);
    world.serve(|_| wait([]));
    world.advance(60_000);
    assert!(world.asked(waiter).is_none());
    world.close();
}

#[test]
fn commands_of_a_fault_do_not_exist_and_those_of_an_answer_come_before_its_decision() {
    let mut world = World::new(|config| config.max_players = 1);
    let player = world.arrive("player");
    world.answer(player, accept([]));
    let session = world.accepted(player);
    let peer = world.arrive("peer");
    let put = Command::BucketPut {
        bucket: "banned".into(),
        entry: "R9".into(),
        lasts: None,
    };
    let kick = Command::KickSession(session, Reason::new("foul", ""));
    world.answer(
        peer,
        Verdict {
            decision: accept([]),
            commands: vec![put.clone(), kick],
        },
    );
    assert_eq!(world.commands, [put], "what is not the core's goes on");
    assert_eq!(world.take_told(player).last().unwrap(), "ended kicked");
    world.accepted(peer);
    world.close();
}
