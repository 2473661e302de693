//! Requests, as doors hand them in and policies see them.

use crate::id::{DoorId, RequestId, SessionId};
use crate::reason::Reason;
use crate::secret::Secret;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// How a door can say why someone is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReasonAbility {
    /// As text.
    Text,
    /// As a number.
    Code,
    /// Not at all.
    None,
}

/// What a door's protocol can do (semantics 21).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Abilities {
    /// Whether it has a status message for those who wait.
    pub status: bool,
    /// How it says why not.
    pub reasons: ReasonAbility,
    /// The longest that it can keep a request waiting; absent where nothing bounds it.
    pub longest_wait: Option<Duration>,
}

/// A named value that came with a request, or that the host says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The name; one that begins with `peer.` is the peer's own claim.
    pub name: Arc<str>,
    /// The value.
    pub value: AttributeValue,
}

/// The value of an [`Attribute`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeValue {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(i64),
    /// Text.
    Text(Arc<str>),
    /// Anything else.
    Bytes(Arc<[u8]>),
}

/// What a peer asks for, complete. It does not change while the request lives.
#[derive(Clone, PartialEq, Debug)]
pub struct RequestData {
    /// The request.
    pub id: RequestId,
    /// The door that it came through.
    pub door: DoorId,
    /// The door's name in the configuration.
    pub door_name: Arc<str>,
    /// The door's protocol.
    pub protocol: Arc<str>,
    /// What the door can do.
    pub abilities: Abilities,
    /// The room that it would enter.
    pub room: Arc<str>,
    /// Where the peer is; IPv4-mapped addresses folded.
    pub peer: SocketAddr,
    /// Whether the peer has shown that it receives what is sent there.
    pub proven: bool,
    /// The peer's name for itself.
    pub name: Option<Arc<str>>,
    /// The connection password.
    pub password: Option<Secret>,
    /// Connection arguments.
    pub args: Vec<Arc<str>>,
    /// The opaque payload.
    pub payload: Arc<[u8]>,
    /// More about it.
    pub attributes: Vec<Attribute>,
    /// The one-way delay, where the door measured it.
    pub one_way: Option<Duration>,
}

impl RequestData {
    /// The same without payload and password: what is kept and told once the request is over.
    pub fn without_payload(&self) -> RequestData {
        RequestData {
            password: None,
            payload: Arc::default(),
            ..self.clone()
        }
    }
}

/// Where a room stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomState {
    /// The room's name.
    pub name: Arc<str>,
    /// Why it takes no new players; absent while it does.
    pub closed: Option<Reason>,
}

/// Why a request went away without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abandonment {
    /// The peer said so.
    Cancelled,
    /// The connection closed or went silent.
    Dropped,
    /// Neither an answer nor a status within the session timeout.
    TimedOut,
}

/// How a request ended. Every request ends exactly one way, once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It became a session.
    Accepted(SessionId),
    /// It was refused, for this reason.
    Rejected(Reason),
    /// It went away unanswered.
    Abandoned(Abandonment),
}
