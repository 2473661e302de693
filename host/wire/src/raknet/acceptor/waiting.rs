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

/// One of them.
#[derive(Debug)]
pub(super) struct Later {
    bytes: Box<[u8]>,
    reliability: Reliability,
    channel: u8,
}

impl Later {
    /// Whether it cannot arrive before what was said on channel 0 until now.
    pub(super) fn follows(&self) -> bool {
        self.reliability == Reliability::ReliableOrdered && self.channel == 0
    }
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

    /// Sends those that are wanted, and forgets the others.
    pub(super) fn send(self, connection: &mut Connection, wanted: impl Fn(&Later) -> bool) {
        for later in self.messages.into_iter().filter(wanted) {
            // What waits takes about what a queue takes that is empty now; if a little does not fit, it is
            // lost like anything that comes while the queue is full.
            let _ = connection.send(&later.bytes, later.reliability, later.channel);
        }
    }
}
