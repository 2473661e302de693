//! Where a measurement takes place: its folder, its ports, its host; and what is read from generators and
//! kept of runs.

use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::http;
use crate::process::Outcome;
use crate::running::{PATIENCE, Running, last_lines, occupied, wait_for};
use crate::workspace::Workspace;

/// How long the host may take to forget everybody: what was lost on the way is noticed within 10 s.
const FORGET: Duration = Duration::from_secs(30);

/// How many processors others may keep busy before figures say more about them.
pub(crate) const BUSY: f64 = 0.3;

/// Where everything of a run is.
pub(crate) struct Site {
    pub(crate) folder: PathBuf,
    pub(crate) door: SocketAddr,
    pub(crate) control: SocketAddr,
    /// For whatever stands beside the host.
    pub(crate) beside: SocketAddr,
}

impl Site {
    /// A folder and ports that were free a moment ago.
    pub(crate) fn find(workspace: &Workspace) -> Outcome<Site> {
        let folder = workspace.target.join("bench");
        fs::create_dir_all(&folder).map_err(|error| cannot_use(&folder, &error))?;
        let free = |error| format!("loopback has no free port: {error}");
        let any = "127.0.0.1:0";
        let udp = UdpSocket::bind(any).map_err(free)?;
        // Both at once, so that they are not the same.
        let tcp = TcpListener::bind(any).map_err(free)?;
        let beside = TcpListener::bind(any).map_err(free)?;
        Ok(Site {
            folder,
            door: udp.local_addr().map_err(free)?,
            control: tcp.local_addr().map_err(free)?,
            beside: beside.local_addr().map_err(free)?,
        })
    }

    /// Writes a file of the run.
    pub(crate) fn write(&self, name: &str, text: &str) -> Outcome {
        let file = self.folder.join(name);
        fs::write(&file, text).map_err(|error| cannot_use(&file, &error))
    }

    /// A file that a program of the run writes to.
    pub(crate) fn output(&self, name: &str) -> Outcome<File> {
        let file = self.folder.join(name);
        File::create(&file).map_err(|error| cannot_use(&file, &error))
    }

    /// Starts the release build of the host with `usher.toml`, and waits until it is ready.
    pub(crate) fn start_host(&self, workspace: &Workspace) -> Outcome<Running> {
        let output = self.output("log")?;
        let problem = |error| format!("the log cannot be shared: {error}");
        let errors = output.try_clone().map_err(problem)?;
        let mut command = Command::new(workspace.usher("release"));
        command
            .arg("serve")
            .arg("--config")
            .arg(self.folder.join("usher.toml"));
        // Whether this is a server of a fleet is for the configuration to say.
        command.env_remove("AGONES_SDK_HTTP_PORT");
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let mut host = Running::start("serve", &mut command)?;
        wait_for("GET /healthz to answer 200", PATIENCE, || {
            host.still_runs()?;
            Ok(matches!(http::get(self.control, "/healthz"), Ok((200, _))))
        })?;
        Ok(host)
    }

    /// Waits until the host has forgotten everybody.
    pub(crate) fn wait_until_empty(&self) -> Outcome {
        let mut left = Vec::new();
        wait_for("every table of the host to be empty", FORGET, || {
            left = occupied(&http::status(self.control)?)?;
            Ok(left.is_empty())
        })
        .map_err(|error| format!("{error}; there is {left:?}"))
    }

    /// A problem, with what the host said last.
    pub(crate) fn explain(&self, problem: &str) -> String {
        let log = self.folder.join("log");
        let said = fs::read_to_string(&log).unwrap_or_default();
        format!(
            "{problem}; {} ends with:\n{}",
            log.display(),
            last_lines(&said)
        )
    }

    /// Adds lines to a file of all runs.
    pub(crate) fn record(&self, name: &str, lines: impl Iterator<Item = Value>) -> Outcome {
        let file = self.folder.join(name);
        let problem = |error| cannot_use(&file, &error);
        let mut options = OpenOptions::new();
        let mut out = options
            .create(true)
            .append(true)
            .open(&file)
            .map_err(problem)?;
        for line in lines {
            writeln!(out, "{line}").map_err(problem)?;
        }
        Ok(())
    }
}

/// A program of this workspace, as a release build.
pub(crate) fn program(workspace: &Workspace, name: &str) -> PathBuf {
    let name = format!("{name}{EXE_SUFFIX}");
    workspace.target.join("release").join(name)
}

/// What a generator says, line by line.
pub(crate) fn lines(load: &mut Running) -> Outcome<impl Iterator<Item = Outcome<Value>> + use<>> {
    let output = load.child.stdout.take();
    let output = output.ok_or("the generator has no output")?;
    Ok(BufReader::new(output).lines().map(|line| {
        let line = line.map_err(|error| format!("cannot read what the generator says: {error}"))?;
        serde_json::from_str(&line)
            .map_err(|error| format!("the generator said what is not JSON: {error}: {line}"))
    }))
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map(|since| since.as_secs()).unwrap_or_default()
}

fn cannot_use(path: &Path, error: &std::io::Error) -> String {
    format!("cannot use {}: {error}", path.display())
}
