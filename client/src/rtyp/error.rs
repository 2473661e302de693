//! Why there is no session, or no more.

use std::io;

use usher_wire::rtyp::{EncodeError, LogoutReason, Malformed, RejectReason};

/// How a login or a session fails. After any of them but [`TooLong`](Error::TooLong) the client is of no
/// further use: drop it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no TCP connection: the address did not resolve, nobody answered, or not in time.
    #[error("the server cannot be reached: {0}")]
    Unreachable(#[source] io::Error),
    /// The server answered the login with a rejection.
    #[error("the server rejected the login: {0}")]
    Rejected(RejectReason),
    /// The login was accepted, and no Accept came within 5 seconds. The session was left.
    #[error("the server cannot be reached over UDP: a firewall, usually")]
    NoUdp,
    /// The server sent over TCP what the protocol does not allow.
    #[error("the server broke the protocol: {0}")]
    Protocol(#[from] Breach),
    /// The server ended the session. An unknown reason reads as `Shutdown`.
    #[error("the server ended the session: {0}")]
    Ended(LogoutReason),
    /// The TCP connection closed or failed without a word, and the session ended with it.
    #[error("the connection to the server was lost: {0}")]
    Lost(#[source] io::Error),
    /// The local UDP socket failed.
    #[error("the UDP socket failed: {0}")]
    Udp(#[source] io::Error),
    /// What was to be sent does not fit in a datagram. The session goes on.
    #[error(transparent)]
    TooLong(#[from] EncodeError),
}

/// What a server did that the protocol does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// A frame or message that is malformed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A good message at the wrong time: a Logout for an answer, or anything but Logout after it.
    #[error("it sent a {0} when that was not expected")]
    Unexpected(&'static str),
    /// A LoginAccepted with UDP port 0, to which nothing can be sent.
    #[error("it accepted the login with UDP port 0")]
    NoPort,
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Self::Protocol(Breach::Malformed(malformed))
    }
}
