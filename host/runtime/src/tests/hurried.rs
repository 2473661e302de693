//! Calls on the thread of whoever asks: over soon, or as if they had never begun.

use super::bench::{Bench, accepted};
use crate::*;
use std::time::Duration;
use usher_core::*;

/// Longer than a module is ever kept from being called at once.
const REST: Duration = Duration::from_secs(61);

fn job(bench: &Bench, name: &str) -> Job {
    Job::Ask(Box::new(bench.ask(name)))
}

/// What comes of a call at once. Where the machine is busy an innocent call may be given up too; then there is
/// another one, once that is forgotten.
fn at_once(bench: &Bench, name: &str) -> Answer {
    for _ in 0..1_000 {
        match bench.policies.at_once(job(bench, name)) {
            Ok(Reply::Answer(answer)) => return answer,
            Ok(other) => panic!("no answer: {other:?}"),
            Err(_) => {
                bench.clock.advance(REST);
                // A worker makes an instance where there is none.
                bench.accepted("R9");
            }
        }
    }
    panic!("{name} is never answered at once");
}

#[test]
fn a_quick_module_is_called_at_once() {
    let bench = Bench::of("faulty");
    let answer = at_once(&bench, "R9");
    assert_eq!(answer.generation, 1);
    assert_eq!(accepted(answer).claims.len(), 2);
    assert!(bench.replies.try_recv().is_err(), "nobody else answers");
}

#[test]
fn a_call_that_overruns_is_given_back_as_if_it_had_never_begun() {
    let bench = Bench::of("faulty");
    let given_back = bench.policies.at_once(job(&bench, "loop-1"));
    let Err(given_back) = given_back else {
        panic!("it never ends, and came to {given_back:?}");
    };
    let status = bench.status();
    assert_eq!((status.calls, status.faults), (0, 0));
    bench.policies.submit(given_back);
    let Reply::Answer(answer) = bench.reply() else {
        panic!("not an answer");
    };
    let fault = answer.result.expect_err("it never ends");
    assert_eq!(fault.kind, FaultKind::Deadline);
    assert!(
        fault.message.contains("500 ms"),
        "all of its time: {fault:?}"
    );
    let status = bench.status();
    assert_eq!((status.calls, status.faults), (1, 1));
    assert!(bench.replies.try_recv().is_err(), "answered once");
}

#[test]
fn a_module_that_overran_is_left_to_the_workers_for_a_while() {
    let bench = Bench::of("faulty");
    assert!(bench.policies.at_once(job(&bench, "loop-1")).is_err());
    for _ in 0..3 {
        let innocent = bench.policies.at_once(job(&bench, "R9"));
        assert!(
            innocent.is_err(),
            "so it holds nobody up again: {innocent:?}"
        );
    }
    assert_eq!(bench.accepted("R9").claims.len(), 2, "workers ask it");
    bench.clock.advance(REST);
    at_once(&bench, "R9");
}

#[test]
fn a_trap_is_an_answer_at_once() {
    let bench = Bench::of("faulty");
    let fault = at_once(&bench, "trap").result.expect_err("a trap");
    assert_eq!(fault.kind, FaultKind::Trap);
    assert_eq!(bench.status().faults, 1);
    let answer = at_once(&bench, "R9");
    assert!(answer.result.is_ok(), "the next call has another instance");
}

#[test]
fn a_module_that_is_left_alone_is_not_called_at_once() {
    let bench = Bench::of("faulty");
    while bench.status().state != SlotState::BackingOff {
        bench.fault("trap");
    }
    let faults = bench.status().faults;
    assert!(bench.policies.at_once(job(&bench, "trap")).is_err());
    assert_eq!(bench.status().faults, faults);
}
