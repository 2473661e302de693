//! What a module does costs the call that it was asked in, and nothing else.

use super::bench::{Bench, PATIENCE, accepted, module_file};
use crate::*;
use std::time::{Duration, Instant};
use usher_core::*;

/// Every way to fail, its kind and what the operator reads.
const FAILURES: &[(&str, FaultKind, &str)] = &[
    (
        "panic-a",
        FaultKind::Trap,
        "panicked: told to panic by panic-a",
    ),
    (
        "trap",
        FaultKind::Trap,
        "trapped: wasm `unreachable` instruction executed",
    ),
    (
        "loop",
        FaultKind::Deadline,
        "ran past its deadline of 500 ms",
    ),
    (
        "loophost",
        FaultKind::Deadline,
        "ran past its deadline of 500 ms",
    ),
    ("bomb", FaultKind::Memory, "wanted "),
    (
        "claims",
        FaultKind::BadAnswer,
        "bad answer: accept.options[0].claims has 33 entries",
    ),
    (
        "list",
        FaultKind::BadAnswer,
        "bad answer: hands over more than 1 MiB",
    ),
    (
        "long",
        FaultKind::BadAnswer,
        "bad answer: reject.text has 65537 bytes",
    ),
    ("big", FaultKind::BadAnswer, "bad answer: hands over more"),
    ("badutf", FaultKind::BadAnswer, "bad answer: invalid utf-8"),
    (
        "empty",
        FaultKind::BadAnswer,
        "bad answer: accept.options has 0 entries",
    ),
    (
        "nocode",
        FaultKind::BadAnswer,
        "bad answer: reject.code has 0 bytes",
    ),
    (
        "nokey",
        FaultKind::BadAnswer,
        "bad answer: accept.options[0].claims[0].key.namespace has 0",
    ),
];

#[test]
fn every_failure_has_a_kind_and_a_message_and_the_next_call_is_well() {
    let bench = Bench::of("faulty");
    for &(name, kind, says) in FAILURES {
        let fault = bench.fault(name);
        assert_eq!(fault.kind, kind, "{name}: {}", fault.message);
        assert!(fault.message.starts_with(says), "{name}: {}", fault.message);
        assert_eq!(
            fault.message.lines().count(),
            1,
            "{name}: {}",
            fault.message
        );
        assert_eq!(bench.accepted("R9").claims.len(), 2, "after {name}");
    }
    let status = bench.status();
    assert_eq!(status.faults, FAILURES.len() as u64);
    assert_eq!(status.calls, 2 * status.faults);
}

#[test]
fn a_stack_without_end_is_cut_off() {
    let bench = Bench::of("faulty");
    // Which of its two stacks ends first is the compiler's choice.
    let fault = bench.fault("deep");
    assert!(
        matches!(fault.kind, FaultKind::Memory | FaultKind::Trap),
        "{fault:?}"
    );
    bench.accepted("R9");
}

#[test]
fn a_chatty_module_is_cut_short_and_answers() {
    let bench = Bench::of("faulty");
    let begun = Instant::now();
    // A line of a whole MiB is just what may be handed over.
    bench.accepted("shout");
    // 100,000 lines take longer than the deadline on a slow machine; what counts is that it ends.
    let answer = bench.answer("spam");
    if let Err(fault) = answer.result {
        assert_eq!(fault.kind, FaultKind::Deadline, "{fault:?}");
    }
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn a_claim_that_never_fits_is_no_fault() {
    let bench = Bench::of("faulty");
    let option = bench.accepted("never");
    assert_eq!(option.claims[0].limit, 0);
    assert_eq!(&*option.claims[0].when_full.code, "never");
}

#[test]
fn a_deadline_is_kept() {
    let settings = SlotSettings {
        deadline: Duration::from_millis(60),
        ..SlotSettings::default()
    };
    let bench = Bench::with(Source::File(module_file("faulty")), settings, 1);
    let begun = Instant::now();
    let fault = bench.fault("loop");
    let took = begun.elapsed();
    assert_eq!(&*fault.message, "ran past its deadline of 60 ms");
    assert!(took >= Duration::from_millis(55), "{took:?}");
    // Far more than it should take, far less than for ever.
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn one_loop_does_not_hold_up_the_others() {
    let settings = SlotSettings {
        deadline: Duration::from_secs(2),
        ..SlotSettings::default()
    };
    let bench = Bench::with(Source::File(module_file("faulty")), settings, 2);
    let mut looping = bench.ask("loop");
    looping.id = AskId(1_000);
    bench.policies.submit(Job::Ask(Box::new(looping)));
    for number in 1..=100 {
        let mut ask = bench.ask("R9");
        ask.id = AskId(number);
        bench.policies.submit(Job::Ask(Box::new(ask)));
    }
    let answers: Vec<u64> = (0..101)
        .map(|_| match bench.reply() {
            Reply::Answer(answer) => answer.ask.0,
            other => panic!("no answer: {other:?}"),
        })
        .collect();
    assert_eq!(
        answers[100], 1_000,
        "all others were answered while it looped"
    );
}

#[test]
fn who_keeps_faulting_is_left_alone_for_a_while() {
    let bench = Bench::of("faulty");
    for _ in 0..20 {
        assert_eq!(bench.fault("panic").kind, FaultKind::Trap);
    }
    assert_eq!(bench.status().state, SlotState::BackingOff);
    let calls = bench.status().calls;
    assert_eq!(bench.fault("R9").kind, FaultKind::BackingOff);
    assert_eq!(bench.status().calls, calls, "it was not called");

    // A probe that faults doubles the pause.
    bench.clock.advance(Duration::from_secs(1));
    assert_eq!(bench.fault("panic").kind, FaultKind::Trap);
    bench.clock.advance(Duration::from_millis(1_999));
    assert_eq!(bench.fault("R9").kind, FaultKind::BackingOff);
    bench.clock.advance(Duration::from_millis(1));
    bench.accepted("R9");
    assert_eq!(bench.status().state, SlotState::Ok);
    assert_eq!(bench.fault("panic").kind, FaultKind::Trap);
}

#[test]
fn a_new_generation_begins_with_a_clean_slate() {
    let bench = Bench::of("faulty");
    for _ in 0..20 {
        bench.fault("panic");
    }
    bench.policies.reload("p", true).expect("loads");
    let answer = bench.answer("R9");
    assert_eq!(answer.generation, 2);
    accepted(answer);
}

#[test]
fn a_name_that_would_mislead_is_escaped_in_the_message() {
    let bench = Bench::of("faulty");
    let fault = bench.fault("panic\n\u{202e}\x1b[2J");
    let says = "panicked: told to panic by panic\\n\\u{202e}\\u{1b}[2J (at ";
    assert!(fault.message.starts_with(says), "{}", fault.message);
}
