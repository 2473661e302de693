//! The host that is measured: started with a configuration of the row's own, and ended only when it is empty.

use std::cell::Cell;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::meter;
use super::site::{Site, cannot_use};
use crate::http;
use crate::process::Outcome;
use crate::running::{PATIENCE, Running, occupied, wait_for};

/// How long the host may take to forget everybody: what was lost on the way is noticed within 10 s.
const FORGET: Duration = Duration::from_secs(30);

/// How many hosts of a row were started, and how many have ended in good order.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    started: Cell<usize>,
    ended: Cell<usize>,
}

impl Tally {
    /// An error if one was started and has not ended in good order.
    pub(crate) fn all_ended(&self) -> Outcome {
        match self.started.get() - self.ended.get() {
            0 => Ok(()),
            some => Err(format!(
                "{some} of the row's hosts were not seen empty and stopped in good order"
            )),
        }
    }
}

/// A host that runs.
pub(crate) struct Host<'a> {
    pub(crate) running: Running,
    site: &'a Site,
    tally: &'a Tally,
    /// How many files and sockets it had when it was ready.
    open: u64,
}

/// The command that serves with the site's `usher.toml`. The cache of compiled code is the site's own.
pub(crate) fn serve(program: &std::path::Path, site: &Site) -> Outcome<Command> {
    let output = site.output("log")?;
    let problem = |error| format!("the log cannot be shared: {error}");
    let errors = output.try_clone().map_err(problem)?;
    let mut command = Command::new(program);
    command
        .arg("serve")
        .arg("--config")
        .arg(site.folder.join("usher.toml"));
    // Whether this is a server of a fleet is for the configuration to say.
    command.env_remove("AGONES_SDK_HTTP_PORT");
    command.env("XDG_CACHE_HOME", site.folder.join("cache"));
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    Ok(command)
}

/// Makes the next start one without compiled code.
pub(crate) fn forget_compiled(site: &Site) -> Outcome {
    let cache = site.folder.join("cache");
    match fs::remove_dir_all(&cache) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(cannot_use(&cache, &error))
        }
        _ => Ok(()),
    }
}

impl<'a> Host<'a> {
    /// Takes over a host that was started, and waits until it is ready.
    pub(crate) fn new(mut running: Running, site: &'a Site, tally: &'a Tally) -> Outcome<Host<'a>> {
        tally.started.set(tally.started.get() + 1);
        wait_for("GET /healthz to answer 200", PATIENCE, || {
            running.still_runs()?;
            Ok(matches!(http::get(site.control, "/healthz"), Ok((200, _))))
        })?;
        let open = meter::open_files(running.child.id())?;
        Ok(Host {
            running,
            site,
            tally,
            open,
        })
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.running.child.id()
    }

    /// What it has open now is what it has to come back to at its end.
    pub(crate) fn settled(&mut self) -> Outcome {
        self.open = meter::open_files(self.id())?;
        Ok(())
    }

    /// Waits until it has forgotten everybody.
    pub(crate) fn is_empty(&self) -> Outcome {
        let mut left = Vec::new();
        wait_for("every table of the host to be empty", FORGET, || {
            left = occupied(&http::status(self.site.control)?)?;
            Ok(left.is_empty())
        })
        .map_err(|error| format!("{error}; there is {left:?}"))
    }

    /// Sees that it is empty, that it closed what it opened, and that it stops in good order.
    pub(crate) fn ends(mut self) -> Outcome {
        self.is_empty()?;
        // What is closed is gone once the runtime has had its turn with it.
        let mut open = 0;
        wait_for("the host to close what it opened", PATIENCE, || {
            open = meter::open_files(self.id())?;
            Ok(open <= self.open)
        })
        .map_err(|error| {
            format!(
                "{error}: {open} files and sockets, and {} before",
                self.open
            )
        })?;
        self.running.stops()?;
        self.tally.ended.set(self.tally.ended.get() + 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_was_started_has_to_be_seen_to_its_end() {
        let tally = Tally::default();
        assert_eq!(tally.all_ended(), Ok(()));
        tally.started.set(2);
        tally.ended.set(1);
        assert!(tally.all_ended().unwrap_err().contains("1 of"));
        tally.ended.set(2);
        assert_eq!(tally.all_ended(), Ok(()));
    }
}
