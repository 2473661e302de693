//! What a door is to the rooms.

use std::sync::Arc;
use usher_core::SessionId;

/// Carries game data to players.
pub trait DataLink: Send + Sync {
    /// Sends a message to a player, unless too many wait already. Never blocks. What the protocol
    /// cannot carry, and what finds nobody, is dropped and counted.
    fn send(&self, to: SessionId, data: Arc<[u8]>);
}
