//! What all connections of a door share.

use super::peers::Peers;
use crate::config::WebSocket;
use crate::core_loop::Handle;
use crate::doors::game::Game;
use crate::doors::strangers::Strangers;
use std::sync::Arc;
use tokio::sync::watch;
use usher_core::DoorId;

/// The door, as its connections see it.
pub(super) struct Shared {
    pub(super) id: DoorId,
    pub(super) name: Arc<str>,
    pub(super) protocol: Arc<str>,
    pub(super) room: Arc<str>,
    pub(super) config: WebSocket,
    /// Whether players come with join tickets, and are told so in their words.
    pub(super) tickets: bool,
    /// The name of the attribute that holds a web page's origin.
    pub(super) origin: Arc<str>,
    pub(super) core: Handle,
    pub(super) game: Game,
    pub(super) peers: Peers,
    pub(super) strangers: Strangers,
    /// Whether the door closes.
    pub(super) closing: watch::Receiver<bool>,
}
