//! Who leaves while something is found out or done for it: nobody goes on with it, and what was done is
//! undone.

use super::world::{World, accept, question, reject, wait};
use crate::*;

const QUESTION: &str = "hold";
const ACT: &str = "claim-session";

fn ask() -> Decision {
    Decision::Ask(Inquiry {
        questions: vec![question(QUESTION)],
        hold: vec![],
    })
}

fn accept_then_act() -> Decision {
    match accept([]) {
        Decision::Accept(acceptance) => Decision::Accept(Acceptance {
            then: Some(question(ACT)),
            ..acceptance
        }),
        other => panic!("{other:?}"),
    }
}

fn found(world: &mut World, request: RequestId, name: &str) {
    let attempt = world.attempt(request);
    world.handle(Input::Fact {
        request,
        attempt,
        question: question(name),
        answer: FactAnswer::Found([].into()),
    });
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
            found(world, peer, QUESTION);
            world.answer(peer, reject("no"));
        }),
        ("waiting", |world, peer| {
            found(world, peer, QUESTION);
            world.answer(peer, wait([]));
        }),
    ];
    for (how, end) in ends {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        world.answer(peer, ask());
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
    world.answer(peer, accept_then_act());
    world.leave(peer);
    assert!(
        world.wanted[0].still(),
        "it may be done, and then is undone"
    );
    found(&mut world, peer, ACT);
    assert_eq!(world.compensations.len(), 1);
    world.close();
}
