//! The chain: who is asked, in which order, and what their verdicts come to together.

use super::world::{World, accept, claim, pass, reject, wait};
use crate::*;

const CLOSED: FailMode = FailMode::Closed;

fn chain(names: &[&str]) -> World {
    let mut world = World::new(|_| {});
    let slots: Vec<_> = names.iter().map(|name| (*name, CLOSED)).collect();
    world.policies(&slots);
    world
}

/// Which policy is asked about a request now.
fn asked(world: &World, id: RequestId) -> Option<u16> {
    world.asked(id).map(|ask| ask.slot.0)
}

#[test]
fn policies_are_asked_in_order_one_at_a_time_until_one_decides() {
    for (last, told) in [
        (accept([]), "accepted 1"),
        (reject("no"), "refused no"),
        (wait([claim("gate", 0)]), "waiting"),
    ] {
        let mut world = chain(&["first", "second", "third"]);
        let peer = world.arrive("R9");
        assert_eq!(asked(&world, peer), Some(0));
        world.answer(peer, pass([]));
        assert_eq!(asked(&world, peer), Some(1));
        world.answer(peer, last);
        assert_eq!(asked(&world, peer), None, "the third is never asked");
        let how = world.state(peer).map(str::to_owned);
        let how = how.unwrap_or_else(|| world.take_told(peer).remove(0));
        assert_eq!(how, told);
        world.close();
    }
}

#[test]
fn all_pass_is_accept_with_what_was_gathered() {
    let mut world = chain(&["first", "second"]);
    let peer = world.arrive("R9");
    world.answer(peer, pass([claim("name:R9", 1)]));
    world.answer(peer, pass([claim("class:humans", 2)]));
    world.accepted(peer);
    // Server, room, name and class.
    assert_eq!(world.report().claims, 4);
    world.close();
}

#[test]
fn an_empty_chain_lets_nobody_in() {
    let mut world = chain(&[]);
    let peer = world.arrive("R9");
    assert_eq!(world.refused(peer).as_deref(), Some("policy-fault"));
    world.close();
}

#[test]
fn a_passed_claim_is_tested_at_once_and_a_full_one_ends_the_chain_with_its_reason() {
    let mut world = chain(&["names", "last"]);
    let first = world.arrive("R9");
    world.answer(first, pass([claim("name:R9", 1)]));
    world.answer(first, accept([]));
    let second = world.arrive("R9");
    world.answer(second, pass([claim("name:R9", 1)]));
    assert_eq!(world.refused(second).as_deref(), Some("name-full"));
    assert_eq!(
        asked(&world, second),
        None,
        "the last is not asked any more"
    );
    world.close();
}

#[test]
fn a_passed_claim_is_tested_and_not_taken_until_the_chain_has_decided() {
    let mut world = chain(&["names", "last"]);
    let peers = ["a", "b"].map(|name| {
        let peer = world.arrive(name);
        world.answer(peer, pass([claim("name:R9", 1)]));
        peer
    });
    assert_eq!(world.report().claims, 0, "tested, not taken");
    for peer in peers {
        world.answer(peer, accept([]));
    }
    world.accepted(peers[0]);
    assert_eq!(world.refused(peers[1]).as_deref(), Some("name-full"));
    world.close();
}

#[test]
fn claims_of_one_key_by_several_policies_are_one_unit_of_the_lowest_limit() {
    let mut world = chain(&["wide", "narrow"]);
    let verdicts = |world: &mut World| {
        let peer = world.arrive("R9");
        world.answer(peer, pass([claim("class:humans", 9)]));
        if world.asked(peer).is_some() {
            let mut narrow = claim("class:humans", 2);
            narrow.when_full = Reason::new("narrow", "");
            world.answer(peer, accept([narrow]));
        }
        peer
    };
    for expected in [None, None, Some("narrow")] {
        let peer = verdicts(&mut world);
        assert_eq!(world.refused(peer).as_deref(), expected);
    }
    assert_eq!(world.report().claims, 2 * 3, "server, room and class each");
    world.close();
}

#[test]
fn a_rejection_of_a_later_policy_takes_nothing_of_what_earlier_ones_claimed() {
    let mut world = chain(&["names", "last"]);
    let peer = world.arrive("R9");
    world.answer(peer, pass([claim("name:R9", 1)]));
    world.answer(peer, reject("no"));
    assert_eq!(world.report().claims, 0);
    assert_eq!(world.endings(peer), ["rejected no"; 2], "both have seen it");
    world.close();
}

#[test]
fn only_policies_that_were_asked_hear_of_the_ending() {
    let mut world = chain(&["first", "second"]);
    let peer = world.arrive("R9");
    world.answer(peer, reject("no"));
    assert_eq!(world.endings(peer), ["rejected no"]);
    world.close();
}

#[test]
fn a_door_is_asked_its_own_chain() {
    let mut world = World::new(|config| {
        let mut other = config.doors[0].clone();
        other.name = "other".into();
        config.doors.push(other);
    });
    let slot = |name: &str| SlotInfo {
        name: name.into(),
        fail: CLOSED,
        recheck: false,
        game_rule: false,
    };
    world.handle(Input::Rules(std::sync::Arc::new(Snapshot {
        number: 2,
        slots: vec![slot("names"), slot("gate")],
        chains: vec![[SlotId(0), SlotId(1)].into(), [SlotId(1)].into()],
        pin: Pin(std::sync::Arc::new(())),
    })));
    for (door, first) in [(0, 0), (1, 1)] {
        let peer = world.arrive_with(DoorId(door), |_| {});
        assert_eq!(asked(&world, peer), Some(first));
        world.answer(peer, reject("no"));
    }
    let nowhere = world.arrive_with(DoorId(7), |_| {});
    assert_eq!(world.refused(nowhere).as_deref(), Some("policy-fault"));
    world.close();
}

#[test]
fn the_record_names_who_said_what_in_order() {
    let mut world = chain(&["first", "second"]);
    let peer = world.arrive("R9");
    world.answer(peer, pass([]));
    world.answer(peer, reject("no"));
    let record = world.decided.pop().unwrap();
    let steps: Vec<_> = record
        .steps
        .iter()
        .map(|step| (&*step.policy, step.verdict))
        .collect();
    assert_eq!(
        steps,
        [
            ("first", StepVerdict::Pass),
            ("second", StepVerdict::Reject)
        ]
    );
    assert_eq!(record.outcome, Outcome::Rejected(Reason::new("no", "")));
    assert_eq!((record.attempt, record.request), (1, peer));
    world.close();
}

#[test]
fn who_loses_a_race_is_told_the_same_reason_as_who_comes_too_late() {
    // What the first policy claims, what the last one claims, and which of the host's own is full besides.
    let cases: [(&str, Option<Key>, &str); 4] = [
        ("one player at a time", None, "player-full"),
        ("and a closed room", Some(Key::room("main")), "player-full"),
        ("and a full server", Some(Key::server()), "player-full"),
        ("the last policy's own", None, "name-full"),
    ];
    for (case, also, told) in cases {
        for race in [false, true] {
            let max_players = if also == Some(Key::server()) { 1 } else { 4 };
            let mut world = World::new(|config| config.max_players = max_players);
            world.policies(&[("tickets", CLOSED), ("session", CLOSED)]);
            let first_passes = |world: &mut World, peer| match told {
                "name-full" => world.answer(peer, pass([])),
                _ => world.answer(peer, pass([claim("player:p", 1)])),
            };
            let first = world.arrive("first");
            first_passes(&mut world, first);
            let mut late = None;
            if race {
                let peer = world.arrive("late");
                first_passes(&mut world, peer);
                late = Some(peer);
            }
            world.answer(first, accept([claim("name:n", 1)]));
            world.accepted(first);
            if also == Some(Key::room("main")) {
                world.handle(Input::Close {
                    key: Key::room("main"),
                    reason: Reason::new("game-started", ""),
                });
            }
            let late = late.unwrap_or_else(|| {
                let peer = world.arrive("late");
                first_passes(&mut world, peer);
                peer
            });
            if world.asked(late).is_some() {
                world.answer(late, accept([claim("name:n", 1)]));
            }
            let why = world.refused(late);
            assert_eq!(why.as_deref(), Some(told), "{case}, race: {race}");
            world.close();
        }
    }
}

#[test]
fn a_closed_room_is_told_before_a_full_server_and_that_before_what_the_accept_claims() {
    let game_started = |world: &mut World| {
        world.handle(Input::Close {
            key: Key::room("main"),
            reason: Reason::new("game-started", ""),
        });
    };
    for (closed, seats, told) in [
        (true, 1, "game-started"),
        (false, 1, "server-full"),
        (false, 2, "name-full"),
    ] {
        let mut world = World::new(|config| config.max_players = seats);
        let first = world.arrive("R9");
        world.answer(first, accept([claim("name:R9", 1)]));
        if closed {
            game_started(&mut world);
        }
        let second = world.arrive("R9");
        world.answer(second, accept([claim("name:R9", 1)]));
        assert_eq!(world.refused(second).as_deref(), Some(told));
        world.close();
    }
}
