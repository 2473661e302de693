//! Evidence: what policies ask to be found out and held, on one snapshot, in at most eight rounds.

use super::world::{World, accept, ask, claim, pass, question, reject, wait};
use crate::*;
use std::time::Duration;

const FOUND: &[u8] = b"yes";

fn hold(questions: &[&str], hold: impl IntoIterator<Item = Claim>) -> Decision {
    Decision::Ask(Inquiry {
        questions: questions.iter().map(|name| question(name)).collect(),
        hold: hold.into_iter().collect(),
    })
}

fn tell(world: &mut World, request: RequestId, name: &str, answer: FactAnswer) {
    world.learn(request, name, answer);
}

fn found() -> FactAnswer {
    FactAnswer::Found(FOUND.into())
}

#[test]
fn an_answered_question_is_a_fact_with_its_moment_and_never_changes() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, ask(&["hold", "verify"]));
    let asked: Vec<_> = world
        .lookups
        .iter()
        .map(|(_, question, kind)| (question.name.to_string(), *kind))
        .collect();
    let kind = LookupKind::Question;
    assert_eq!(
        asked,
        [("hold".to_owned(), kind), ("verify".to_owned(), kind)]
    );
    world.advance(5);
    tell(&mut world, peer, "verify", FactAnswer::Missing);
    assert!(world.asked(peer).is_none(), "one answer is still out");
    world.advance(7);
    tell(&mut world, peer, "hold", found());
    // Answered already.
    tell(&mut world, peer, "verify", found());
    let now = world.now;
    let ask_again = world.asked(peer).unwrap();
    assert_eq!((ask_again.why, ask_again.attempt), (Why::Evidence, 1));
    let facts: Vec<_> = ask_again
        .facts
        .iter()
        .map(|fact| {
            (
                &*fact.question.name,
                fact.answer.clone(),
                now.since(fact.learned),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("verify", FactAnswer::Missing, Duration::from_millis(7)),
            ("hold", found(), Duration::ZERO)
        ]
    );
    world.answer(peer, accept([]));
    world.accepted(peer);
    world.close();
}

#[test]
fn a_decision_goes_on_at_the_policy_that_asked_with_earlier_passes_kept() {
    let mut world = World::new(|_| {});
    world.policies(&[("names", FailMode::Closed), ("verify", FailMode::Closed)]);
    let peer = world.arrive("R9");
    world.answer(peer, pass([claim("name:R9", 1)]));
    world.answer(peer, ask(&["verify"]));
    tell(&mut world, peer, "verify", found());
    assert_eq!(world.asked(peer).unwrap().slot, SlotId(1));
    world.answer(peer, accept([]));
    assert_eq!(world.core.taken_view().taken(&Key::of("name", "R9")), 1);
    world.close();
}

#[test]
fn a_decision_keeps_the_snapshot_that_it_began_with() {
    let mut world = World::new(|_| {});
    world.policies(&[("first", FailMode::Closed), ("last", FailMode::Closed)]);
    let peer = world.arrive("R9");
    let began = world.asked(peer).unwrap().snapshot.number;
    world.reload();
    world.answer(peer, ask(&["verify"]));
    tell(&mut world, peer, "verify", found());
    assert_eq!(world.asked(peer).unwrap().snapshot.number, began);
    world.reload();
    world.answer(peer, pass([]));
    assert_eq!(world.asked(peer).unwrap().snapshot.number, began);
    world.answer(peer, accept([]));
    let next = world.arrive("Zed");
    assert_eq!(world.asked(next).unwrap().snapshot.number, began + 2);
    world.close();
}

#[test]
fn a_question_is_fetched_once_however_often_it_is_named() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, ask(&["verify", "verify"]));
    assert_eq!(world.lookups.len(), 1);
    tell(&mut world, peer, "verify", found());
    assert_eq!(world.why(peer), Why::Evidence);
    world.close();
}

#[test]
fn a_question_that_nobody_asked_answers_nothing() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    tell(&mut world, peer, "verify", found());
    world.answer(peer, ask(&["hold"]));
    tell(&mut world, peer, "verify", found());
    tell(&mut world, RequestId(99), "hold", found());
    assert!(world.asked(peer).is_none());
    tell(&mut world, peer, "hold", found());
    assert_eq!(world.asked(peer).unwrap().facts.len(), 1);
    world.close();
}

#[test]
fn answers_that_make_no_sense_are_faults() {
    let again = |world: &mut World, peer| {
        world.answer(peer, ask(&["verify"]));
        tell(world, peer, "verify", found());
        world.answer(peer, ask(&["hold", "verify"]));
    };
    let nothing = |world: &mut World, peer| world.answer(peer, ask(&[]));
    let nine = |world: &mut World, peer| {
        for round in 0..9 {
            let name = round.to_string();
            world.answer(peer, ask(&[&name]));
            tell(world, peer, &name, found());
        }
    };
    type Case = (&'static str, fn(&mut World, RequestId), usize);
    let cases: [Case; 3] = [
        ("an answered question again", again, 1),
        ("nothing", nothing, 0),
        ("a ninth round", nine, 8),
    ];
    for (case, play, fetched) in cases {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        play(&mut world, peer);
        assert_eq!(
            world.refused(peer).as_deref(),
            Some("policy-fault"),
            "{case}"
        );
        assert_eq!(world.lookups.len(), fetched, "{case}");
        world.close();
    }
}

#[test]
fn eight_rounds_are_allowed() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    for round in 0..8 {
        let name = round.to_string();
        world.answer(peer, ask(&[&name]));
        tell(&mut world, peer, &name, found());
    }
    world.answer(peer, accept([]));
    world.accepted(peer);
    world.close();
}

#[test]
fn asking_to_hold_without_a_question_is_answered_at_once_with_the_index() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    let slot = || claim("slot", 4).with_lowest_index();
    world.answer(peer, hold(&[], [slot()]));
    let asked = world.asked(peer).unwrap();
    assert_eq!(asked.why, Why::Evidence);
    let held = HeldUnit {
        key: Key::bare("slot"),
        index: Some(0),
    };
    assert_eq!(asked.held, [held]);
    world.answer(peer, accept([slot()]));
    assert_eq!(world.grant(peer).unwrap().number, Some(0), "the same index");
    world.close();
}

#[test]
fn what_is_held_keeps_others_out_and_goes_back_unless_the_verdict_names_it() {
    let name = || claim("name:R9", 1);
    for (verdict, kept) in [
        (accept([name()]), 1),
        (accept([]), 0),
        (reject("no"), 0),
        (wait([claim("gate", 0)]), 0),
    ] {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        world.answer(peer, hold(&["verify"], [name()]));
        let other = world.arrive("R9");
        world.answer(other, accept([name()]));
        assert_eq!(world.refused(other).as_deref(), Some("name-full"));
        tell(&mut world, peer, "verify", found());
        world.answer(peer, verdict);
        assert_eq!(world.core.taken_view().taken(&Key::of("name", "R9")), kept);
        world.close();
    }
}

#[test]
fn a_hold_that_is_full_refuses_with_its_reason() {
    let mut world = World::new(|_| {});
    let first = world.arrive("R9");
    world.answer(first, accept([claim("name:R9", 1)]));
    let second = world.arrive("R9");
    world.answer(second, hold(&["verify"], [claim("name:R9", 1)]));
    assert_eq!(world.refused(second).as_deref(), Some("name-full"));
    assert_eq!(world.lookups, [], "nothing is asked for who is out");
    world.close();
}

#[test]
fn no_hold_takes_a_seat_beyond_the_hosts_own() {
    let mut world = World::new(|config| config.max_players = 1);
    let seat = || Claim::new(Key::server(), 9, Reason::new("policy", ""));
    let (first, second) = (world.arrive("first"), world.arrive("second"));
    world.answer(first, hold(&["verify"], [seat()]));
    world.answer(second, hold(&["verify"], [seat()]));
    assert_eq!(world.refused(second).as_deref(), Some("server-full"));
    world.close();
}

#[test]
fn whoever_leaves_while_evidence_is_out_leaves_nothing_held() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, hold(&["verify"], [claim("name:R9", 1)]));
    assert_eq!(world.report().claims, 1);
    world.leave(peer);
    assert_eq!(world.report().claims, 0);
    tell(&mut world, peer, "verify", found());
    assert!(world.asked(peer).is_none());
    assert_eq!(world.compensations, [], "a question has nothing to undo");
    world.close();
}

#[test]
fn a_decision_ends_at_its_deadline_inclusively_evidence_included() {
    for (after, told) in [
        (9_999, None),
        (10_000, Some("approval-timeout")),
        (10_001, Some("approval-timeout")),
    ] {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        world.answer(peer, hold(&["verify"], [claim("name:R9", 1)]));
        world.advance(6_000);
        tell(&mut world, peer, "verify", found());
        let deadline = world.asked(peer).unwrap().deadline;
        assert_eq!(deadline.since(world.now), Duration::from_secs(4));
        world.now = world.now.after(Duration::from_millis(after - 6_000));
        world.answer(peer, accept([]));
        assert_eq!(world.refused(peer).as_deref(), told, "after {after} ms");
        assert_eq!(world.grant(peer).is_some(), told.is_none());
        world.close();
    }
}

#[test]
fn answers_that_are_late_foreign_or_repeated_are_dropped_with_their_commands() {
    let mut world = World::new(|_| {});
    let player = world.arrive("player");
    world.answer(player, accept([]));
    let session = world.accepted(player);
    let kick = || Verdict {
        decision: accept([]),
        commands: vec![Command::KickSession(session, Reason::new("foul", ""))],
    };
    // Late: its request is over.
    let gone = world.arrive("gone");
    let late = world.take_ask(gone);
    world.leave(gone);
    world.answer_ask(&late, Ok(kick()));
    // Repeated: it was answered before.
    let peer = world.arrive("peer");
    let first = world.take_ask(peer);
    world.answer_ask(&first, Ok(ask(&["verify"]).into()));
    world.answer_ask(&first, Ok(kick()));
    tell(&mut world, peer, "verify", found());
    world.answer_ask(&first, Ok(kick()));
    // Foreign: nobody ever asked that.
    let mut foreign = first.clone();
    foreign.id = AskId(u64::MAX);
    world.answer_ask(&foreign, Ok(kick()));
    assert_eq!(world.report().connected, 1, "nobody was kicked or let in");
    world.answer(peer, accept([]));
    world.accepted(peer);
    world.close();
}

#[test]
fn an_answer_of_another_kind_takes_no_ask_away() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    let ask = world.take_ask(peer);
    world.handle(Input::OverAnswer {
        ask: ask.id,
        commands: Vec::new(),
    });
    world.handle(Input::StatusTexts {
        ask: ask.id,
        result: Ok(Vec::new()),
    });
    world.answer_ask(&ask, Ok(accept([]).into()));
    world.accepted(peer);
    world.close();
}
