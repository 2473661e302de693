//! What a connection goes through, for people who watch it.

use std::fmt;
use std::net::SocketAddrV4;

/// A step of [`Client::connect`](super::Client::connect), told when it has been taken.
///
/// `Display` is a line for a terminal, with what the server said escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A request was sent. Told for every one, until the server answers.
    Asked {
        /// Which: 1 for the first.
        attempt: u32,
        /// The size of datagram that it tries, IP and UDP headers included, in bytes.
        mtu: u16,
    },
    /// The server has a place for the connection. It has not decided anything.
    Opened {
        /// The server.
        server: SocketAddrV4,
        /// The size of datagram that both sides use.
        mtu: u16,
    },
    /// The payload is on its way; the answer may take long, when the server has a queue.
    Requested,
    /// The server has us wait on, and says this.
    Status(Vec<u8>),
    /// We are in, with this config from the server.
    Accepted {
        /// What the server gives those whom it lets in.
        config: Vec<u8>,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes| String::from_utf8_lossy(bytes).escape_debug().to_string();
        match self {
            Self::Asked { attempt, mtu } => write!(f, "request {attempt} sent, {mtu} bytes"),
            Self::Opened { server, mtu } => write!(f, "connected to {server}, {mtu} bytes"),
            Self::Requested => f.write_str("request sent, waiting for the answer"),
            Self::Status(status) => write!(f, "waiting: {}", text(status)),
            Self::Accepted { config } if config.is_empty() => f.write_str("accepted"),
            Self::Accepted { config } => write!(f, "accepted with {}", text(config)),
        }
    }
}
