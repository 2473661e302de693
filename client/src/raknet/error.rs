//! Why there is no session, or no more.

use std::fmt;
use std::io;

use usher_wire::raknet::initiator::{Ending, Unsent};
use usher_wire::raknet::{Malformed, Refusal};

/// How a connection or a session fails. After any of them but [`Unsent`](Error::Unsent) the client is of no
/// further use: drop it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name has no IPv4 address, or nobody answered there.
    #[error("the server cannot be reached: {0}")]
    Unreachable(#[source] io::Error),
    /// Password or payload are longer than the protocol carries.
    #[error("the {what} is longer than {most} bytes")]
    TooLong {
        /// Which of them.
        what: &'static str,
        /// What there is room for.
        most: usize,
    },
    /// The server refused the connection before it was asked for anything.
    #[error("the server refused the connection: {}", told(*.0))]
    Refused(Refusal),
    /// The server wants another connection password.
    #[error("the server refused the password")]
    WrongPassword,
    /// The server decided against us, for this reason, which mostly is text. It may be empty.
    #[error("the server rejected the request{}", Because(.0))]
    Rejected(Vec<u8>),
    /// The server opened a connection and then gave neither an answer nor a status in time.
    #[error("the server did not answer the request in time")]
    TimedOut,
    /// The server sent what the protocol does not allow.
    #[error("the server broke the protocol: {0}")]
    Protocol(#[source] Malformed),
    /// The server ended the session, for this reason, which mostly is text. It may be empty.
    #[error("the server ended the session{}", Because(.0))]
    Ended(Vec<u8>),
    /// The server went silent.
    #[error("the connection to the server was lost")]
    Lost,
    /// The local socket failed.
    #[error("the UDP socket failed: {0}")]
    Udp(#[source] io::Error),
    /// What was to be sent cannot be sent. The session goes on.
    #[error(transparent)]
    Unsent(#[from] Unsent),
}

impl From<Ending> for Error {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Unanswered => Self::Unreachable(io::ErrorKind::TimedOut.into()),
            Ending::Refused(refusal) => Self::Refused(refusal),
            Ending::WrongPassword => Self::WrongPassword,
            Ending::Rejected(reason) => Self::Rejected(reason),
            Ending::Stalled | Ending::SessionTimeout => Self::TimedOut,
            Ending::Broken(malformed) => Self::Protocol(malformed),
            Ending::Disconnected(reason) => Self::Ended(reason),
            Ending::Lost => Self::Lost,
            // Only asked for by our own goodbye, after which nobody asks for an error.
            Ending::Left => Self::Unsent(Unsent::NotConnected),
        }
    }
}

/// A refusal for people.
fn told(refusal: Refusal) -> String {
    let why = match refusal {
        Refusal::AttemptFailed => "it gives no reason".to_owned(),
        Refusal::AlreadyConnected => "this address or client is connected already".to_owned(),
        Refusal::Full => "it has no free connections".to_owned(),
        Refusal::Banned => "this address is banned".to_owned(),
        Refusal::IncompatibleProtocol(theirs) => format!("it speaks protocol {theirs}"),
        Refusal::RecentlyConnected => "this address tried a moment ago".to_owned(),
    };
    format!("{why} ({:#04x})", refusal.id())
}

/// What a server said, on one line.
struct Because<'a>(&'a [u8]);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(" without a reason");
        }
        write!(f, ": {}", String::from_utf8_lossy(self.0).escape_debug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sentences_on_one_line() {
        for (error, sentence) in [
            (
                Error::Refused(Refusal::Full),
                "the server refused the connection: it has no free connections (0x14)",
            ),
            (
                Error::Refused(Refusal::IncompatibleProtocol(7)),
                "the server refused the connection: it speaks protocol 7 (0x19)",
            ),
            (
                Error::Rejected("You are banné\n".into()),
                "the server rejected the request: You are banné\\n",
            ),
            (
                Error::Rejected(Vec::new()),
                "the server rejected the request without a reason",
            ),
        ] {
            assert_eq!(error.to_string(), sentence);
        }
    }
}
