//! Does what the README tells a newcomer to do, with a release build: serve, join, leave, stop.
//! It finds what tests of parts cannot: a binary that does not start the way we say it does.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::http;
use crate::process::{self, Outcome, seconds};
use crate::running::{PATIENCE, PAUSE, Running, last_lines, occupied, wait_for};
use crate::workspace::Workspace;

/// The command that a newcomer copies; if the README has another, this test tests the wrong one.
const README_COMMAND: &str = "cargo run --release -- serve";

/// Where `usher serve` answers questions about itself, unless told otherwise.
const CONTROL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 4280);

/// The door to enter through, and who enters.
const JOIN: [&str; 4] = ["join", "tcp://127.0.0.1:4241", "--name", "R9"];

/// Builds a release and walks through it.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let start = Instant::now();
    check_readme(&workspace.root)?;
    process::run(workspace.cargo().args(["build", "--release"]))?;
    if std::net::TcpStream::connect_timeout(&CONTROL, PAUSE).is_ok() {
        return Err(format!(
            "something listens on {CONTROL} already: stop it first"
        ));
    }
    let log = workspace.target.join("smoke.log");
    walk_through(workspace, &log).map_err(|problem| {
        let said = fs::read_to_string(&log).unwrap_or_default();
        format!(
            "{problem}; {} ends with:\n{}",
            log.display(),
            last_lines(&said)
        )
    })?;
    println!(
        "smoke: served, joined, left and stopped in {}",
        seconds(start.elapsed())
    );
    Ok(())
}

fn walk_through(workspace: &Workspace, log: &Path) -> Outcome {
    let usher = workspace.usher("release");
    let mut serve = start_serve(workspace, &usher, log)?;
    wait_for("GET /healthz to answer 200", PATIENCE, || {
        serve.still_runs()?;
        Ok(matches!(http::get(CONTROL, "/healthz"), Ok((200, _))))
    })?;

    let mut join = start_join(workspace, &usher)?;
    wait_for("the player to show in /v1/status", PATIENCE, || {
        join.still_runs()?;
        Ok(!occupied(&http::status(CONTROL)?)?.is_empty())
    })?;
    // The end of its input is how a player at the keyboard leaves.
    drop(join.child.stdin.take());
    join.succeeds()?;

    let mut left = Vec::new();
    wait_for("/v1/status to show nobody", PATIENCE, || {
        left = occupied(&http::status(CONTROL)?)?;
        Ok(left.is_empty())
    })
    .map_err(|error| format!("{error}; it shows {left:?}"))?;
    serve.stops()
}

fn check_readme(root: &Path) -> Outcome {
    let readme = fs::read_to_string(root.join("README.md"))
        .map_err(|error| format!("cannot read README.md: {error}"))?;
    if readme.contains(README_COMMAND) {
        return Ok(());
    }
    Err(format!(
        "README.md does not say `{README_COMMAND}`, which is what smoke tests: make them agree"
    ))
}

fn start_serve(workspace: &Workspace, usher: &PathBuf, log: &Path) -> Outcome<Running> {
    let problem = |error| format!("cannot write {}: {error}", log.display());
    let output = File::create(log).map_err(problem)?;
    let errors = output.try_clone().map_err(problem)?;
    let mut command = Command::new(usher);
    command.arg("serve").current_dir(&workspace.root);
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    Running::start("serve", &mut command)
}

fn start_join(workspace: &Workspace, usher: &PathBuf) -> Outcome<Running> {
    let mut command = Command::new(usher);
    command.args(JOIN).current_dir(&workspace.root);
    Running::start("join", command.stdin(Stdio::piped()))
}
