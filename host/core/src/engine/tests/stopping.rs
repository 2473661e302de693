//! A server that closes while someone is decided about: noticed after the evidence, after the act, and at the
//! latest at the commit.

use super::world::{World, accept, ask, claim, pass, reject, then};
use crate::*;

const QUESTION: &str = "hold";
const ACT: &str = "claim-session";

fn found() -> FactAnswer {
    FactAnswer::Found([].into())
}

fn stop(world: &mut World) {
    world.handle(Input::Close {
        key: Key::server(),
        reason: Reason::new("stopping", "The server is stopping."),
    });
}

/// As the policy that is asked sees it.
fn closed(world: &World, peer: RequestId) -> Option<String> {
    let closed = world.asked(peer).unwrap().server_closed.as_ref();
    closed.map(|reason| reason.code.to_string())
}

/// Two policies, of which the last is a game rule.
fn world() -> World {
    let mut world = World::new(|_| {});
    world.policies(&[("tickets", FailMode::Closed), ("session", FailMode::Closed)]);
    world.slots[1].game_rule = true;
    world.reload();
    world
}

type Step = fn(&mut World, RequestId);

/// What is left to happen to a request that has arrived, until it is in.
const STEPS: [Step; 6] = [
    |world, peer| world.answer(peer, ask(&[QUESTION])),
    |world, peer| world.learn(peer, QUESTION, found()),
    |world, peer| world.answer(peer, pass([claim("player:p", 1), claim("hold:h", 2)])),
    |world, peer| world.answer(peer, then(accept([]), ACT)),
    |world, peer| world.learn(peer, ACT, found()),
    |world, peer| world.answer(peer, accept([])),
];

#[test]
fn a_policy_sees_that_the_server_closed_while_evidence_or_an_act_was_out() {
    // Closed before this step; the next ask is the first to tell.
    for (before, tells_after) in [(0, 1), (1, 1), (2, 2), (4, 4)] {
        let mut world = world();
        let peer = world.arrive("R9");
        for (number, step) in STEPS.iter().enumerate() {
            if number == before {
                stop(&mut world);
            }
            step(&mut world, peer);
            if number == tells_after {
                assert_eq!(
                    closed(&world, peer).as_deref(),
                    Some("stopping"),
                    "{before}"
                );
                break;
            }
        }
        world.answer(peer, reject("stopping"));
        assert_eq!(world.refused(peer).as_deref(), Some("stopping"), "{before}");
        assert_eq!(world.compensations.len(), usize::from(tells_after == 4));
        world.close();
    }
}

#[test]
fn whenever_the_server_closes_before_the_commit_nobody_gets_in_even_if_no_policy_looks() {
    for before in 0..STEPS.len() {
        let mut world = world();
        let peer = world.arrive("R9");
        for (number, step) in STEPS.iter().enumerate() {
            if number == before {
                stop(&mut world);
            }
            if world.refused(peer).is_none() {
                step(&mut world, peer);
            }
        }
        let reason = &world.reasons[&peer];
        assert_eq!(
            (&*reason.code, &*reason.text),
            ("stopping", "The server is stopping.")
        );
        // No act is begun for who can not get in; one that was done is undone.
        assert_eq!(world.wanted.len(), 1 + usize::from(before >= 4), "{before}");
        assert_eq!(
            world.compensations.len(),
            usize::from(before >= 4),
            "{before}"
        );
        assert_eq!(world.report().claims, 0, "{before}");
        world.close();
    }
}

#[test]
fn a_server_that_opens_again_before_the_commit_lets_in_who_was_decided_about_meanwhile() {
    for before in 0..STEPS.len() - 1 {
        let mut world = world();
        let peer = world.arrive("R9");
        for (number, step) in STEPS.iter().enumerate() {
            // Closed over one step that commits nothing.
            if number == before && number != 3 {
                stop(&mut world);
            }
            step(&mut world, peer);
            world.handle(Input::Open { key: Key::server() });
        }
        world.accepted(peer);
        assert_eq!(world.compensations, []);
        world.close();
    }
}

#[test]
fn an_act_whose_answer_comes_after_the_server_closed_is_undone_only_if_it_was_done() {
    for answer in [
        found(),
        FactAnswer::Missing,
        FactAnswer::Unavailable("down".into()),
    ] {
        for verdict in [accept([]), reject("refused_by_game"), pass([])] {
            let mut world = world();
            let peer = world.arrive("R9");
            STEPS[..4].iter().for_each(|step| step(&mut world, peer));
            stop(&mut world);
            world.learn(peer, ACT, answer.clone());
            world.answer(peer, verdict);
            assert_eq!(
                world.refused(peer).as_deref(),
                Some("stopping"),
                "{answer:?}"
            );
            let undone = usize::from(answer == found());
            assert_eq!(world.compensations.len(), undone, "{answer:?}");
            world.close();
        }
    }
}
