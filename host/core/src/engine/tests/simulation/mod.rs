//! A seeded simulation: random peers, verdicts, delays, drops, swaps and clock jumps, with every
//! invariant checked after every step.
//!
//! A failing seed says how to replay it. `USHER_SIM_SEED` runs one seed, `USHER_SIM_SEEDS` that many,
//! `USHER_SIM_STEPS` steps of each.

// A person replays a seed by hand.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod chance;
mod check;
mod operator;
mod outputs;
mod script;
mod stage;
mod verdicts;

use chance::Chance;
use stage::Stage;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn run(seed: u64, steps: u64) {
    let mut stage = Stage::new(Chance::new(seed));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..steps {
            stage.step();
            check::invariants(&stage);
        }
        stage.finish();
    }));
    if let Err(panic) = outcome {
        eprintln!(
            "the last of {} events:\n{}",
            stage.events.len(),
            stage.tail(12)
        );
        eprintln!("replay: USHER_SIM_SEED={seed} cargo test -p usher-core every_invariant_holds");
        resume_unwind(panic);
    }
}

#[test]
fn every_invariant_holds_after_every_step_of_a_random_schedule() {
    let steps = number("USHER_SIM_STEPS").unwrap_or(10_000);
    if let Some(seed) = number("USHER_SIM_SEED") {
        return run(seed, steps);
    }
    for seed in 0..number("USHER_SIM_SEEDS").unwrap_or(24) {
        run(seed, steps);
    }
}
