//! Where a measurement takes place: its folder, its ports, the programs that it starts there.

use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::process::Outcome;
use crate::running::last_lines;
use crate::workspace::Workspace;

/// Where everything of a run is.
pub(crate) struct Site {
    pub(crate) folder: PathBuf,
    /// For a door, or for what stands in its place.
    pub(crate) udp: SocketAddr,
    pub(crate) tcp: SocketAddr,
    /// For the host's admin endpoint.
    pub(crate) control: SocketAddr,
    /// For whatever stands beside the host.
    pub(crate) beside: SocketAddr,
}

impl Site {
    /// Ports that were free a moment ago, and a folder.
    pub(crate) fn find(folder: &Path) -> Outcome<Site> {
        fs::create_dir_all(folder).map_err(|error| cannot_use(folder, &error))?;
        let free = |error| format!("loopback has no free port: {error}");
        let any = "127.0.0.1:0";
        let udp = UdpSocket::bind(any).map_err(free)?;
        // All at once, so that they are not the same.
        let listen = || TcpListener::bind(any).map_err(free);
        let (tcp, control, beside) = (listen()?, listen()?, listen()?);
        Ok(Site {
            folder: folder.to_owned(),
            udp: udp.local_addr().map_err(free)?,
            tcp: tcp.local_addr().map_err(free)?,
            control: control.local_addr().map_err(free)?,
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
}

/// A problem of a run in that folder, with what its host said last.
pub(crate) fn explain(folder: &Path, problem: &str) -> String {
    let log = folder.join("log");
    match fs::read_to_string(&log) {
        Ok(said) => format!(
            "{problem}; {} ends with:\n{}",
            log.display(),
            last_lines(&said)
        ),
        Err(_) => problem.to_owned(),
    }
}

/// A program of this workspace, as a release build.
pub(crate) fn program(workspace: &Workspace, name: &str) -> PathBuf {
    let name = format!("{name}{EXE_SUFFIX}");
    workspace.target.join("release").join(name)
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map(|since| since.as_secs()).unwrap_or_default()
}

/// A file or folder that did not do as it should.
pub(crate) fn cannot_use(path: &Path, error: &std::io::Error) -> String {
    format!("cannot use {}: {error}", path.display())
}
