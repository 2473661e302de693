//! What rules want done.

use std::sync::Arc;
use usher_core::{Reason, SessionId};

/// How a message travels. A protocol without the kind asked for uses the nearest that it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// May be lost, order not kept.
    Unreliable,
    /// May be lost; an older one is never delivered after a newer one.
    Sequenced,
    /// Arrives once, in any order.
    Reliable,
    /// Arrives once, in order.
    Ordered,
}

/// Game data, opaque to the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// At most 65,536 bytes from rules; the door may carry less.
    pub data: Arc<[u8]>,
    /// How it travels.
    pub delivery: Delivery,
    /// The protocol's channel; 0 where it has none.
    pub channel: u8,
}

/// What rules want done; applied in order after the call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// A message for one player.
    Send {
        /// Whom.
        to: SessionId,
        /// What.
        message: Message,
    },
    /// A message for everyone in the room.
    Broadcast {
        /// Those who do not get it.
        except: Vec<SessionId>,
        /// What.
        message: Message,
    },
    /// End a player's session.
    Kick {
        /// Whom.
        session: SessionId,
        /// Why.
        reason: Reason,
    },
    /// Close the room to new players.
    Close(Reason),
    /// Take new players again.
    Open,
    /// A line for the operator's log, escaped and at most 1,024 bytes long.
    Say(String),
}
