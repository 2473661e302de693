//! What an operator might write rules in instead. Each is a workspace of its own below `bench/peers`, and is
//! built only for this.

use std::path::PathBuf;
use std::process::Command;

use super::super::super::run::Run;
use crate::process::{self, Outcome};
use crate::toolchain::{TARGET, Toolchain};

/// By how much a decision is to be faster than theirs.
pub(super) const LINES: [(&str, f64); 3] = [("LuaJIT", 1.9), ("rhai", 10.0), ("Extism", 10.0)];

/// One of them, built.
pub(super) struct Peer {
    pub(super) name: &'static str,
    pub(super) command: Command,
}

/// Builds all of them: what is not built yet takes long, a second WebAssembly engine among it. One that can't be
/// built here, such as Lua without a C compiler, is told and left out.
pub(super) fn build(run: &Run<'_>) -> Vec<Peer> {
    let mut peers = Vec::new();
    for (name, folder) in [
        ("LuaJIT", "luajit"),
        ("Lua 5.4", "lua54"),
        ("rhai", "rhai"),
        ("Extism", "extism"),
    ] {
        println!("  building {name} ...");
        match command(run, folder) {
            Ok(command) => peers.push(Peer { name, command }),
            Err(problem) => println!("  without {name}: {problem}"),
        }
    }
    peers
}

fn command(run: &Run<'_>, folder: &str) -> Outcome<Command> {
    let mut command = Command::new(run.peer(folder)?);
    if folder == "extism" {
        command.arg(plugin(run)?);
    }
    Ok(command)
}

/// The plug-in, compiled as modules are.
fn plugin(run: &Run<'_>) -> Outcome<PathBuf> {
    let sources = run.workspace.root.join("bench/peers/extism/plugin");
    let target = run.workspace.target.join("peers/wasm");
    let mut cargo = Toolchain::find(run.workspace)?.build_in(run.workspace, &sources);
    cargo
        .args(["--release", "--locked"])
        .env_remove("RUSTFLAGS");
    process::run(cargo.env("CARGO_TARGET_DIR", &target))?;
    Ok(target
        .join(TARGET)
        .join("release/usher_peer_extism_plugin.wasm"))
}
