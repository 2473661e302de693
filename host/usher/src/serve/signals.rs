//! What the operator says by signals.

use std::io;
use tokio::signal::unix::{Signal as Source, SignalKind, signal};

/// What was said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signal {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP: read everything again.
    Reread,
}

/// Listens to them, from when it is made.
pub(super) struct Signals {
    terminate: Source,
    interrupt: Source,
    hang_up: Source,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next one. Safe to cancel.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Stop,
            _ = self.interrupt.recv() => Signal::Stop,
            _ = self.hang_up.recv() => Signal::Reread,
        }
    }
}
