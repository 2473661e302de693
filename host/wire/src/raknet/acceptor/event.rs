//! What a server is told about one of its peers, and where that stands.

use std::fmt;

use super::super::connection::Incoming;

/// Where a peer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// It has a place, and has said nothing over the connection.
    Unverified,
    /// It asked to connect, and waits for [`Acceptor::admit`](super::Acceptor::admit), or, in a dialect without
    /// a session exchange, for the server's decision.
    Requested,
    /// It was told that its request is accepted, and has not confirmed that.
    Handling,
    /// It is about to send its session request.
    Exchanging,
    /// The server decides about its session request.
    Pending,
    /// It is in.
    Connected,
    /// One side has said its last word, and acknowledgements are under way.
    Closing,
    /// Nothing is left of it.
    Over,
}

/// Something that happened, in the order in which it did.
#[derive(Debug)]
pub enum Event {
    /// 09: it asks to connect, with this password. To be answered with [`Acceptor::admit`] or
    /// [`Acceptor::refuse_password`]; in a dialect without a session exchange this is all that the server's
    /// decision can be about.
    ///
    /// [`Acceptor::admit`]: super::Acceptor::admit
    /// [`Acceptor::refuse_password`]: super::Acceptor::refuse_password
    Requested(Password),
    /// 80: it asks for the session, with this payload. Once.
    SessionRequest(Vec<u8>),
    /// It asked for the session, but its payload finds no room in the budget.
    NoRoom,
    /// A message of the game, its id first. The time of one with a timestamp is by the server's clock.
    Message(Incoming),
    /// Something that it said was dropped; it goes on.
    Dropped(Cause),
    /// 15: it leaves, for this reason.
    Disconnected(Vec<u8>),
    /// It went silent. It is over.
    Lost,
    /// It did not get through the opening in time. It is over.
    Expired,
    /// It broke the protocol. It is over, or is told why and is over then.
    Violated(Violation),
}

/// Why something that a peer said was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A message of the game from someone who is not in.
    Early,
    /// A message that a peer in its stage has no business to send, such as a second request.
    Ignored,
    /// A message that cannot be read.
    Malformed,
}

/// How a peer broke the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Violation {
    /// The payload of its session request is too long.
    Payload,
    /// A message of the game has more parts than the server's limits allow.
    Message,
    /// It has begun what it does not end: a message of which parts are missing, or one that others wait for.
    Unfinished,
}

/// A connection password, which is a secret: `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(pub(super) Box<[u8]>);

impl Password {
    /// The bytes, to be compared in constant time or asked about, and never to be shown. Empty where there is
    /// none.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}
