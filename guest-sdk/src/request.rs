//! The request, with a `Debug` that keeps its secrets.

use std::cell::OnceCell;
use std::fmt;
use std::net::IpAddr;
use std::ops::{Deref, DerefMut};
use std::panic::RefUnwindSafe;

use crate::address;
use crate::bindings::admission::exports::usher::policy::admission as wit;
use crate::contract::{
    Attribute, AttributeValue, DoorInfo, HeldUnit, Key, ProgressInfo, RoomState,
};
use crate::host::imports::details;

/// Someone who wants to enter.
///
/// What comes with every call are fields: `request.name`, `request.payload`, `request.joinable`. The rest is
/// asked for when a policy wants it, once a call, and is a function: `request.room()`, `request.attributes()`.
/// `Debug` leaves out the password and shows the payload by size only, because either may hold a credential.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    told: wit::Request,
    pub(crate) more: More,
}

/// What the host was asked for so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct More {
    pub(crate) door: OnceCell<DoorInfo>,
    pub(crate) progress: OnceCell<ProgressInfo>,
    pub(crate) room: OnceCell<RoomState>,
    pub(crate) password: OnceCell<Secret>,
    pub(crate) args: OnceCell<Vec<String>>,
    pub(crate) attributes: OnceCell<Vec<Attribute>>,
    pub(crate) held: OnceCell<Vec<HeldUnit>>,
}

/// A password, which is not shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) Option<String>);

impl Request {
    /// The name that the peer gives itself, or an empty one.
    pub fn name(&self) -> &str {
        self.told.name.as_deref().unwrap_or_default()
    }

    /// The peer's IP address. An endpoint that is not proven (`request.peer.proven`) may be forged.
    pub fn address(&self) -> IpAddr {
        address::of_contract(self.peer.address)
    }

    /// The door that it came through: its name, its protocol and what that can do.
    pub fn door(&self) -> &DoorInfo {
        self.more.door.get_or_init(details::door)
    }

    /// How it has fared: its place in the lane, how long it waits.
    pub fn progress(&self) -> &ProgressInfo {
        self.more.progress.get_or_init(details::progress)
    }

    /// The room that it would enter. Whether that takes new players is `request.joinable`.
    pub fn room(&self) -> &RoomState {
        self.more.room.get_or_init(details::room)
    }

    /// The connection password, where the protocol has one and the door does not check it itself. Never
    /// log it.
    pub fn password(&self) -> Option<&str> {
        let password = self
            .more
            .password
            .get_or_init(|| Secret(details::password()));
        password.0.as_deref()
    }

    /// The connection arguments, where the protocol has them. Claimed.
    pub fn args(&self) -> &[String] {
        self.more.args.get_or_init(details::args)
    }

    /// More about it. A name that begins with `peer.` is the peer's own claim.
    pub fn attributes(&self) -> &[Attribute] {
        self.more.attributes.get_or_init(details::attributes)
    }

    /// The units that it holds at this moment.
    pub fn held(&self) -> &[HeldUnit] {
        self.more.held.get_or_init(details::held)
    }

    /// The value of an attribute. A name that begins with `peer.` is the peer's own claim.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        let mut attributes = self.attributes().iter();
        attributes.find(|it| it.name == name).map(|it| &it.value)
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
        let text = std::str::from_utf8(&self.payload).ok()?.trim();
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
        self.held().iter().any(|unit| unit.key == *key)
    }

    /// The index that was handed out with the unit of `key` that the request holds.
    pub fn held_index(&self, key: &Key) -> Option<u32> {
        self.held()
            .iter()
            .find(|unit| unit.key == *key)
            .and_then(|unit| unit.index)
    }
}

/// What was asked for is kept whole or not at all, so a test may go on with a request after a panic.
impl RefUnwindSafe for Request {}

impl From<wit::Request> for Request {
    fn from(record: wit::Request) -> Request {
        Request {
            told: record,
            more: More::default(),
        }
    }
}

impl Deref for Request {
    type Target = wit::Request;

    fn deref(&self) -> &wit::Request {
        &self.told
    }
}

impl DerefMut for Request {
    fn deref_mut(&mut self) -> &mut wit::Request {
        &mut self.told
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("id", &self.id)
            .field("why", &self.why)
            .field("peer", &self.address())
            .field("proven", &self.peer.proven)
            .field("joinable", &self.joinable)
            .field("name", &self.told.name)
            .field("payload", &self.payload.len())
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}
