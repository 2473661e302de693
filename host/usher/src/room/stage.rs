//! The world around a game: players, the core, time and chance.

use crate::core_loop::Handle;
use crate::doors::link::DataLink;
use rand::Rng as _;
use rand::rngs::StdRng;
use std::sync::Arc;
use usher_core::{Input, Player, SessionId};
use usher_runtime::{At, Message};

/// What a game acts on.
pub(super) trait Stage {
    /// This moment, and chance for one call.
    fn at(&mut self) -> At;

    /// Game data for a player. It may wait until the next [`flush`](Stage::flush).
    fn send(&mut self, to: &Player, message: Message);

    /// Has what was sent be on its way.
    fn flush(&mut self);

    /// Something for the core, behind what was sent.
    fn tell_core(&mut self, input: Input);
}

/// The host's.
pub(super) struct Host {
    core: Handle,
    /// By `DoorId`.
    doors: Vec<Outgoing>,
    chance: StdRng,
}

/// A door, and what it is to carry next: handed over in one piece, so that it is woken once for all of it.
struct Outgoing {
    door: Arc<dyn DataLink>,
    messages: Vec<(SessionId, Message)>,
}

/// How many messages are put together at most.
const TOGETHER: usize = 256;

impl Host {
    pub(super) fn new(core: Handle, doors: Vec<Arc<dyn DataLink>>, chance: StdRng) -> Host {
        let doors = doors.into_iter().map(|door| Outgoing {
            door,
            messages: Vec::new(),
        });
        Host {
            core,
            doors: doors.collect(),
            chance,
        }
    }
}

impl Outgoing {
    fn flush(&mut self) {
        if !self.messages.is_empty() {
            // The next ones are likely to be as many.
            let next = Vec::with_capacity(self.messages.len());
            self.door
                .send_all(std::mem::replace(&mut self.messages, next));
        }
    }
}

impl Stage for Host {
    fn at(&mut self) -> At {
        At {
            now: self.core.clock().now(),
            seed: self.chance.next_u64(),
        }
    }

    fn send(&mut self, to: &Player, message: Message) {
        if let Some(outgoing) = self.doors.get_mut(usize::from(to.door.0)) {
            outgoing.messages.push((to.session, message));
            if outgoing.messages.len() >= TOGETHER {
                outgoing.flush();
            }
        }
    }

    fn flush(&mut self) {
        self.doors.iter_mut().for_each(Outgoing::flush);
    }

    fn tell_core(&mut self, input: Input) {
        // Who is sent away hears first what was said before.
        self.flush();
        self.core.send(input);
    }
}
