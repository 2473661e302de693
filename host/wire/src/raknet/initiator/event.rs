//! What a client is told about its connection, and how it may end.

use super::super::connection::Incoming;
use super::super::malformed::Malformed;
use super::super::offline::Refusal;

/// Where a connection stands, as an application sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// From the first request until the server accepts, however long it has us wait.
    Connecting,
    /// The server accepted.
    Connected,
    /// One side has said goodbye, and the last acknowledgements are under way.
    Closing,
    /// Over: nothing is sent any more.
    Ended,
}

/// Something that happened, in the order in which it did.
#[derive(Debug)]
pub enum Event {
    /// A first request was sent.
    Asked {
        /// Which: 1 for the first.
        attempt: u32,
        /// The MTU that it tries, in bytes.
        mtu: u16,
    },
    /// The server has a place for our connection. It has not decided anything.
    Opened {
        /// The MTU that both sides use, in bytes.
        mtu: u16,
    },
    /// Our session request is on its way; from now on the server decides.
    Requested,
    /// The server has us wait on, and says something about it.
    Status(Vec<u8>),
    /// We are in, with what the server gives those whom it lets in. Empty for a dialect without a session
    /// exchange.
    Accepted {
        /// The session config.
        config: Vec<u8>,
    },
    /// A message of the game, its id first. The time of one with a timestamp is by our clock.
    Message(Incoming),
    /// The connection is over. The last event.
    Ended(Ending),
}

/// How a connection ended, or never came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Nobody answered our requests.
    Unanswered,
    /// The server refused before there was a connection.
    Refused(Refusal),
    /// The connection password was wrong.
    WrongPassword,
    /// The connection was opened, but the server did not go on with it within 10 s.
    Stalled,
    /// The server decided against us, for this reason.
    Rejected(Vec<u8>),
    /// The server gave neither an answer nor a status for the session timeout.
    SessionTimeout,
    /// The server sent during the handshake what the protocol does not allow.
    Broken(Malformed),
    /// The server ended the connection, for this reason.
    Disconnected(Vec<u8>),
    /// The server went silent.
    Lost,
    /// We left.
    Left,
}
