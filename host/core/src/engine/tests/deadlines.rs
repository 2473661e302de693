//! The deadline of a decision, to the millisecond: what arrives before it counts, what arrives at it is too late.

use super::world::{World, accept, ask, claim, reject, then};
use crate::*;
use std::time::Duration;

const QUESTION: &str = "verify";
const ACT: &str = "claim-session";
/// How long a decision may take.
const DEADLINE: u64 = 10_000;
/// Moments around the deadline, and whether what arrives then is in time.
const AROUND: [(u64, bool); 3] = [
    (DEADLINE - 1, true),
    (DEADLINE, false),
    (DEADLINE + 1, false),
];

fn found() -> FactAnswer {
    FactAnswer::Found([].into())
}

/// The next input arrives so long after the decision began, and no tick before it.
fn at(world: &mut World, began: Moment, millis: u64) {
    world.now = began.after(Duration::from_millis(millis));
}

#[track_caller]
fn came_too_late(world: &World, peer: RequestId) {
    assert_eq!(world.refused(peer).as_deref(), Some("approval-timeout"));
    let asked = world.asked(peer);
    assert!(asked.is_none_or(|ask| !ask.wanted.still()), "still asked");
    assert_eq!(world.report().claims, 0);
}

#[test]
fn an_answer_counts_until_the_millisecond_before_the_deadline() {
    for (after, in_time) in AROUND {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        let began = world.now;
        at(&mut world, began, after);
        world.answer(peer, accept([claim("player:p", 1)]));
        assert_eq!(world.grant(peer).is_some(), in_time, "{after}");
        if !in_time {
            came_too_late(&world, peer);
        }
        world.close();
    }
}

#[test]
fn a_fact_counts_until_the_millisecond_before_the_deadline() {
    for (after, in_time) in AROUND {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        let began = world.now;
        world.answer(peer, ask(&[QUESTION]));
        at(&mut world, began, after);
        world.learn(peer, QUESTION, found());
        if in_time {
            // The rest of the millisecond is the policy's.
            assert_eq!(world.why(peer), Why::Evidence);
            world.answer(peer, accept([]));
            world.accepted(peer);
        } else {
            came_too_late(&world, peer);
        }
        world.close();
    }
}

#[test]
fn a_fact_in_time_is_of_no_use_to_an_answer_that_is_late() {
    for late in [0, 1] {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        let began = world.now;
        world.answer(peer, ask(&[QUESTION]));
        at(&mut world, began, DEADLINE - 1);
        world.learn(peer, QUESTION, found());
        let ask = world.take_ask(peer);
        assert_eq!(ask.deadline, began.after(Duration::from_millis(DEADLINE)));
        at(&mut world, began, DEADLINE + late);
        world.answer_ask(&ask, Ok(accept([]).into()));
        came_too_late(&world, peer);
        world.close();
    }
}

#[test]
fn an_act_counts_until_the_millisecond_before_the_deadline_and_then_is_undone() {
    for (after, in_time) in AROUND {
        for answer in [
            found(),
            FactAnswer::Missing,
            FactAnswer::Unavailable("down".into()),
        ] {
            let mut world = World::new(|_| {});
            let peer = world.arrive("R9");
            let began = world.now;
            world.answer(peer, then(accept([claim("seat", 1)]), ACT));
            at(&mut world, began, after);
            world.learn(peer, ACT, answer.clone());
            if in_time {
                assert_eq!(world.why(peer), Why::Evidence);
                world.answer(peer, accept([claim("seat", 1)]));
                world.accepted(peer);
            } else {
                came_too_late(&world, peer);
            }
            let undone = !in_time && answer == found();
            assert_eq!(
                world.compensations.len(),
                usize::from(undone),
                "{after} {answer:?}"
            );
            world.close();
        }
    }
}

#[test]
fn an_act_that_was_done_in_time_is_undone_when_its_policy_confirms_too_late() {
    for (after, in_time) in AROUND {
        for (verdict, lets_in) in [(accept([]), true), (reject("no"), false)] {
            let mut world = World::new(|_| {});
            let peer = world.arrive("R9");
            let began = world.now;
            world.answer(peer, then(accept([]), ACT));
            at(&mut world, began, DEADLINE - 1);
            world.learn(peer, ACT, found());
            at(&mut world, began, after);
            world.answer(peer, verdict);
            let is_in = in_time && lets_in;
            assert_eq!(world.grant(peer).is_some(), is_in, "{after}");
            assert_eq!(world.compensations.len(), usize::from(!is_in), "{after}");
            if !in_time {
                came_too_late(&world, peer);
            }
            world.close();
        }
    }
}

#[test]
fn the_deadline_is_that_of_the_whole_decision_however_many_steps_it_has() {
    // Two rounds of evidence, another policy, an act: each takes its part of the one deadline.
    let mut world = World::new(|_| {});
    world.policies(&[("tickets", FailMode::Closed), ("session", FailMode::Closed)]);
    let peer = world.arrive("R9");
    let deadline = world.asked(peer).unwrap().deadline;
    world.answer(peer, ask(&["hold"]));
    world.advance(2_000);
    world.learn(peer, "hold", found());
    world.answer(peer, ask(&["allocation"]));
    world.advance(2_000);
    world.learn(peer, "allocation", found());
    world.answer(peer, super::world::pass([]));
    assert_eq!(world.asked(peer).unwrap().deadline, deadline);
    world.answer(peer, then(accept([]), ACT));
    world.advance(5_999);
    world.learn(peer, ACT, found());
    assert_eq!(world.asked(peer).unwrap().deadline, deadline);
    world.advance(1);
    came_too_late(&world, peer);
    assert_eq!(world.compensations.len(), 1);
    world.close();
}
