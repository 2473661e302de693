//! Sessions: a player's stay, from acceptance to its one end.

mod table;

pub(crate) use table::{Bound, Session, Sessions};

use crate::id::{DoorId, RequestId, SessionId};
use crate::reason::Reason;
use std::fmt;
use std::sync::Arc;

/// The secret that a client binds its UDP endpoint with. Never 0, and unique among live sessions of a
/// door. `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionToken(u32);

impl SessionToken {
    /// A token of this value; `None` for 0, which is no token.
    pub fn new(value: u32) -> Option<SessionToken> {
        (value != 0).then_some(SessionToken(value))
    }

    /// The value, for the wire only.
    pub fn expose(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(secret)")
    }
}

/// Why a session ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionEnd {
    /// The player said so.
    Left,
    /// The connection closed.
    Closed,
    /// No endpoint was bound in time.
    BindTimeout,
    /// Nothing valid came from the bound endpoint for too long.
    IdleTimeout,
    /// The peer broke the protocol.
    ProtocolError,
    /// By the rules, a policy or an operator.
    Kicked(Reason),
    /// The host stops.
    Shutdown,
}

impl SessionEnd {
    /// What the rules are told.
    pub fn parting(&self) -> Parting {
        match self {
            SessionEnd::Left => Parting::Left,
            SessionEnd::Closed
            | SessionEnd::BindTimeout
            | SessionEnd::IdleTimeout
            | SessionEnd::ProtocolError => Parting::Lost,
            SessionEnd::Kicked(_) => Parting::Kicked,
            SessionEnd::Shutdown => Parting::Shutdown,
        }
    }

    /// One word for metrics and audit.
    pub fn word(&self) -> &'static str {
        match self {
            SessionEnd::Left => "left",
            SessionEnd::Closed => "closed",
            SessionEnd::BindTimeout => "bind-timeout",
            SessionEnd::IdleTimeout => "idle-timeout",
            SessionEnd::ProtocolError => "protocol-error",
            SessionEnd::Kicked(_) => "kicked",
            SessionEnd::Shutdown => "shutdown",
        }
    }
}

/// How a player left, as the rules see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parting {
    /// The player said so.
    Left,
    /// The connection closed, went silent or was not understood.
    Lost,
    /// Sent away.
    Kicked,
    /// The server stops.
    Shutdown,
}

/// Someone who has joined, as the rules see them (semantics 16 and 26).
#[derive(Clone, PartialEq, Debug)]
pub struct Player {
    /// The session.
    pub session: SessionId,
    /// The request that it came from, which still names the peer to its door.
    pub request: RequestId,
    /// The room.
    pub room: Arc<str>,
    /// The name to show.
    pub name: Arc<str>,
    /// As the policy stated it.
    pub identity: Option<Arc<str>>,
    /// Whether that was proven.
    pub identity_proven: bool,
    /// The index of its `slot`.
    pub number: Option<u32>,
    /// The door that it came through.
    pub door: DoorId,
    /// The door's name.
    pub door_name: Arc<str>,
    /// The door's protocol.
    pub protocol: Arc<str>,
    /// What the policy wanted remembered.
    pub remember: Arc<[u8]>,
}
