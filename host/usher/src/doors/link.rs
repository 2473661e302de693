//! What a door is to the rooms.

use usher_core::SessionId;
use usher_runtime::Message;

/// Carries game data to players.
pub trait DataLink: Send + Sync {
    /// Sends a message to a player, unless too many wait already: then what may be lost is dropped and
    /// counted, and what is promised to arrive blocks, where the protocol can promise, until the door has
    /// caught up. It travels by the kind of delivery that the protocol has and that is nearest to what is
    /// asked. What the protocol cannot carry, and what finds nobody, is dropped and counted.
    fn send(&self, to: SessionId, message: Message);

    /// Sends several messages, in this order, as [`send`](DataLink::send) does.
    fn send_all(&self, messages: Vec<(SessionId, Message)>) {
        for (to, message) in messages {
            self.send(to, message);
        }
    }
}
