//! The request, with a `Debug` that keeps its secrets.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::bindings::admission::exports::usher::policy::admission as wit;
use crate::contract::{AttributeValue, Key};

/// Someone who wants to enter.
///
/// The contract's record, whose fields are read straight: `request.name`, `request.room.closed`.
/// `Debug` leaves out the password and shows the payload and the arguments by size only, because any
/// of them may hold a credential.
#[derive(Clone, PartialEq, Eq)]
pub struct Request(wit::Request);

impl Request {
    /// The name that the peer gives itself, or an empty one.
    pub fn name(&self) -> &str {
        self.0.name.as_deref().unwrap_or_default()
    }

    /// The value of an attribute. A name that begins with `peer.` is the peer's own claim.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.0
            .attributes
            .iter()
            .find(|it| it.name == name)
            .map(|it| &it.value)
    }

    /// The value of an attribute that is a text.
    pub fn text_attribute(&self, name: &str) -> Option<&str> {
        match self.attribute(name) {
            Some(AttributeValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Why the host as a whole takes nobody at the moment: the code, such as `stopping`, while that is
    /// so. An accept is then refused with that reason.
    pub fn server_closed(&self) -> Option<&str> {
        self.text_attribute("server.closed")
    }

    /// The payload, where it is a short plain text: 1 to 64 bytes of UTF-8 without control characters,
    /// and space around them left out. A client of a protocol that has no name may say there who it is.
    /// Claimed, like everything in a payload.
    pub fn payload_text(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.0.payload).ok()?.trim();
        let plain = (1..=64).contains(&text.len()) && !text.contains(char::is_control);
        plain.then_some(text)
    }

    /// Whom a policy said that this is when it let the player in, when a seated one is asked about again
    /// (`Why::Recheck`). Proven if that policy proved it.
    pub fn session_identity(&self) -> Option<&str> {
        self.text_attribute("session.identity")
    }

    /// The name that others see, when a seated one is asked about again.
    pub fn session_display_name(&self) -> Option<&str> {
        self.text_attribute("session.display-name")
    }

    /// Whether the request holds a unit of `key` at this moment.
    pub fn holds(&self, key: &Key) -> bool {
        self.0.held.iter().any(|unit| unit.key == *key)
    }

    /// The index that was handed out with the unit of `key` that the request holds.
    pub fn held_index(&self, key: &Key) -> Option<u32> {
        self.0
            .held
            .iter()
            .find(|unit| unit.key == *key)
            .and_then(|unit| unit.index)
    }
}

impl From<wit::Request> for Request {
    fn from(record: wit::Request) -> Request {
        Request(record)
    }
}

impl Deref for Request {
    type Target = wit::Request;

    fn deref(&self) -> &wit::Request {
        &self.0
    }
}

impl DerefMut for Request {
    fn deref_mut(&mut self) -> &mut wit::Request {
        &mut self.0
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("id", &self.id)
            .field("ask_id", &self.ask_id)
            .field("why", &self.why)
            .field("door", &self.door)
            .field("protocol", &self.protocol)
            .field("room", &self.room)
            .field("peer", &self.peer)
            .field("name", &self.0.name)
            .field("args", &self.args.len())
            .field("payload", &self.payload.len())
            .field("attempt", &self.attempt)
            .field("position", &self.position)
            .field("waited", &self.waited)
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}
