//! What others want of the door's thread.

use crate::core_loop::DoorEvent;
use usher_core::SessionId;
use usher_runtime::Message;

/// How many messages of the rules may wait to be sent: of those that are promised to arrive, and of the others.
pub(super) const MESSAGES: usize = 8192;

/// An order.
pub(super) enum Order {
    /// The core has decided something about a peer.
    Event(DoorEvent),
    /// The rules have something for a player that is promised to arrive.
    Message(SessionId, Message),
    /// They have something for players that may be lost.
    Messages(Vec<(SessionId, Message)>),
    /// Take nobody in any more, and end once everyone has heard their last word, soon.
    Close,
}

impl Order {
    /// How much of a turn it is.
    pub(super) fn weight(&self) -> usize {
        match self {
            Order::Messages(messages) => messages.len(),
            _ => 1,
        }
    }
}
