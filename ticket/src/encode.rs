//! From a ticket to bytes, as a client sends them: compact, keys in the order of the schema.

use crate::decode::MAX_BYTES;
use crate::ticket::JoinTicket;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

impl JoinTicket {
    /// The payload of a connection's first message. What is absent is left out.
    ///
    /// Fails for a ticket that no server would take, which only one with several hundred characters beyond
    /// ASCII can be.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut json = format!(
            r#"{{"v":1,"kind":"{}","protocolVersion":{}"#,
            self.kind(),
            self.protocol_version()
        );
        for (key, text) in [
            ("playerId", Some(self.player_id().as_str())),
            ("reservationId", self.reservation_id().map(|it| it.expose())),
            ("ticketId", self.ticket_id().map(|it| it.expose())),
            ("allocationId", self.allocation_id().map(|it| it.as_str())),
            ("displayName", self.display_name().map(|it| it.as_str())),
        ] {
            if let Some(text) = text {
                json.push_str(&format!(r#","{key}":{}"#, quoted(text)));
            }
        }
        json.push('}');
        match json.len() <= MAX_BYTES {
            true => Ok(json.into_bytes()),
            false => Err(EncodeError::TooLarge { bytes: json.len() }),
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text can be written as JSON, to memory")
}

/// Why a ticket cannot be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// It would be longer than [`MAX_BYTES`].
    TooLarge {
        /// How long, in bytes.
        bytes: usize,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::TooLarge { bytes } => write!(
                f,
                "the join ticket would have {bytes} bytes, and {MAX_BYTES} is the most"
            ),
        }
    }
}

impl core::error::Error for EncodeError {}
