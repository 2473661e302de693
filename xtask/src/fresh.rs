//! What `usher new` writes must test, build and load as it is, by the commands that it names.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::{self, Outcome};
use crate::toolchain::{TARGET, Toolchain};
use crate::workspace::Workspace;

/// Writes a policy and rules, tests them natively, builds them, and has the host check them.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let toolchain = Toolchain::find(workspace)?;
    let folder = workspace.target.join("fresh");
    for (name, kind) in [("my-door", None), ("my-game", Some("--rules"))] {
        let at = folder.join(name);
        if at.exists() {
            fs::remove_dir_all(&at)
                .map_err(|error| format!("cannot remove {}: {error}", at.display()))?;
        }
        let usher = workspace.usher("debug");
        process::run(Command::new(&usher).arg("new").args(kind).arg(&at))?;
        let mut test = workspace.cargo();
        test.current_dir(&at).arg("test");
        process::run(test.env("CARGO_TARGET_DIR", folder.join("native")))?;
        let mut build = toolchain.build_in(workspace, &at);
        build.arg("--release");
        process::run(build.env("CARGO_TARGET_DIR", folder.join("wasm")))?;
        process::run(Command::new(&usher).arg("check").arg(module(&folder, name)))?;
    }
    Ok(())
}

/// The file that cargo leaves.
fn module(folder: &Path, name: &str) -> std::path::PathBuf {
    let file = format!("{}.wasm", name.replace('-', "_"));
    folder.join("wasm").join(TARGET).join("release").join(file)
}
