//! How a session ends: once, and for one cause.

use crate::reason::Reason;

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
    /// The same player came in again and has its place now.
    TakenOver,
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
            SessionEnd::Kicked(_) | SessionEnd::TakenOver => Parting::Kicked,
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
            SessionEnd::TakenOver => "taken-over",
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
