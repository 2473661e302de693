//! Runs a stand-in for people: something that answers like a fleet's endpoint or like Discovery.

use crate::process::{self, Outcome};
use crate::workspace::Workspace;

/// Builds and runs one; it serves until it is stopped.
pub(crate) fn run(workspace: &Workspace, name: &str, args: &[String]) -> Outcome {
    let mut command = workspace.cargo();
    command.args([
        "run",
        "--quiet",
        "--package",
        "usher-stand-ins",
        "--bin",
        name,
        "--",
    ]);
    process::run(command.args(args))
}
