//! Replay: the core has no chance and no clock of its own, and says with each ask what it gave.

use super::world::{World, accept, accept_or_wait, claim, reject, wait, waiting};
use crate::*;
use std::collections::BTreeSet;

/// A busy schedule; what came of it, as text.
fn play() -> String {
    let mut world = World::new(|config| config.max_players = 3);
    let mut seen = String::new();
    for round in 0..40 {
        let peer = world.arrive(&format!("p{round}"));
        let name = || claim(&format!("name:{}", round % 7), 1);
        world.serve(|ask| {
            seen.push_str(&format!("{:?} {:?} {}\n", ask.id, ask.why, ask.seed));
            match round % 5 {
                0 => accept([name()]),
                1 => accept_or_wait([name()], "soon"),
                2 => wait([name()]),
                3 => Decision::Wait(Waiting {
                    identity: Some("p".into()),
                    ..waiting([name()])
                }),
                _ => reject("no"),
            }
        });
        match round % 4 {
            0 => world.reload(),
            1 => world.drop_peer(peer),
            2 => world.advance(7_000),
            _ => world.leave(RequestId(u64::try_from(round).unwrap() / 2 + 1)),
        }
    }
    world.handle(Input::Drain);
    let rules = world.take_rules();
    seen.push_str(&format!("{:?} {rules:?}", world.decided));
    world.close();
    seen
}

#[test]
fn the_same_events_come_to_the_same_whatever_else_runs() {
    let first = play();
    assert!((0..5).all(|_| play() == first));
}

#[test]
fn every_ask_has_a_number_and_a_seed_of_its_own_and_the_moment_that_the_policy_sees() {
    let mut world = World::new(|_| {});
    let (mut numbers, mut seeds) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..50 {
        let peer = world.arrive("R9");
        world.advance(10);
        let ask = world.take_ask(peer);
        assert_eq!(world.now.since(ask.now).as_millis(), 10);
        assert!(numbers.insert(ask.id) && seeds.insert(ask.seed));
    }
    world.close();
}
