//! What an error of a call means.

use crate::imports::bucket::NoBucket;
use crate::limits::OverLimit;
use crate::translate::bound::Breach;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Fault, FaultKind};
use wasmtime::Trap;

/// The longest message of a fault, in bytes.
const LONGEST: usize = 1_200;

/// A fault with a message.
pub(crate) fn fault(kind: FaultKind, message: impl Into<Arc<str>>) -> Fault {
    Fault {
        kind,
        message: message.into(),
    }
}

/// What a module returned breaches a bound.
pub(crate) fn bad_answer(breach: &Breach) -> Fault {
    fault(FaultKind::BadAnswer, format!("bad answer: {breach}"))
}

/// A call failed. `last_words` is what the module said before, escaped.
pub(crate) fn of_call(
    error: &wasmtime::Error,
    last_words: Option<String>,
    deadline: Duration,
) -> Fault {
    if let Some(over) = error.downcast_ref::<OverLimit>() {
        return fault(FaultKind::Memory, over.to_string());
    }
    if let Some(breach) = error.downcast_ref::<Breach>() {
        return bad_answer(breach);
    }
    if let Some(missing) = error.downcast_ref::<NoBucket>() {
        return fault(FaultKind::BadAnswer, missing.to_string());
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => {
            let message = format!("ran past its deadline of {} ms", deadline.as_millis());
            fault(FaultKind::Deadline, message)
        }
        Some(Trap::StackOverflow) => fault(FaultKind::Memory, "used up its stack"),
        Some(trap) => fault(
            FaultKind::Trap,
            match (last_words, trap) {
                (Some(words), _) => format!("panicked: {words}"),
                // The compiler puts the stack of values below the data.
                (None, Trap::MemoryOutOfBounds) => {
                    "trapped: out of bounds memory access, as when the stack is used up".to_owned()
                }
                (None, trap) => format!("trapped: {}", without_prefix(&trap.to_string())),
            },
        ),
        None => {
            let cause = shortened(&error.root_cause().to_string());
            // Only told in words.
            if cause.contains("fuel allocated for hostcalls") {
                let message = "bad answer: hands over more than 1 MiB at once";
                return fault(FaultKind::BadAnswer, message);
            }
            fault(FaultKind::BadAnswer, format!("bad answer: {cause}"))
        }
    }
}

/// An instance could not be made.
pub(crate) fn of_start(error: &wasmtime::Error, deadline: Duration) -> Fault {
    if error.is::<OverLimit>() || error.is::<Trap>() {
        return of_call(error, None, deadline);
    }
    let cause = shortened(&error.root_cause().to_string());
    fault(FaultKind::Memory, format!("can't be instantiated: {cause}"))
}

fn without_prefix(trap: &str) -> &str {
    trap.strip_prefix("wasm trap: ").unwrap_or(trap)
}

fn shortened(message: &str) -> String {
    crate::escape::escaped(message, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_its_kind() {
        let over = OverLimit::Table { wanted: 100_001 };
        let breach = Breach::new("ledger.taken: key", "is bad");
        for (error, words, kind, says) in [
            (
                wasmtime::Error::from(over),
                None,
                FaultKind::Memory,
                "wanted 100001",
            ),
            (
                breach.into(),
                None,
                FaultKind::BadAnswer,
                "bad answer: ledger",
            ),
            (
                Trap::Interrupt.into(),
                None,
                FaultKind::Deadline,
                "ran past its deadline of 20 ms",
            ),
            (
                Trap::StackOverflow.into(),
                None,
                FaultKind::Memory,
                "used up its stack",
            ),
            (
                Trap::UnreachableCodeReached.into(),
                Some("no"),
                FaultKind::Trap,
                "panicked: no",
            ),
            (
                Trap::IntegerDivisionByZero.into(),
                None,
                FaultKind::Trap,
                "trapped: integer divide by zero",
            ),
            (
                wasmtime::Error::msg("not\nutf-8"),
                None,
                FaultKind::BadAnswer,
                "bad answer: not\\nutf-8",
            ),
        ] {
            let fault = of_call(&error, words.map(str::to_owned), Duration::from_millis(20));
            assert_eq!(fault.kind, kind);
            assert!(fault.message.starts_with(says), "{}", fault.message);
        }
    }
}
