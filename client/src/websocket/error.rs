//! Why there is no session, or no more.

use std::io;

/// How a connection or a session fails. After any of them but [`Unsent`](Error::Unsent) the client is of no
/// further use: drop it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is not one of `ws://HOST:PORT/PATH`.
    #[error("{0} is not an address such as ws://127.0.0.1:4245/")]
    Address(String),
    /// The name does not resolve, or nobody answered there.
    #[error("the server cannot be reached: {0}")]
    Unreachable(#[source] io::Error),
    /// The payload is longer than the protocol carries.
    #[error("the payload is longer than {most} bytes")]
    TooLong {
        /// What there is room for.
        most: usize,
    },
    /// The server answered the handshake with something else than a WebSocket.
    #[error("the server refused the connection: HTTP status {status}{}", because(.text))]
    Refused {
        /// The status.
        status: u16,
        /// What the server says of it.
        text: String,
    },
    /// The server decided against us.
    #[error("the server rejected the request: {}{}", shown(.code), because(.text))]
    Rejected {
        /// The reason, in a word for programs.
        code: String,
        /// The same in a sentence; may be empty.
        text: String,
        /// The policy's own number, where it has one.
        number: Option<u32>,
    },
    /// The server gave neither an answer nor a status in time.
    #[error("the server did not answer the request in time")]
    TimedOut,
    /// The server sent what the protocol does not allow.
    #[error("the server broke the protocol: {0}")]
    Protocol(String),
    /// The server ended the session.
    #[error("the server ended the session: {}{}", shown(.reason), because(.text))]
    Ended {
        /// Why, in a word.
        reason: String,
        /// The same in a sentence; may be empty.
        text: String,
    },
    /// The connection broke.
    #[error("the connection to the server was lost")]
    Lost,
    /// What was to be sent is longer than a message may be. The session goes on.
    #[error("a message must not have more than {most} bytes")]
    Unsent {
        /// What there is room for.
        most: usize,
    },
}

/// What a server said, on one line.
fn shown(text: &str) -> String {
    text.escape_debug().to_string()
}

fn because(text: &str) -> String {
    match text.trim_end() {
        "" => String::new(),
        text => format!(": {}", shown(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sentences_on_one_line() {
        for (error, sentence) in [
            (
                Error::Refused {
                    status: 403,
                    text: "web pages of this origin may not connect\n".to_owned(),
                },
                "the server refused the connection: HTTP status 403: web pages of this origin may not connect",
            ),
            (
                Error::Rejected {
                    code: "banned".to_owned(),
                    text: "You are\nbanned.".to_owned(),
                    number: None,
                },
                "the server rejected the request: banned: You are\\nbanned.",
            ),
            (
                Error::Ended {
                    reason: "shutdown".to_owned(),
                    text: String::new(),
                },
                "the server ended the session: shutdown",
            ),
        ] {
            assert_eq!(error.to_string(), sentence);
        }
    }
}
