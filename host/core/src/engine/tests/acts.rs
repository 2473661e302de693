//! Acts: what changes the world, only after the whole chain accepted, once, and undone if in vain.

use super::world::{World, accept, accept_or_wait, claim, pass, question, reject, then, wait};
use crate::*;

const ACT: &str = "claim-session";

fn pass_then(claims: impl IntoIterator<Item = Claim>, act: &str) -> Decision {
    Decision::Pass(Passing {
        claims: claims.into_iter().collect(),
        then: Some(question(act)),
    })
}

fn done(world: &mut World, request: RequestId, act: &str) {
    came_to(world, request, act, FactAnswer::Found([].into()));
}

fn came_to(world: &mut World, request: RequestId, act: &str, answer: FactAnswer) {
    world.learn(request, act, answer);
}

/// The names of what is out, the oldest first; all of it must be acts.
fn acts(world: &mut World) -> Vec<String> {
    let out = world.lookups.drain(..);
    out.map(|(_, act, kind)| {
        assert_eq!(kind, LookupKind::Act);
        act.name.to_string()
    })
    .collect()
}

/// The names of what was to be undone.
fn undone(world: &mut World) -> Vec<String> {
    let undone = world.compensations.drain(..);
    undone.map(|(_, act)| act.name.to_string()).collect()
}

#[test]
fn an_act_runs_once_after_the_whole_chain_accepted_and_its_claims_are_held() {
    let mut world = World::new(|_| {});
    world.policies(&[("fleet", FailMode::Closed), ("names", FailMode::Closed)]);
    let peer = world.arrive("R9");
    world.answer(peer, pass_then([claim("hold:h", 1)], ACT));
    assert_eq!(acts(&mut world), [""; 0], "the chain has not accepted yet");
    world.answer(peer, accept([claim("name:R9", 1)]));
    assert_eq!(acts(&mut world), [ACT]);
    assert_eq!(world.report().claims, 4, "held: server, room, hold, name");
    assert!(world.grant(peer).is_none());
    done(&mut world, peer, ACT);
    let asked = world.asked(peer).unwrap();
    assert_eq!((asked.slot, asked.why), (SlotId(0), Why::Evidence));
    assert_eq!(
        &*asked.facts[0].question.name, ACT,
        "the one who named it hears"
    );
    world.answer(peer, pass_then([claim("hold:h", 1)], ACT));
    assert_eq!(acts(&mut world), [""; 0], "once");
    world.accepted(peer);
    assert_eq!(undone(&mut world), [""; 0]);
    world.close();
}

#[test]
fn acts_of_several_policies_run_one_after_another_in_the_order_of_the_chain() {
    let mut world = World::new(|_| {});
    world.policies(&[("one", FailMode::Closed), ("two", FailMode::Closed)]);
    let peer = world.arrive("R9");
    world.answer(peer, pass_then([], "first"));
    world.answer(peer, then(accept([]), "second"));
    assert_eq!(acts(&mut world), ["first"]);
    done(&mut world, peer, "first");
    world.answer(peer, pass([]));
    assert_eq!(acts(&mut world), ["second"]);
    done(&mut world, peer, "second");
    assert_eq!(world.asked(peer).unwrap().slot, SlotId(1));
    world.answer(peer, accept([]));
    world.accepted(peer);
    world.close();
}

#[test]
fn no_act_runs_for_a_request_that_does_not_get_in() {
    let full = || claim("gate", 0);
    for last in [
        reject("no"),
        wait([full()]),
        accept([full()]),
        then(accept([full()]), "second"),
        accept_or_wait([full()], "soon"),
    ] {
        let mut world = World::new(|_| {});
        world.policies(&[("fleet", FailMode::Closed), ("names", FailMode::Closed)]);
        let peer = world.arrive("R9");
        world.answer(peer, pass_then([], ACT));
        world.answer(peer, last);
        assert_eq!(acts(&mut world), [""; 0]);
        world.close();
    }
}

#[test]
fn the_policy_may_still_refuse_once_it_knows_how_its_act_went() {
    for (answer, undo) in [
        (FactAnswer::Missing, vec![]),
        (FactAnswer::Unavailable("down".into()), vec![]),
        (FactAnswer::Found([].into()), vec![ACT]),
    ] {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        world.answer(peer, then(accept([]), ACT));
        came_to(&mut world, peer, ACT, answer);
        world.answer(peer, reject("no-session"));
        assert_eq!(world.refused(peer).as_deref(), Some("no-session"));
        assert_eq!(world.report().claims, 0);
        assert_eq!(undone(&mut world), undo, "what was done in vain is undone");
        world.close();
    }
}

type End = fn(&mut World, RequestId);

/// How a request can go while its act is out, or done and not yet confirmed.
const ENDINGS: [(&str, End); 4] = [
    ("cancelled", World::leave),
    ("dropped", World::drop_peer),
    ("timed out", |world, _| world.advance(10_000)),
    ("drained", |world, _| world.handle(Input::Drain)),
];

#[test]
fn an_act_that_answers_after_its_request_ended_is_undone_if_it_was_done() {
    for (how, end) in ENDINGS {
        for (answer, undo) in [
            (FactAnswer::Found([].into()), vec![ACT]),
            (FactAnswer::Missing, vec![]),
            (FactAnswer::Unavailable("down".into()), vec![]),
        ] {
            let mut world = World::new(|_| {});
            let peer = world.arrive("R9");
            world.answer(peer, then(accept([]), ACT));
            end(&mut world, peer);
            assert_eq!(world.report().claims, 0, "{how}: nothing stays held");
            came_to(&mut world, peer, ACT, answer.clone());
            assert_eq!(undone(&mut world), undo, "{how}");
            came_to(&mut world, peer, ACT, answer);
            assert_eq!(undone(&mut world), [""; 0], "{how}: once");
            world.close();
        }
    }
}

#[test]
fn an_act_that_was_done_is_undone_if_its_request_ends_before_its_policy_confirms() {
    for (how, end) in ENDINGS {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        world.answer(peer, then(accept([]), ACT));
        done(&mut world, peer, ACT);
        end(&mut world, peer);
        assert_eq!(undone(&mut world), [ACT], "{how}");
        world.close();
    }
}

#[test]
fn an_act_of_a_waiter_is_undone_if_its_policy_then_says_wait() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, then(accept([]), ACT));
    done(&mut world, peer, ACT);
    world.answer(peer, wait([claim("gate", 0)]));
    assert_eq!(world.state(peer), Some("waiting"));
    assert_eq!(undone(&mut world), [ACT]);
    world.close();
}

#[test]
fn an_act_is_for_the_option_that_was_held_when_it_began() {
    let mut world = World::new(|_| {});
    let blocker = world.arrive("blocker");
    world.answer(blocker, accept([claim("red", 1)]));
    world.policies(&[("fleet", FailMode::Closed), ("last", FailMode::Closed)]);
    let peer = world.arrive("R9");
    world.answer(peer, pass_then([], ACT));
    let option = |key: &str| Admission {
        claims: vec![claim(key, 1)],
        ..Admission::default()
    };
    world.answer(
        peer,
        Decision::Accept(Acceptance {
            options: vec![option("red"), option("blue")],
            ..Acceptance::default()
        }),
    );
    world.leave(blocker);
    done(&mut world, peer, ACT);
    world.answer(peer, pass([]));
    world.accepted(peer);
    let taken = |key| world.core.taken_view().taken(&Key::bare(key));
    assert_eq!((taken("red"), taken("blue")), (0, 1));
    world.close();
}

#[test]
fn a_question_asked_after_an_act_is_not_undone() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, then(accept([]), ACT));
    came_to(&mut world, peer, ACT, FactAnswer::Missing);
    world.answer(
        peer,
        Decision::Ask(Inquiry {
            questions: vec![question("why")],
            hold: vec![],
        }),
    );
    world.leave(peer);
    done(&mut world, peer, "why");
    assert_eq!(undone(&mut world), [""; 0]);
    world.close();
}

#[test]
fn an_act_that_is_still_out_when_its_waiter_is_decided_anew_is_not_done_twice() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, wait([]));
    world.answer(peer, then(accept([]), ACT));
    assert_eq!(acts(&mut world), [ACT]);
    world.advance(10_000);
    assert_eq!(world.state(peer), Some("waiting"), "the offer timed out");
    world.advance(1_000);
    world.answer(peer, then(accept([]), ACT));
    assert_eq!(acts(&mut world), [""; 0], "it is being done");
    done(&mut world, peer, ACT);
    assert_eq!(undone(&mut world), [""; 0]);
    world.answer(peer, accept([]));
    world.accepted(peer);
    world.close();
}

#[test]
fn a_fault_once_the_act_is_done_is_what_the_policy_says_it_is() {
    for (fail, told) in [
        (FailMode::Open, None),
        (FailMode::Closed, Some("policy-fault")),
    ] {
        let mut world = World::new(|_| {});
        world.policies(&[("fleet", fail)]);
        let peer = world.arrive("R9");
        world.answer(peer, then(accept([]), ACT));
        done(&mut world, peer, ACT);
        world.fault(peer);
        assert_eq!(world.refused(peer).as_deref(), told);
        assert_eq!(undone(&mut world).len(), usize::from(told.is_some()));
        world.close();
    }
}
