//! What a login goes through, for people who watch it.

use std::fmt;
use std::net::SocketAddr;

/// A step of [`Client::connect`](super::Client::connect), told when it has been taken.
///
/// `Display` is a line for a terminal. None of them shows the session token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The TCP connection is there.
    Connected {
        /// The server's end of it.
        server: SocketAddr,
    },
    /// The login was sent; the answer may take long, when the server has a queue.
    LoginSent,
    /// The login was accepted: the session exists.
    Accepted {
        /// The player's number.
        player: u8,
        /// Where the datagrams go.
        udp: SocketAddr,
    },
    /// A Connect was sent. Told for every one, until an Accept comes.
    ConnectSent {
        /// Which one: 1 for the first.
        attempt: u32,
    },
    /// The server bound our endpoint: the game may start.
    Bound {
        /// Our endpoint.
        local: SocketAddr,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected { server } => write!(f, "connected to {server}"),
            Self::LoginSent => f.write_str("login sent, waiting for the answer"),
            Self::Accepted { player, udp } => {
                write!(f, "accepted as player {player}, UDP at {udp}")
            }
            Self::ConnectSent { attempt } => write!(f, "Connect {attempt} sent"),
            Self::Bound { local } => write!(f, "bound from {local}"),
        }
    }
}
