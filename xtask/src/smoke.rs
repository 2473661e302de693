//! Does what the README tells a newcomer to do, with a release build: serve, join, leave, stop.
//! It finds what tests of parts cannot: a binary that does not start the way we say it does.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http;
use crate::process::{self, Outcome, seconds};
use crate::workspace::Workspace;

/// The command that a newcomer copies; if the README has another, this test tests the wrong one.
const README_COMMAND: &str = "cargo run --release -- serve";

/// Where `usher serve` answers questions about itself, unless told otherwise.
const CONTROL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 4280);

/// The door to enter through, and who enters.
const JOIN: [&str; 4] = ["join", "tcp://127.0.0.1:4241", "--name", "R9"];

/// How long each step may take: far more than it needs on a slow machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a step is looked at.
const PAUSE: Duration = Duration::from_millis(50);

/// How many lines of the log to show after a failure.
const LAST_LINES: usize = 20;

/// Where `/v1/status` counts or lists who is here, or on the way in, and what they hold.
const OCCUPIED: [&str; 6] = [
    "/players/connected",
    "/pending/total",
    "/ledger/claims",
    "/endpoints",
    "/requests",
    "/sessions",
];

/// A child that does not outlive a failed test.
struct Running {
    child: Child,
    name: &'static str,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when the child has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

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
    wait_for("GET /healthz to answer 200", || {
        if let Ok(Some(status)) = serve.child.try_wait() {
            return Err(format!("serve ended early ({status})"));
        }
        Ok(matches!(http::get(CONTROL, "/healthz"), Ok((200, _))))
    })?;

    let mut join = start_join(workspace, &usher)?;
    wait_for("the player to show in /v1/status", || {
        if let Ok(Some(status)) = join.child.try_wait() {
            return Err(format!("join ended before it was asked to ({status})"));
        }
        Ok(!occupied(&status()?)?.is_empty())
    })?;
    // The end of its input is how a player at the keyboard leaves.
    drop(join.child.stdin.take());
    succeeds(&mut join)?;

    let mut left = Vec::new();
    wait_for("/v1/status to show nobody", || {
        left = occupied(&status()?)?;
        Ok(left.is_empty())
    })
    .map_err(|error| format!("{error}; it shows {left:?}"))?;

    let id = serve.child.id().to_string();
    process::run(Command::new("kill").args(["-TERM", &id]))?;
    succeeds(&mut serve)
}

/// What serve said last, which is most likely about what went wrong.
fn last_lines(said: &str) -> String {
    let lines: Vec<_> = said.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
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
    start("serve", &mut command)
}

fn start_join(workspace: &Workspace, usher: &PathBuf) -> Outcome<Running> {
    let mut command = Command::new(usher);
    command.args(JOIN).current_dir(&workspace.root);
    start("join", command.stdin(Stdio::piped()))
}

fn start(name: &'static str, command: &mut Command) -> Outcome<Running> {
    let child = command
        .spawn()
        .map_err(|error| format!("cannot start `{}`: {error}", process::line(command)))?;
    Ok(Running { child, name })
}

/// Waits for a child to end well.
fn succeeds(running: &mut Running) -> Outcome {
    let name = running.name;
    let mut ended: Option<ExitStatus> = None;
    wait_for(&format!("{name} to end"), || {
        ended = running
            .child
            .try_wait()
            .map_err(|error| format!("cannot wait for {name}: {error}"))?;
        Ok(ended.is_some())
    })?;
    match ended {
        Some(status) if !status.success() => Err(format!("{name} failed ({status})")),
        _ => Ok(()),
    }
}

/// Looks again and again until a condition holds, for as long as patience lasts.
fn wait_for(what: &str, mut holds: impl FnMut() -> Outcome<bool>) -> Outcome {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if holds()? {
            return Ok(());
        }
        thread::sleep(PAUSE);
    }
    Err(format!("waited {} in vain for {what}", seconds(PATIENCE)))
}

fn status() -> Outcome<Value> {
    let (code, body) = http::get(CONTROL, "/v1/status")?;
    if code != 200 {
        return Err(format!("GET /v1/status answered {code}"));
    }
    serde_json::from_str(&body).map_err(|error| format!("/v1/status is not JSON: {error}"))
}

/// The places that are not empty, with how much is there. All of them must exist: a status that lost
/// one would make the test pass whatever happens.
fn occupied(status: &Value) -> Outcome<Vec<(&'static str, u64)>> {
    let mut found = Vec::new();
    for place in OCCUPIED {
        let count = match status.pointer(place) {
            Some(Value::Array(all)) => Some(all.len() as u64),
            Some(value) => value.as_u64(),
            None => None,
        };
        match count {
            None => return Err(format!("/v1/status has no count or list at {place}")),
            Some(0) => {}
            Some(count) => found.push((place, count)),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn status_with(players: u64, sessions: &[u64]) -> Value {
        json!({
            "players": {"connected": players, "max": 16},
            "pending": {"total": 0, "max": 64},
            "ledger": {"claims": 0},
            "endpoints": 0,
            "policies": [{"name": "open"}],
            "requests": [],
            "sessions": sessions,
        })
    }

    #[test]
    fn people_and_what_they_hold_are_counted() {
        assert_eq!(occupied(&status_with(0, &[])), Ok(Vec::new()));
        let found = occupied(&status_with(1, &[7])).unwrap();
        assert_eq!(found, [("/players/connected", 1), ("/sessions", 1)]);
    }

    #[test]
    fn a_status_that_lost_a_count_is_an_error() {
        let mut status = status_with(0, &[]);
        status["ledger"] = json!({});
        assert!(occupied(&status).unwrap_err().ends_with("/ledger/claims"));
    }

    #[test]
    fn a_long_log_is_shown_from_its_end() {
        assert_eq!(last_lines(""), "");
        assert_eq!(last_lines("a\nb\n"), "a\nb");
        let long: String = (1..=100).map(|line| format!("{line}\n")).collect();
        assert!(last_lines(&long).starts_with("81\n"));
    }

    #[test]
    fn a_condition_that_holds_is_not_waited_for() {
        let mut looks = 0;
        let outcome = wait_for("the second look", || {
            looks += 1;
            Ok(looks == 2)
        });
        assert_eq!(outcome, Ok(()));
        assert_eq!(wait_for("a failure", || Err("no".into())), Err("no".into()));
    }
}
