//! Messages of a player that the rules cannot be given yet: they do not know the player, or cannot keep up.
//!
//! What was promised to arrive must not be dropped because the rules are slow for a moment. It is bounded: a
//! player who goes on sending to rules that are stuck is given up.

use std::collections::VecDeque;
use usher_runtime::{Delivery, Message};

/// How many messages, and bytes, one player may have in it.
const MESSAGES: usize = 256;
const BYTES: usize = 1 << 20;

/// The messages of one player, in order.
#[derive(Default)]
pub(super) struct Backlog {
    messages: VecDeque<Message>,
    bytes: usize,
}

impl Backlog {
    /// Adds a message. False: there is no room.
    pub(super) fn push(&mut self, message: Message) -> bool {
        let bytes = self.bytes + message.data.len();
        if self.messages.len() >= MESSAGES || bytes > BYTES {
            return false;
        }
        self.bytes = bytes;
        self.messages.push_back(message);
        true
    }

    /// Hands messages on for as long as they are taken. True: all of them were.
    pub(super) fn drain(&mut self, mut take: impl FnMut(Message) -> bool) -> bool {
        while let Some(message) = self.messages.front() {
            if !take(message.clone()) {
                return false;
            }
            self.bytes -= message.data.len();
            self.messages.pop_front();
        }
        true
    }
}

/// Whether a message may not be dropped once it has arrived.
pub(super) fn is_promised(message: &Message) -> bool {
    matches!(message.delivery, Delivery::Reliable | Delivery::Ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(length: usize) -> Message {
        Message {
            data: vec![7; length].into(),
            delivery: Delivery::Ordered,
            channel: 0,
        }
    }

    #[test]
    fn it_is_bounded_and_keeps_order() {
        let mut backlog = Backlog::default();
        let fits = (0..1_000).take_while(|length| backlog.push(message(*length)));
        assert_eq!(fits.count(), MESSAGES);
        let mut lengths = Vec::new();
        assert!(!backlog.drain(|message| {
            let taken = lengths.len() < 10;
            lengths.extend(taken.then_some(message.data.len()));
            taken
        }));
        assert!(!backlog.push(message(BYTES)));
        assert!(backlog.drain(|message| {
            lengths.push(message.data.len());
            true
        }));
        assert_eq!(lengths, (0..MESSAGES).collect::<Vec<_>>());
        assert_eq!(backlog.bytes, 0);
        assert!(backlog.push(message(BYTES)));
    }
}
