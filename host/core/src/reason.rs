//! Why someone is refused, sent away or ended.

use std::sync::Arc;

/// A reason: a word for programs, a sentence for the player, and the protocol's number where it has one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reason {
    /// A stable word, such as `server-full`.
    pub code: Arc<str>,
    /// A sentence for the player; may be empty.
    pub text: Arc<str>,
    /// The protocol's own number. Absent: the door derives one from the code.
    pub number: Option<u32>,
}

impl Reason {
    /// A reason without a number.
    pub fn new(code: &str, text: &str) -> Reason {
        Reason {
            code: code.into(),
            text: text.into(),
            number: None,
        }
    }
}

/// What a game rule said, where players are told something else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Said {
    /// The policy.
    pub(crate) policy: Arc<str>,
    /// The code.
    pub(crate) code: Arc<str>,
}

/// The codes that the host itself uses; policies may use them too.
pub mod code {
    /// No seat is left.
    pub const SERVER_FULL: &str = "server-full";
    /// The pending pool is full.
    pub const POOL_FULL: &str = "pool-full";
    /// Too many requests of one address are pending.
    pub const ADDRESS_SHARE: &str = "address-share";
    /// Who this is plays already.
    pub const DUPLICATE_IDENTITY: &str = "duplicate-identity";
    /// The room does not take new players.
    pub const ROOM_CLOSED: &str = "room-closed";
    /// A policy faulted and its fail mode is closed.
    pub const POLICY_FAULT: &str = "policy-fault";
    /// The decision took longer than the decision timeout.
    pub const APPROVAL_TIMEOUT: &str = "approval-timeout";
    /// Neither an answer nor a status came within the session timeout.
    pub const SESSION_TIMEOUT: &str = "session-timeout";
    /// The wait was longer than the door can hold.
    pub const QUEUE_TIMEOUT: &str = "queue-timeout";
    /// The game takes nobody at the moment, or not this player: all that is told of a game rule's refusal
    /// whose code is not of this list and the next two.
    pub const REFUSED_BY_GAME: &str = "refused_by_game";
    /// No session is open that could be joined, as players of a fleet know it.
    pub const NOT_IN_SESSION: &str = "not_in_session";
    /// No seat is left, as players of a fleet know it.
    pub const NO_SEAT_LEFT: &str = "server_full";
    /// The host stops.
    pub const SHUTTING_DOWN: &str = "shutting-down";
}
