//! The way from the core to the connection of each peer that it knows.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use usher_core::{Grant, Reason, RequestId, SessionEnd};

/// What a connection is told. A request is answered once and a session ends once, so it is told two
/// things at most.
#[derive(Debug)]
pub(super) enum Told {
    Refused { reason: Reason, at_knock: bool },
    Accepted(Grant),
    Ended(SessionEnd),
}

/// All of them at one door.
#[derive(Clone, Default)]
pub(super) struct Peers(Arc<Mutex<HashMap<RequestId, Known>>>);

struct Known {
    login: IpAddr,
    to: mpsc::UnboundedSender<Told>,
}

/// The connection's end, until it is dropped.
pub(super) struct Peer {
    all: Peers,
    request: RequestId,
    from: mpsc::UnboundedReceiver<Told>,
}

impl Peers {
    /// A connection whose request the core is about to be told of.
    pub(super) fn enter(&self, request: RequestId, login: IpAddr) -> Peer {
        let (to, from) = mpsc::unbounded_channel();
        self.lock().insert(request, Known { login, to });
        let all = self.clone();
        Peer { all, request, from }
    }

    /// Tells a connection, if it is still there.
    pub(super) fn tell(&self, request: RequestId, told: Told) {
        if let Some(known) = self.lock().get(&request) {
            // It may be about to leave.
            let _ = known.to.send(told);
        }
    }

    /// Where a connection comes from, if it is still there.
    pub(super) fn login(&self, request: RequestId) -> Option<IpAddr> {
        self.lock().get(&request).map(|known| known.login)
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        // Each has a file descriptor.
        u32::try_from(self.lock().len()).unwrap_or(u32::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Known>> {
        // Nothing panics between two steps that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Peer {
    pub(super) fn request(&self) -> RequestId {
        self.request
    }

    /// What the core has to say. Safe to cancel.
    pub(super) async fn told(&mut self) -> Told {
        match self.from.recv().await {
            Some(told) => told,
            // The sender is kept in the registry for as long as this end lives.
            None => std::future::pending().await,
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.all.lock().remove(&self.request);
    }
}
