//! What stands beside the host: the bare servers of `usher-floor`.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::run::Run;
use crate::process::Outcome;
use crate::running::Running;

/// The package and its program.
pub(crate) const PACKAGE: &str = "usher-floor";

/// A bare server that listens.
pub(crate) struct Floor {
    pub(crate) running: Running,
}

impl Floor {
    /// Starts one and waits until it listens: `usher-floor KIND --listen ADDRESS…`.
    pub(crate) fn start(run: &Run<'_>, kind: &str, listen: &[SocketAddr]) -> Outcome<Floor> {
        let mut command = Command::new(run.release(PACKAGE)?);
        command.arg(kind);
        for address in listen {
            command.arg("--listen").arg(address.to_string());
        }
        Floor::start_command(&mut command)
    }

    /// The same with a command of the row's own.
    pub(crate) fn start_command(command: &mut Command) -> Outcome<Floor> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = Running::start("the floor", command)?;
        let output = running.child.stdout.take();
        let output = output.ok_or("the floor has no output")?;
        let mut line = String::new();
        BufReader::new(output)
            .read_line(&mut line)
            .map_err(|error| format!("cannot read what the floor says: {error}"))?;
        let ready: Value = serde_json::from_str(&line)
            .map_err(|error| format!("the floor said what is not JSON: {error}: {line}"))?;
        match ready["event"].as_str() {
            Some("ready") => Ok(Floor { running }),
            _ => Err(format!("the floor was not ready, but said {line}")),
        }
    }

    /// The end of its input ends it.
    pub(crate) fn ends(mut self) -> Outcome {
        drop(self.running.child.stdin.take());
        self.running.succeeds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str) -> Outcome<Floor> {
        Floor::start_command(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn a_floor_is_there_once_it_says_so_and_ends_with_its_input() {
        let floor = start(r#"echo '{"event":"ready"}'; cat"#).unwrap();
        floor.ends().unwrap();
        let silent = start("true").err().unwrap();
        assert!(silent.contains("not JSON"), "{silent}");
        let other = start(r#"echo '{"event":"hm"}'"#).err().unwrap();
        assert!(other.contains("not ready"), "{other}");
    }
}
