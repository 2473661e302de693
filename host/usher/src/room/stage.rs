//! The world around a game: players, the core, time and chance.

use crate::core_loop::Handle;
use crate::doors::link::DataLink;
use rand::Rng as _;
use rand::rngs::StdRng;
use std::sync::Arc;
use usher_core::{Input, Player};
use usher_runtime::{At, Message};

/// What a game acts on.
pub(super) trait Stage {
    /// This moment, and chance for one call.
    fn at(&mut self) -> At;

    /// Game data for a player.
    fn send(&mut self, to: &Player, message: Message);

    /// Something for the core.
    fn tell_core(&mut self, input: Input);
}

/// The host's.
pub(super) struct Host {
    pub(super) core: Handle,
    /// By `DoorId`.
    pub(super) doors: Vec<Arc<dyn DataLink>>,
    pub(super) chance: StdRng,
}

impl Stage for Host {
    fn at(&mut self) -> At {
        At {
            now: self.core.clock().now(),
            seed: self.chance.next_u64(),
        }
    }

    fn send(&mut self, to: &Player, message: Message) {
        if let Some(door) = self.doors.get(usize::from(to.door.0)) {
            door.send(to.session, message);
        }
    }

    fn tell_core(&mut self, input: Input) {
        self.core.send(input);
    }
}
