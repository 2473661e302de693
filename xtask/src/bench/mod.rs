//! Measurements that anyone can repeat: a release build of the host, a generator of load beside it, and
//! figures with the lines that they have to reach.

mod evidence;
mod meter;
mod pending;
mod phase;
mod site;
mod verdict;

use clap::Subcommand;

use crate::process::Outcome;
use crate::workspace::Workspace;

/// What can be measured.
#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Players' round trips, and the host's memory, while thousands wait and others flood the door
    Pending(pending::Options),
    /// Decisions about join tickets, when each waits for its evidence
    Evidence(evidence::Options),
}

/// Runs one.
pub(crate) fn run(workspace: &Workspace, bench: &Bench) -> Outcome {
    match bench {
        Bench::Pending(options) => pending::run(workspace, options),
        Bench::Evidence(options) => evidence::run(workspace, options),
    }
}
