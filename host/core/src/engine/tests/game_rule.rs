//! Game rules: a policy of the game itself, whose refusals are told in few words and kept in its own.

use super::world::{World, accept, claim, pass, question, reject};
use crate::*;

const TOLD: &str = "refused_by_game";

/// Two policies, of which the last is a game rule.
fn ruled(change: impl FnOnce(&mut Config)) -> World {
    let mut world = World::new(change);
    world.policies(&[("tickets", FailMode::Closed), ("session", FailMode::Closed)]);
    world.slots[1].game_rule = true;
    world.reload();
    world
}

/// Arrives, and has passed the first policy.
fn passed(world: &mut World, claims: impl IntoIterator<Item = Claim>) -> RequestId {
    let peer = world.arrive("R9");
    world.answer(peer, pass(claims));
    peer
}

/// What each policy said that refused in other words than were told, of the latest decision.
fn said(world: &World) -> Vec<(&str, &str)> {
    let steps = &world.decided.last().unwrap().steps;
    let said = steps
        .iter()
        .filter_map(|step| Some((&*step.policy, step.said.as_deref()?)));
    said.collect()
}

#[test]
fn a_game_rule_refuses_in_three_words_and_what_it_said_is_kept() {
    for (code, told, kept) in [
        ("not_in_session", "not_in_session", None),
        ("server_full", "server_full", None),
        ("refused_by_game", TOLD, None),
        ("level-too-low", TOLD, Some("level-too-low")),
        ("roster_full", TOLD, Some("roster_full")),
        ("Not_In_Session", TOLD, Some("Not_In_Session")),
        ("", TOLD, Some("")),
    ] {
        let mut world = ruled(|_| {});
        let peer = passed(&mut world, []);
        let reason = Reason {
            number: Some(7),
            ..Reason::new(code, "You must be level 9.")
        };
        world.answer(peer, Decision::Reject(reason));
        assert_eq!(world.refused(peer).as_deref(), Some(told), "{code}");
        let reason = &world.reasons[&peer];
        assert_eq!(&*reason.text, "You must be level 9.");
        assert_eq!(reason.number, kept.is_none().then_some(7), "{code}");
        let kept: Vec<_> = kept.into_iter().map(|code| ("session", code)).collect();
        assert_eq!(said(&world), kept);
        world.close();
    }
}

#[test]
fn another_policy_refuses_in_its_own_words() {
    let mut world = ruled(|_| {});
    let first = world.arrive("R9");
    world.answer(first, reject("level-too-low"));
    assert_eq!(world.refused(first).as_deref(), Some("level-too-low"));
    let second = passed(&mut world, [claim("player:p", 1)]);
    world.answer(second, accept([]));
    passed(&mut world, [claim("player:p", 1)]);
    let told = world.decided.last().unwrap().outcome.clone();
    let full = Reason::new("player-full", "");
    assert_eq!(told, Outcome::Rejected(full));
    assert_eq!(said(&world), []);
    let faulted = world.arrive("R9");
    world.fault(faulted);
    assert_eq!(world.refused(faulted).as_deref(), Some("policy-fault"));
    world.close();
}

#[test]
fn the_reasons_of_its_claims_are_put_in_the_same_words() {
    let ask = |hold| {
        Decision::Ask(Inquiry {
            questions: vec![question("hold")],
            hold: vec![hold],
        })
    };
    let seat = |code: &str| Claim::new(Key::bare("seat"), 1, Reason::new(code, ""));
    for (code, told) in [("team-full", TOLD), ("server_full", "server_full")] {
        for full in [pass([seat(code)]), accept([seat(code)]), ask(seat(code))] {
            let mut world = ruled(|_| {});
            let first = passed(&mut world, []);
            world.answer(first, accept([seat("any")]));
            let second = passed(&mut world, []);
            world.answer(second, full);
            assert_eq!(world.refused(second).as_deref(), Some(told));
            let kept: &[_] = match told {
                TOLD => &[("session", "team-full")],
                _ => &[],
            };
            assert_eq!(said(&world), kept);
            world.close();
        }
    }
}

#[test]
fn a_claim_that_it_passed_and_lost_in_a_race_is_told_and_kept_as_its_own() {
    let mut world = ruled(|_| {});
    world.slots[0].game_rule = true;
    world.slots[1].game_rule = false;
    world.reload();
    let peers = [0, 1].map(|_| passed(&mut world, [claim("team:red", 1)]));
    for peer in peers {
        world.answer(peer, accept([]));
    }
    assert_eq!(world.refused(peers[0]), None);
    assert_eq!(world.refused(peers[1]).as_deref(), Some(TOLD));
    assert_eq!(said(&world), [("tickets", "team-full")]);
    world.close();
}

#[test]
fn its_fault_is_a_refusal_by_the_game_unless_it_is_to_be_passed_over() {
    for (fail, told) in [
        (FailMode::Closed, Some(TOLD)),
        (FailMode::LastGood, Some(TOLD)),
        (FailMode::Open, None),
    ] {
        let mut world = ruled(|_| {});
        world.slots[1].fail = fail;
        world.reload();
        let peer = passed(&mut world, []);
        world.fault(peer);
        if fail == FailMode::LastGood {
            world.fault(peer);
        }
        assert_eq!(world.refused(peer).as_deref(), told, "{fail:?}");
        assert_eq!(said(&world), [], "a fault has said nothing");
        world.close();
    }
    let mut world = ruled(|_| {});
    let peer = passed(&mut world, []);
    world.answer(peer, Decision::Accept(Acceptance::default()));
    assert_eq!(world.refused(peer).as_deref(), Some(TOLD), "no way in");
    world.close();
}

#[test]
fn what_the_host_itself_says_stays_as_it_is() {
    // Its own seat, a closed server, and its time.
    let mut world = ruled(|config| config.max_players = 1);
    let first = passed(&mut world, []);
    world.answer(first, accept([]));
    let full = passed(&mut world, []);
    world.answer(full, accept([claim("team:red", 4)]));
    assert_eq!(world.refused(full).as_deref(), Some("server-full"));
    let slow = passed(&mut world, []);
    world.advance(10_000);
    assert_eq!(world.refused(slow).as_deref(), Some("approval-timeout"));
    let last = passed(&mut world, []);
    world.handle(Input::Close {
        key: Key::server(),
        reason: Reason::new("stopping", ""),
    });
    let seat = Claim::new(Key::server(), 1, Reason::new("no-seat", ""));
    world.answer(last, accept([seat]));
    assert_eq!(world.refused(last).as_deref(), Some("stopping"));
    world.close();
}

#[test]
fn while_the_server_is_closed_a_game_rule_refuses_for_that_reason_whatever_it_says() {
    let stop = |world: &mut World| {
        world.handle(Input::Close {
            key: Key::server(),
            reason: Reason::new("stopping", ""),
        });
    };
    type Refuse = fn(&mut World, RequestId);
    let refusals: [(&str, Refuse, Option<&str>); 6] = [
        (
            "a word of its own",
            |it, peer| it.answer(peer, reject("level")),
            Some("level"),
        ),
        (
            "a common word",
            |it, peer| it.answer(peer, reject("not_in_session")),
            Some("not_in_session"),
        ),
        (
            "a claim",
            |it, peer| it.answer(peer, accept([claim("team:red", 0)])),
            None,
        ),
        (
            "a passed claim",
            |it, peer| it.answer(peer, pass([claim("team:red", 0)])),
            Some("team-full"),
        ),
        ("a fault", World::fault, None),
        ("nothing", |it, peer| it.answer(peer, accept([])), None),
    ];
    for (how, refuse, kept) in refusals {
        for late in [false, true] {
            let mut world = ruled(|_| {});
            let peer = world.arrive("R9");
            if !late {
                stop(&mut world);
            }
            world.answer(peer, pass([]));
            if late {
                stop(&mut world);
            }
            refuse(&mut world, peer);
            assert_eq!(
                world.refused(peer).as_deref(),
                Some("stopping"),
                "{how}, late: {late}"
            );
            let kept: Vec<_> = kept.into_iter().map(|code| ("session", code)).collect();
            assert_eq!(said(&world), kept, "{how}");
            world.close();
        }
    }
}
