//! What the game says to a peer before it can know that it is in.

use super::super::connection::{Connection, SendError};
use super::super::limits::CHANNELS;
use super::super::reliability::Reliability;

/// How many messages may wait.
const MOST: usize = 256;

/// Messages that wait, in order.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    messages: Vec<Later>,
    bytes: usize,
}

#[derive(Debug)]
struct Later {
    bytes: Box<[u8]>,
    reliability: Reliability,
    channel: u8,
}

impl Waiting {
    /// Lets a message wait, if no more than so many bytes do then.
    pub(super) fn add(
        &mut self,
        bytes: &[u8],
        reliability: Reliability,
        channel: u8,
        most: usize,
    ) -> Result<(), SendError> {
        if channel >= CHANNELS {
            return Err(SendError::Channel(channel));
        }
        if self.messages.len() >= MOST || self.bytes + bytes.len() > most {
            return Err(SendError::Full);
        }
        self.bytes += bytes.len();
        self.messages.push(Later {
            bytes: bytes.into(),
            reliability,
            channel,
        });
        Ok(())
    }

    /// Sends all of them.
    pub(super) fn send(self, connection: &mut Connection) {
        for later in self.messages {
            // What waits takes about what a queue takes that is empty now; if a little does not fit, it is
            // lost like anything that comes while the queue is full.
            let _ = connection.send(&later.bytes, later.reliability, later.channel);
        }
    }
}
