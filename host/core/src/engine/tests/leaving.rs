//! Who leaves while something is found out or done for it: nobody goes on with it, and what was done is
//! undone.

use super::world::{World, accept, ask, claim, pass, reject, then, wait};
use crate::*;

const QUESTION: &str = "hold";
const ACT: &str = "claim-session";

fn found() -> FactAnswer {
    FactAnswer::Found([].into())
}

#[test]
fn a_question_is_wanted_until_the_decision_is_over_that_asked_it() {
    type End = fn(&mut World, RequestId);
    let ends: [(&str, End); 6] = [
        ("cancelled", World::leave),
        ("dropped", World::drop_peer),
        ("timed out", |world, _| world.advance(10_000)),
        ("drained", |world, _| world.handle(Input::Drain)),
        ("refused", |world, peer| {
            world.learn(peer, QUESTION, found());
            world.answer(peer, reject("no"));
        }),
        ("waiting", |world, peer| {
            world.learn(peer, QUESTION, found());
            world.answer(peer, wait([]));
        }),
    ];
    for (how, end) in ends {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        world.answer(peer, ask(&[QUESTION]));
        assert!(world.wanted[0].still(), "{how}");
        end(&mut world, peer);
        assert!(!world.wanted[0].still(), "{how}");
        world.close();
    }
}

#[test]
fn an_act_is_wanted_whatever_becomes_of_its_request() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, then(accept([]), ACT));
    world.leave(peer);
    assert!(
        world.wanted[0].still(),
        "it may be done, and then is undone"
    );
    world.learn(peer, ACT, found());
    assert_eq!(world.compensations.len(), 1);
    world.close();
}

type Step = fn(&mut World, RequestId);

/// The life of a request that two policies decide about, one with a question and one with an act: what
/// happens, and what it stands at after.
const PHASES: [(&str, Step); 7] = [
    ("knocked", |_, _| {}),
    ("asked about", |world, peer| world.submit(peer, "R9")),
    ("evidence is out", |world, peer| {
        world.answer(peer, ask(&[QUESTION]));
    }),
    ("asked about with evidence", |world, peer| {
        world.learn(peer, QUESTION, found());
    }),
    ("the next policy is asked", |world, peer| {
        world.answer(peer, pass([claim("player:p", 1)]));
    }),
    ("the act is out", |world, peer| {
        world.answer(peer, then(accept([claim("seat", 1)]), ACT));
    }),
    ("the act is done and its policy asked", |world, peer| {
        world.learn(peer, ACT, found());
    }),
];

#[test]
fn whoever_goes_in_any_phase_leaves_nothing_and_only_what_was_done_is_undone() {
    let ends: [(&str, Step, Option<&str>); 5] = [
        ("leaves", World::leave, None),
        ("drops", World::drop_peer, None),
        (
            "breaks the protocol",
            |world, request| {
                let how = Departure::ProtocolError;
                world.handle(Input::Gone { request, how });
            },
            None,
        ),
        (
            "is drained",
            |world, _| world.handle(Input::Drain),
            Some("shutting-down"),
        ),
        (
            "takes too long",
            |world, _| world.advance(30_000),
            Some("approval-timeout"),
        ),
    ];
    let answers = [
        found(),
        FactAnswer::Missing,
        FactAnswer::Unavailable("down".into()),
    ];
    for (how, end, told) in ends {
        for (last, (phase, _)) in PHASES.iter().enumerate() {
            for late in &answers {
                let case = format!("{how} when {phase}, and the act comes to {late:?}");
                let mut world = World::new(|_| {});
                world.policies(&[("tickets", FailMode::Closed), ("session", FailMode::Closed)]);
                let peer = world.knock();
                for (_, step) in &PHASES[..=last] {
                    step(&mut world, peer);
                }
                let (done, out) = (last == 6, last == 5);
                end(&mut world, peer);
                let told = match (how, last) {
                    ("takes too long", 0) => Some("session-timeout"),
                    _ => told,
                };
                assert_eq!(world.refused(peer).as_deref(), told, "{case}");
                assert_eq!(world.report().claims, 0, "{case}");
                assert_eq!(world.state(peer), None, "{case}");
                assert_eq!(world.core.is_empty(), !out, "{case}: an act is still out");
                assert_eq!(world.compensations.len(), usize::from(done), "{case}");
                // What was asked or is being done comes to an end all the same; and once more, by mistake.
                for _ in 0..2 {
                    world.learn(peer, QUESTION, found());
                    world.learn(peer, ACT, late.clone());
                }
                let undone = done || out && *late == found();
                assert_eq!(world.compensations.len(), usize::from(undone), "{case}");
                assert!(world.core.is_empty(), "{case}");
                let mut asks = std::mem::take(&mut world.asks).into_iter();
                assert!(asks.all(|ask| !ask.wanted.still()), "{case}");
                world.close();
            }
        }
    }
}

#[test]
fn who_leaves_once_it_is_in_has_its_act_for_good() {
    let mut world = World::new(|_| {});
    world.policies(&[("tickets", FailMode::Closed), ("session", FailMode::Closed)]);
    let peer = world.knock();
    for (_, step) in &PHASES {
        step(&mut world, peer);
    }
    world.answer(peer, accept([claim("seat", 1)]));
    world.accepted(peer);
    world.leave(peer);
    assert_eq!(
        world.compensations,
        [],
        "the session's end is not its undoing"
    );
    assert!(world.core.is_empty());
    world.close();
}
