//! Programs that run beside us for a while: waiting for what they do, and asking the host how it stands.

use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{self, Outcome, seconds};

/// How long each step may take: far more than it needs on a slow machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How often a step is looked at.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// How many lines of a log to show after a failure.
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

/// A child that does not outlive a failure.
pub(crate) struct Running {
    pub(crate) child: Child,
    name: &'static str,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when the child has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    /// Starts a program; the name is for complaints about it.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Outcome<Running> {
        let child = command
            .spawn()
            .map_err(|error| format!("cannot start `{}`: {error}", process::line(command)))?;
        Ok(Running { child, name })
    }

    /// Whether it ended, and how.
    pub(crate) fn ended(&mut self) -> Outcome<Option<ExitStatus>> {
        self.child
            .try_wait()
            .map_err(|error| format!("cannot wait for {}: {error}", self.name))
    }

    /// An error if it ended already.
    pub(crate) fn still_runs(&mut self) -> Outcome {
        match self.ended()? {
            None => Ok(()),
            Some(status) => Err(format!("{} ended early ({status})", self.name)),
        }
    }

    /// Waits for it to end well.
    pub(crate) fn succeeds(&mut self) -> Outcome {
        let mut ended = None;
        wait_for(&format!("{} to end", self.name), PATIENCE, || {
            ended = self.ended()?;
            Ok(ended.is_some())
        })?;
        match ended {
            Some(status) if !status.success() => Err(format!("{} failed ({status})", self.name)),
            _ => Ok(()),
        }
    }

    /// Asks it to stop in good order, and waits until it has.
    pub(crate) fn stops(&mut self) -> Outcome {
        let id = self.child.id().to_string();
        process::run(Command::new("kill").args(["-TERM", &id]))?;
        self.succeeds()
    }
}

/// Looks again and again until a condition holds, for as long as patience lasts.
pub(crate) fn wait_for(
    what: &str,
    patience: Duration,
    mut holds: impl FnMut() -> Outcome<bool>,
) -> Outcome {
    let start = Instant::now();
    while start.elapsed() < patience {
        if holds()? {
            return Ok(());
        }
        thread::sleep(PAUSE);
    }
    Err(format!("waited {} in vain for {what}", seconds(patience)))
}

/// The places in the host's status that are not empty, with how much is there. All of them must exist: a
/// status that lost one would make the test pass whatever happens.
pub(crate) fn occupied(status: &Value) -> Outcome<Vec<(&'static str, u64)>> {
    let mut found = occupied_doors(status)?;
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

/// The same of what doors hold of their own.
fn occupied_doors(status: &Value) -> Outcome<Vec<(&'static str, u64)>> {
    let doors = status["doors"].as_array();
    let doors = doors.ok_or("/v1/status has no list at /doors")?;
    let (mut peers, mut bytes) = (0, 0);
    for door in doors {
        let counts = door["peers"].as_object();
        let counts = counts.ok_or("a door in /v1/status has no peers")?;
        peers += counts.values().filter_map(Value::as_u64).sum::<u64>();
        let held = door["held_bytes"].as_u64();
        bytes += held.ok_or("a door in /v1/status has no held_bytes")?;
    }
    let found = [("/doors/*/peers", peers), ("/doors/*/held_bytes", bytes)];
    Ok(found.into_iter().filter(|(_, count)| *count > 0).collect())
}

/// What a log said last, which is most likely about what went wrong.
pub(crate) fn last_lines(said: &str) -> String {
    let lines: Vec<_> = said.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
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
            "doors": [{"name": "main", "peers": {"pending": 0, "closing": 0}, "held_bytes": 0}],
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
    fn what_a_door_holds_is_counted() {
        let mut status = status_with(0, &[]);
        status["doors"][0]["peers"]["closing"] = json!(3);
        status["doors"][0]["held_bytes"] = json!(70);
        let found = occupied(&status).unwrap();
        assert_eq!(found, [("/doors/*/peers", 3), ("/doors/*/held_bytes", 70)]);
        status["doors"][0]["peers"] = json!(null);
        assert!(occupied(&status).is_err());
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
        let outcome = wait_for("the second look", PATIENCE, || {
            looks += 1;
            Ok(looks == 2)
        });
        assert_eq!(outcome, Ok(()));
        let fails = wait_for("a failure", PATIENCE, || Err("no".into()));
        assert_eq!(fails, Err("no".into()));
    }
}
