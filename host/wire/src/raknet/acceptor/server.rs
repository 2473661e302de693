//! What all peers of one server have in common.

use std::net::SocketAddrV4;
use std::time::Duration;

use super::super::connection::{Budget, Limits, Share};
use super::super::guid::Guid;

/// A server, as its peers see it.
#[derive(Debug, Clone)]
pub struct Server {
    /// Its key: random for each process, neither 0 nor all ones.
    pub guid: Guid,
    /// Its own address, where it has one that others could know.
    pub address: Option<SocketAddrV4>,
    /// What its clock said at time zero, in milliseconds.
    pub clock: u64,
    /// How long a peer may be silent while it owes an acknowledgement. Half of it is how long one is left
    /// alone.
    pub timeout: Duration,
    /// A peer's part of the budget until it is in, and that of its session payload.
    pub pending: Share,
    /// What a connection may keep once its peer is in; the timeout in it is not used.
    pub accepted: Limits,
    /// What peers may keep together, long session payloads included.
    pub budget: Budget,
}

impl Server {
    /// What the server's clock says.
    pub(super) fn clock_at(&self, now: Duration) -> u64 {
        let since = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        self.clock.wrapping_add(since)
    }

    /// The limits of a peer that nobody has accepted.
    pub(super) fn pending(&self, mtu: u16) -> Limits {
        Limits {
            share: self.pending,
            timeout: self.timeout,
            ..Limits::pending(mtu)
        }
    }

    /// The limits of one that is in.
    pub(super) fn accepted(&self) -> Limits {
        Limits {
            timeout: self.timeout,
            ..self.accepted
        }
    }
}
