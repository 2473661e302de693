//! What a connection goes through, for people who watch it.

use std::fmt;
use std::net::SocketAddr;

/// A step of [`Client::connect`](super::Client::connect), told when it has been taken.
///
/// `Display` is a line for a terminal, with what the server said escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The server speaks WebSocket. It has not decided anything.
    Connected {
        /// The server.
        server: SocketAddr,
    },
    /// The payload is on its way; the answer may take long, when the server has a queue.
    Requested,
    /// The server has us wait on, and says this.
    Status {
        /// Mostly text.
        text: Vec<u8>,
        /// The place in a queue, from 1.
        position: Option<u32>,
    },
    /// We are in.
    Accepted(Accepted),
}

/// What a server gives those whom it lets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The session's number.
    pub session: u64,
    /// The player's number, where there is one.
    pub number: Option<u32>,
    /// The name that others see.
    pub name: String,
    /// The room.
    pub room: String,
    /// What the policy gives the client; mostly text.
    pub config: Vec<u8>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes| String::from_utf8_lossy(bytes).escape_debug().to_string();
        match self {
            Self::Connected { server } => write!(f, "connected to {server}"),
            Self::Requested => f.write_str("request sent, waiting for the answer"),
            Self::Status {
                text: said,
                position: Some(position),
            } => write!(f, "waiting at {position}: {}", text(said)),
            Self::Status { text: said, .. } => write!(f, "waiting: {}", text(said)),
            Self::Accepted(Accepted {
                session,
                name,
                config,
                ..
            }) => {
                write!(f, "accepted as {}, session {session}", name.escape_debug())?;
                match config.is_empty() {
                    true => Ok(()),
                    false => write!(f, ", with {}", text(config)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_stays_on_its_line() {
        let status = Step::Status {
            text: b"Wait\n\x1b[2J".to_vec(),
            position: Some(3),
        };
        assert_eq!(status.to_string(), "waiting at 3: Wait\\n\\u{1b}[2J");
        let accepted = Step::Accepted(Accepted {
            session: 7,
            number: None,
            name: "R\n9".to_owned(),
            room: "main".to_owned(),
            config: b"{}".to_vec(),
        });
        assert_eq!(
            accepted.to_string(),
            "accepted as R\\n9, session 7, with {}"
        );
    }
}
