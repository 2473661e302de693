//! Why a host cannot start, or could not go on.

use crate::evidence::HttpError;
use crate::policies::StartError;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a host cannot start, or could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A module is no good, or the engine cannot run.
    #[error(transparent)]
    Policies(#[from] StartError),
    /// A port cannot be taken.
    #[error("{key} = \"{address}\": cannot listen there: {error}; {}", advice(.error))]
    Bind {
        /// The key of the configuration.
        key: String,
        /// Its value.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// What is to be asked outside of the host cannot be.
    #[error("[discovery] or a [[service]] is to be asked by https: {0}")]
    Outside(HttpError),
    /// The audit file cannot be opened.
    #[error("audit.file = {file:?}: cannot be written: {error}")]
    Audit {
        /// Which.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The system has no thread, no signal or no chance to give.
    #[error("the system does not give what is needed: {0}")]
    System(#[from] io::Error),
    /// A part of the host has ended that may not. No input can cause it.
    #[error("a part of the host has ended: {0}; this is a bug: please report it with the log")]
    Ended(String),
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "does another usher run? stop it, or choose another port",
        io::ErrorKind::AddrNotAvailable => "choose an address that this machine has",
        io::ErrorKind::PermissionDenied => "choose a port above 1023",
        _ => "choose another address",
    }
}
