//! A session as the rules see it.

use crate::id::{DoorId, RequestId, SessionId};
use std::sync::Arc;

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
