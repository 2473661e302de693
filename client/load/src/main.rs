//! `usher-load`: a load generator for Usher's doors, in a process of its own so that its cost is told apart
//! from the host's.
//!
//! What it says on stdout is one JSON object a line: `begin` and `end` of each phase, the latter with
//! figures. Messages to players are sent when they are due, whatever became of those before (an open loop),
//! and a round trip counts from the moment at which its message was due. Where the generator could not keep
//! up itself, `behind` says so in words: such a run measured the generator.

mod args;
mod crowd;
#[cfg(test)]
mod door;
mod flood;
mod guest;
mod pace;
mod pending;
mod players;
mod samples;
mod socket;
mod tally;
mod timers;
mod work;

use args::{Cli, Scenario};
use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let done = match Cli::parse().scenario {
        Scenario::Pending(pending) => pending::run(pending),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("usher-load: {error}");
            ExitCode::FAILURE
        }
    }
}
