//! Ordinary calls.

use super::bench::{Bench, accepted, module_file, settings};
use crate::*;
use std::sync::Arc;
use std::time::Duration;
use usher_core::*;

fn waiter(name: &str, position: u32) -> Waiter {
    Waiter {
        request: RequestId(u64::from(position)),
        lane: "main".into(),
        position,
        lane_length: 9,
        waited: Duration::from_secs(1),
        estimate: None,
        identity: None,
        name: Some(name.into()),
        door: "d".into(),
        room: sample::room(),
    }
}

fn status_of(bench: &Bench, waiters: Vec<Waiter>) -> AskStatus {
    AskStatus {
        id: AskId(7),
        slot: SlotId(0),
        snapshot: bench.snapshot(),
        waiters,
        now: Moment::ZERO,
        seed: 1,
        deadline: Moment::from_millis(u64::MAX),
    }
}

fn over(bench: &Bench, name: &str) -> Over {
    Over {
        id: AskId(8),
        slot: SlotId(0),
        snapshot: bench.snapshot(),
        request: sample::request(name).without_payload().into(),
        room: sample::room(),
        max_players: 4,
        host: [].into(),
        server_closed: None,
        attempt: 1,
        waited: Duration::ZERO,
        how: Ending::Accepted(SessionId(3)),
        now: Moment::ZERO,
        seed: 1,
    }
}

#[test]
fn a_request_is_answered_with_a_verdict() {
    let bench = Bench::of("rtyp");
    let answer = bench.answer("R9");
    assert_eq!((answer.ask, answer.generation), (AskId(1), 1));
    let option = accepted(answer);
    assert_eq!(option.identity.as_deref(), Some("R9"));
    assert!(!option.identity_proven);
    let full = Reason {
        number: Some(1),
        ..Reason::new("server-full", "The game already has 4 players")
    };
    let slot = Claim::new(Key::bare("slot"), 4, full).with_lowest_index();
    assert_eq!(option.claims[0], slot);
    assert_eq!(option.claims[1].key, Key::of("name", "R9"));
}

#[test]
fn a_closed_room_is_told_with_its_reason() {
    let bench = Bench::of("rtyp");
    let mut ask = bench.ask("R9");
    ask.room.closed = Some(Reason::new("busy", "Round 3 is on"));
    let decision = bench.answer_to(ask).result.expect("a verdict").decision;
    let expected = Reason {
        number: Some(5),
        ..Reason::new("game-started", "Round 3 is on")
    };
    assert_eq!(decision, Decision::Reject(expected));
}

#[test]
fn params_are_those_of_the_pin() {
    let params = |greeting: &str| SlotSettings {
        params: Params::from([("greeting".to_owned(), greeting.to_owned())]),
        ..settings()
    };
    let bench = Bench::with(Source::File(module_file("rtyp")), params("hello"), 1);
    let before = bench.ask("R9");
    assert!(bench.policies.configure("p", params("welcome")));
    assert!(!bench.policies.configure("q", params("")));
    assert_eq!(&*accepted(bench.answer_to(before)).config, b"hello");
    assert_eq!(&*bench.accepted("R9").config, b"welcome");
}

#[test]
fn questions_facts_and_what_is_held_make_the_round() {
    let bench = Bench::of("asker");
    let Ok(Decision::Ask(inquiry)) = bench.answer("R9").result.map(|verdict| verdict.decision)
    else {
        panic!("asks nothing");
    };
    assert_eq!(&*inquiry.questions[0].name, "verify");
    let mut ask = bench.ask("R9");
    ask.why = Why::Evidence;
    ask.facts = vec![Fact {
        question: inquiry.questions[0].clone(),
        answer: FactAnswer::Found((*b"yes").into()),
        learned: Moment::ZERO,
    }];
    assert_eq!(&*accepted(bench.answer_to(ask)).config, b"yes");

    let mut ask = bench.ask("only");
    ask.held = vec![HeldUnit {
        key: Key::bare("slot"),
        index: Some(2),
    }];
    assert_eq!(&*accepted(bench.answer_to(ask)).config, b"2");
}

#[test]
fn an_act_rides_on_the_acceptance() {
    let bench = Bench::of("asker");
    let Ok(Decision::Accept(acceptance)) =
        bench.answer("act").result.map(|verdict| verdict.decision)
    else {
        panic!("not accepted");
    };
    assert_eq!(&*acceptance.then.expect("an act").name, "claim-session");
}

#[test]
fn every_waiter_has_a_text_or_keeps_the_last() {
    let bench = Bench::of("waiter");
    let ask = status_of(&bench, vec![waiter("R9", 1), waiter("mute", 2)]);
    bench.policies.submit(Job::Status(Box::new(ask)));
    let expected = Reply::Status {
        ask: AskId(7),
        result: Ok(vec![Some((*b"1 of 9").into()), None]),
    };
    assert_eq!(bench.reply(), expected);

    let ask = status_of(&bench, vec![waiter("R9", 1), waiter("bad", 2)]);
    bench.policies.submit(Job::Status(Box::new(ask)));
    let Reply::Status { result, .. } = bench.reply() else {
        panic!("no status");
    };
    let fault = result.expect_err("a panic");
    let says = "panicked: told to panic over the status by bad (at ";
    assert!(fault.message.starts_with(says), "{}", fault.message);
}

#[test]
fn an_ending_is_told_and_a_fault_then_changes_nothing() {
    let bench = Bench::of("faulty");
    for name in ["R9", "endpanic"] {
        bench
            .policies
            .submit(Job::Over(Box::new(over(&bench, name))));
        let expected = Reply::Over {
            ask: AskId(8),
            commands: Vec::new(),
        };
        assert_eq!(bench.reply(), expected);
    }
    let status = bench.status();
    assert_eq!((status.calls, status.faults), (2, 1));
    let last = status.last_error.expect("an error");
    let says = "panicked: told to panic at the end by endpanic (at ";
    assert!(last.starts_with(says), "{last}");
}

#[test]
fn a_policy_that_has_no_use_for_endings_is_told_of_one() {
    let bench = Bench::of("marked");
    let expected = || Reply::Over {
        ask: AskId(8),
        commands: Vec::new(),
    };
    let job = || Job::Over(Box::new(over(&bench, "R9")));
    for _ in 0..3 {
        bench.policies.submit(job());
        assert_eq!(bench.reply(), expected());
    }
    assert_eq!(bench.policies.at_once(job()).ok(), Some(expected()));
    assert_eq!(bench.status().calls, 1);
}

#[test]
fn an_ask_that_nobody_waits_for_is_skipped() {
    let bench = Bench::of("open");
    let mut late = bench.ask("late");
    late.id = AskId(2);
    late.deadline = Moment::from_millis(super::bench::BEGIN);
    bench.policies.submit(Job::Ask(Box::new(late)));
    assert_eq!(bench.answer("R9").ask, AskId(1));
    assert_eq!(bench.status().calls, 1);
}

#[test]
fn an_ask_of_a_request_that_is_gone_is_skipped() {
    let bench = Bench::of("open");
    let mut gone = bench.ask("gone");
    let life = Arc::new(());
    gone.wanted = Wanted::with(&life);
    drop(life);
    bench.policies.submit(Job::Ask(Box::new(gone)));
    bench.answer("R9");
    assert_eq!(bench.status().calls, 1);
}

#[test]
fn endings_come_after_decisions_and_those_that_are_too_many_are_answered_at_once() {
    let source = Source::File(module_file("faulty"));
    let bench = Bench::with(source, settings(), 1);
    let submit = |id| {
        let over = Over {
            id: AskId(id),
            ..over(&bench, "R9")
        };
        bench.policies.submit(Job::Over(Box::new(over)));
    };
    // It keeps the only worker busy meanwhile.
    let looping = Job::Ask(Box::new(bench.ask("loop")));
    bench.policies.submit(looping);
    let most = crate::policies::ENDINGS as u64;
    for id in 10..10 + most {
        submit(id);
    }
    submit(9);
    let over = |reply| match reply {
        Reply::Over { ask, .. } => Some(ask),
        _ => None,
    };
    assert_eq!(over(bench.reply()), Some(AskId(9)), "one too many");
    let says = "on-ended is left out for some: it is too slow for how many requests end";
    assert_eq!(bench.status().last_error.as_deref(), Some(says));
    let first = bench.reply();
    assert!(matches!(first, Reply::Answer(_)), "{first:?}");
    for id in 10..10 + most {
        assert_eq!(over(bench.reply()), Some(AskId(id)));
    }
}

#[test]
fn asking_what_cannot_be_asked_any_more_is_a_fault_like_any_other() {
    let bench = Bench::of("asker");
    let question = match bench.answer("again").result.map(|verdict| verdict.decision) {
        Ok(Decision::Ask(mut inquiry)) => inquiry.questions.remove(0),
        other => panic!("asks nothing: {other:?}"),
    };
    let mut again = bench.ask("again");
    again.facts.push(Fact {
        question,
        answer: FactAnswer::Missing,
        learned: Moment::ZERO,
    });
    let mut ninth = bench.ask("rounds");
    ninth.rounds_left = 0;
    for (ask, says) in [
        (
            again,
            "bad answer: ask.questions[0] asks \"verify\" again, which is among the facts",
        ),
        (
            ninth,
            "bad answer: ask comes after 8 rounds, which a decision has at most",
        ),
    ] {
        let fault = bench.answer_to(ask).result.expect_err("a fault");
        assert_eq!(&*fault.message, says);
        assert_eq!(bench.status().last_error.as_deref(), Some(says));
    }
}

#[test]
fn a_snapshot_that_pins_nothing_is_a_fault() {
    let bench = Bench::of("open");
    let fault = bench
        .answer_to(sample::ask("R9"))
        .result
        .expect_err("a fault");
    assert_eq!(fault.kind, FaultKind::NotLoaded);
    let mut ask = bench.ask("R9");
    ask.slot = SlotId(9);
    let fault = bench.answer_to(ask).result.expect_err("a fault");
    assert_eq!(fault.kind, FaultKind::NotLoaded);
}

#[test]
fn the_same_inputs_give_the_same_verdict() {
    let bench = Bench::of("queue");
    let first = bench.answer("R9");
    for _ in 0..50 {
        assert_eq!(bench.answer("R9").result, first.result);
    }
}

#[test]
fn dropping_the_policies_ends_the_workers() {
    let bench = Bench::of("faulty");
    let looping = bench.ask("loop");
    bench.policies.submit(Job::Ask(Box::new(looping)));
    let Bench {
        policies, replies, ..
    } = bench;
    drop(policies);
    // The callback, and with it the sender, is gone once the last worker is.
    while replies.recv_timeout(super::bench::PATIENCE).is_ok() {}
    assert!(replies.try_recv().is_err());
}
