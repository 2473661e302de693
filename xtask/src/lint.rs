//! The checks that cargo has tools for: format, clippy, documentation.

use crate::process::{self, Outcome};
use crate::workspace::Workspace;

/// Runs all three, and fails at the first that complains.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    process::run(workspace.cargo().args(["fmt", "--all", "--check"]))
        .map_err(|_| "the format is not rustfmt's: run `cargo fmt --all`".to_owned())?;
    let mut clippy = workspace.cargo();
    clippy.args(["clippy", "--workspace", "--all-targets"]);
    process::run(clippy.args(["--", "-D", "warnings"]))?;
    let mut doc = workspace.cargo();
    doc.args(["doc", "--workspace", "--no-deps"]);
    process::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
}
