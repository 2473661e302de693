//! What an operator sees of the endpoint.

use super::allocation::Allocation;
use super::state::State;
use serde::Serialize;
use std::time::Duration;

/// How things stand with the local SDK endpoint, as a part of `GET /v1/status`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SdkStatus {
    /// Who owns the game server's lifecycle: `game` or `usher`.
    pub lifecycle: &'static str,
    /// `starting`, `not-ready`, `ready`, `in-session`, `shutting-down`, `stopping` or `unreachable`.
    pub state: &'static str,
    /// Whether the watch stream is open.
    pub watching: bool,
    /// How often it was opened again.
    pub reconnects: u64,
    /// The current allocation.
    pub allocation: Option<AllocationStatus>,
    /// The last call that failed.
    pub last_error: Option<ErrorStatus>,
}

/// An allocation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AllocationStatus {
    /// Its id; where knowing that is enough to get in, `ref` and the first digits of its SHA-256.
    pub id: String,
    /// `platform` or `self`.
    pub origin: &'static str,
    /// Whether this host claimed it, and will end it.
    pub claimed: bool,
}

/// Something that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ErrorStatus {
    /// What.
    pub what: String,
    /// How long ago, in milliseconds.
    pub ago_ms: u64,
}

impl SdkStatus {
    pub(super) fn new(state: &State, lifecycle: &'static str) -> SdkStatus {
        let claimed = state.lobby.is_ours();
        let allocation = |allocation: &Allocation| AllocationStatus {
            id: allocation.to_string(),
            origin: allocation.origin.word(),
            claimed,
        };
        let last_error = state.last_error.as_ref();
        SdkStatus {
            lifecycle,
            state: state.tracking.phase().word(),
            watching: state.watching,
            reconnects: state.reconnects,
            allocation: state.tracking.current().map(|it| allocation(it)),
            last_error: last_error.map(|(what, at)| ErrorStatus {
                what: what.clone(),
                ago_ms: millis(at.elapsed()),
            }),
        }
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
