//! What a game server is told.

use schemars::JsonSchema;
use serde::Serialize;

/// How a request stands. Only `waiting` changes any more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "lowercase")]
pub(in crate::doors::http) enum Answer {
    /// The player may come in.
    Accepted(Accepted),
    /// The player may not come in.
    Rejected(Rejected),
    /// Nothing is decided, or the player waits in the queue.
    Waiting(Waiting),
    /// The request ended without a decision.
    Over(Over),
}

/// The player may come in: a seat is held, and given back unless this is confirmed in time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Accepted {
    /// The request.
    #[schemars(regex(pattern = "^[0-9]{1,20}-[0-9a-f]{8}$"), example = "41-5f3a9c21")]
    pub(in crate::doors::http) id: String,
    /// The session, to confirm and to end.
    #[schemars(regex(pattern = "^[0-9]{1,20}-[0-9a-f]{8}$"), example = "7-5f3a9c21")]
    pub(in crate::doors::http) session: String,
    /// The name to show.
    pub(in crate::doors::http) name: String,
    /// The room.
    pub(in crate::doors::http) room: String,
    /// The player's number, where the policies give one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub(in crate::doors::http) number: Option<u32>,
    /// What the policies say to the game, where it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(in crate::doors::http) config: Option<String>,
    /// The same in base64, whatever it is.
    pub(in crate::doors::http) config_base64: String,
    /// How long after the acceptance it must be confirmed, in milliseconds.
    pub(in crate::doors::http) confirm_within_ms: u64,
}

/// The player may not come in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Rejected {
    /// The request.
    #[schemars(regex(pattern = "^[0-9]{1,20}-[0-9a-f]{8}$"), example = "41-5f3a9c21")]
    pub(in crate::doors::http) id: String,
    /// Why, as a word for programs.
    #[schemars(example = "server-full")]
    pub(in crate::doors::http) code: String,
    /// Why, as a sentence for the player; may be empty.
    #[schemars(example = "The server is full.")]
    pub(in crate::doors::http) text: String,
    /// Why, as a number, where the policies give one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub(in crate::doors::http) number: Option<u32>,
}

/// Nothing is decided, or the player waits in the queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Waiting {
    /// The request.
    #[schemars(regex(pattern = "^[0-9]{1,20}-[0-9a-f]{8}$"), example = "41-5f3a9c21")]
    pub(in crate::doors::http) id: String,
    /// How things stand, as a sentence for the player; empty at first.
    #[schemars(example = "You are 3 of 12 in the queue.")]
    pub(in crate::doors::http) status: String,
    /// The place in the queue, from 1; absent while it is being decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub(in crate::doors::http) position: Option<u32>,
    /// Grows with every status.
    pub(in crate::doors::http) version: u64,
}

/// The request ended without a decision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Over {
    /// The request.
    #[schemars(regex(pattern = "^[0-9]{1,20}-[0-9a-f]{8}$"), example = "41-5f3a9c21")]
    pub(in crate::doors::http) id: String,
    /// Why.
    pub(in crate::doors::http) why: OverWhy,
}

/// Why a request ended without a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::doors::http) enum OverWhy {
    /// The game server gave it up.
    Cancelled,
    /// The game server did not ask about it for as long as a lease.
    Unasked,
    /// Another game server has come in the place of the one that asked.
    Replaced,
}

impl Answer {
    /// Whether it is the last one.
    pub(in crate::doors::http) fn is_final(&self) -> bool {
        !matches!(self, Answer::Waiting(_))
    }

    /// The version of a status; the last answer is newer than any.
    pub(in crate::doors::http) fn version(&self) -> u64 {
        match self {
            Answer::Waiting(waiting) => waiting.version,
            _ => u64::MAX,
        }
    }

    /// The word of the state.
    pub(in crate::doors::http) fn word(&self) -> &'static str {
        match self {
            Answer::Accepted(_) => "accepted",
            Answer::Rejected(_) => "rejected",
            Answer::Waiting(_) => "waiting",
            Answer::Over(_) => "over",
        }
    }
}

/// A session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Session {
    /// Its name.
    #[schemars(regex(pattern = "^l?[0-9]{1,20}-[0-9a-f]{8}$"), example = "7-5f3a9c21")]
    pub(in crate::doors::http) session: String,
    /// Where it stands.
    pub(in crate::doors::http) state: SessionState,
    /// The name shown.
    pub(in crate::doors::http) name: String,
    /// The room.
    pub(in crate::doors::http) room: String,
    /// The player's number, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub(in crate::doors::http) number: Option<u32>,
    /// How long it has been there, in milliseconds.
    pub(in crate::doors::http) age_ms: u64,
}

/// Where a session stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::doors::http) enum SessionState {
    /// Accepted and not confirmed.
    Unconfirmed,
    /// The player is in.
    Confirmed,
    /// A player of the game server's own machine, without a seat.
    Local,
}

/// Every session of this door.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Sessions {
    /// The sessions, the oldest first.
    pub(in crate::doors::http) sessions: Vec<Session>,
    /// Where to read on in the endings: none that came before is of one of these.
    #[schemars(regex(pattern = "^[0-9]{1,20}-[0-9a-f]{8}$"), example = "12-5f3a9c21")]
    pub(in crate::doors::http) next: String,
}

/// A session that has ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Ended {
    /// Which.
    #[schemars(regex(pattern = "^l?[0-9]{1,20}-[0-9a-f]{8}$"), example = "7-5f3a9c21")]
    pub(in crate::doors::http) session: String,
    /// How.
    pub(in crate::doors::http) how: How,
    /// Why it was kicked, as a word for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(in crate::doors::http) code: Option<String>,
    /// Why it was kicked, as a sentence for the player.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(in crate::doors::http) text: Option<String>,
}

/// How a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::doors::http) enum How {
    /// The game server said that the player left, or gave the request up.
    Left,
    /// The game server said that the connection was lost.
    Dropped,
    /// It was not confirmed in time.
    Unconfirmed,
    /// The game server did not call for as long as a lease.
    Lease,
    /// Another game server has come in the place of this one.
    Replaced,
    /// By the rules, a policy or an operator: the player must go.
    Kicked,
    /// The same player came in again: the player must go.
    TakenOver,
    /// Usher stops.
    Shutdown,
}

/// Sessions that have ended, in order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Endings {
    /// The endings.
    pub(in crate::doors::http) ended: Vec<Ended>,
    /// Where to read on.
    #[schemars(regex(pattern = "^[0-9]{1,20}-[0-9a-f]{8}$"), example = "12-5f3a9c21")]
    pub(in crate::doors::http) next: String,
    /// Some are not known any more, or Usher has been restarted: what `GET /v1/sessions` does not list has
    /// ended.
    pub(in crate::doors::http) missed: bool,
}

/// How a game server stands with this door.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(in crate::doors::http) struct Lease {
    /// Which run of Usher this is; everything that another one knew is over.
    #[schemars(regex(pattern = "^[0-9a-f]{8}$"), example = "5f3a9c21")]
    pub(in crate::doors::http) run: String,
    /// How soon the next call must come, in milliseconds.
    pub(in crate::doors::http) lease_ms: u64,
    /// Requests without an answer.
    pub(in crate::doors::http) requests: u32,
    /// Sessions that hold a seat.
    pub(in crate::doors::http) sessions: u32,
    /// Sessions of the game server's own machine.
    pub(in crate::doors::http) local: u32,
}
