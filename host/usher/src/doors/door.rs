//! What every door is to the host, whatever its protocol.

use super::game::Game;
use super::link::DataLink;
use crate::core_loop::{DoorLink, Handle};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use tokio::task::JoinSet;

/// A door whose ports are taken, and that nobody can enter yet.
pub trait Bound: Send {
    /// Where it listens, with the ports that port 0 became.
    fn addresses(&self) -> Addresses;

    /// Lets players in. The tasks that must not end before the door closes are added to `parts`. Must be
    /// called within a runtime.
    ///
    /// # Errors
    ///
    /// What the system says when it has no thread or no socket to give.
    fn open(
        self: Box<Self>,
        core: Handle,
        game: Game,
        parts: &mut JoinSet<()>,
    ) -> io::Result<Arc<dyn Door>>;
}

/// An open door.
pub trait Door: DoorLink + DataLink {
    /// What it holds now.
    fn holds(&self) -> Holds;

    /// Takes nobody in any more, and waits until the last peer was told what it had to be told.
    fn close(&self) -> Closing<'_>;
}

/// What a door holds of its own, beside what the core knows of its peers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Holds {
    /// Peers by where they stand, which the protocol has words for. All 0 with nobody there.
    pub peers: Vec<(&'static str, u32)>,
    /// Bytes of what peers sent and what is not whole, or not decided about.
    pub bytes: u64,
}

/// A door that closes. Waits for it must be bounded by whoever waits.
pub type Closing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Where a door listens; at one of these at least.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Addresses {
    /// Where it takes connections.
    pub tcp: Option<SocketAddr>,
    /// Where it takes datagrams.
    pub udp: Option<SocketAddr>,
}
