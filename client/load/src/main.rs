//! `usher-load`: a load generator for Usher's doors, in a process of its own so that its cost is told apart
//! from the host's.
//!
//! What it says on stdout is one JSON object a line: `begin` and `end` of each phase, the latter with
//! figures. Messages to players are sent when they are due, whatever became of those before (an open loop),
//! and a round trip counts from the moment at which its message was due. Where the generator could not keep
//! up itself, `behind` says so in words: such a run measured the generator.
//!
//! For Linux alone: elsewhere one socket cannot speak for all of 127.0.0.0/8.

#[cfg(target_os = "linux")]
mod admissions;
#[cfg(target_os = "linux")]
mod args;
#[cfg(target_os = "linux")]
mod busy;
#[cfg(target_os = "linux")]
mod crew;
#[cfg(target_os = "linux")]
mod crowd;
#[cfg(target_os = "linux")]
#[cfg(test)]
mod door;
#[cfg(target_os = "linux")]
mod events;
#[cfg(target_os = "linux")]
mod flood;
#[cfg(target_os = "linux")]
mod guest;
#[cfg(target_os = "linux")]
mod halves;
#[cfg(target_os = "linux")]
mod joiners;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod logins;
#[cfg(target_os = "linux")]
mod messages;
#[cfg(target_os = "linux")]
mod pace;
#[cfg(target_os = "linux")]
mod pending;
#[cfg(target_os = "linux")]
mod players;
#[cfg(target_os = "linux")]
mod samples;
#[cfg(target_os = "linux")]
mod siege;
#[cfg(target_os = "linux")]
mod socket;
#[cfg(target_os = "linux")]
mod tally;
#[cfg(target_os = "linux")]
mod tickets;
#[cfg(target_os = "linux")]
mod timers;
#[cfg(target_os = "linux")]
mod work;

#[cfg(target_os = "linux")]
use args::{Cli, Scenario};
#[cfg(target_os = "linux")]
use clap::Parser as _;
use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("usher-load: this runs on Linux alone");
    ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let done = match Cli::parse().scenario {
        Scenario::Admissions(admissions) => admissions::run(&admissions),
        Scenario::Pending(pending) => pending::run(pending),
        Scenario::Logins(logins) => logins::run(&logins),
        Scenario::Messages(messages) => messages::run(&messages),
        Scenario::Mint(mint) => tickets::mint(&mint),
        Scenario::Flood(siege) => siege::run(&siege),
        Scenario::Tickets(tickets) => tickets::run(&tickets),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("usher-load: {error}");
            ExitCode::FAILURE
        }
    }
}
