//! The admission policies: slots and the workers that call them.

use crate::config::{SlotConfig, SlotSettings};
use crate::engine::Engine;
use crate::job::{Job, Reply};
use crate::load::LoadError;
use crate::status::{GenerationInfo, LoadFailure, Reload, RollbackError, SlotStatus};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Moment, Pin, TakenView};

/// Says what time it is. The caller's, so that a moment here is the moment that the core means.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// The admission policies. Dropping it ends the workers once they have finished the call that they are
/// in; jobs that still wait are dropped.
pub struct Policies {
    slots: Vec<SlotConfig>,
}

impl Policies {
    /// Loads a module for every slot, in the order of their `SlotId`s, and starts the workers. Blocks
    /// while it compiles. `on_reply` is called on a worker's thread and should only hand over.
    pub fn start(
        engine: Arc<Engine>,
        slots: Vec<SlotConfig>,
        taken: TakenView,
        workers: NonZeroUsize,
        clock: Clock,
        on_reply: impl Fn(Reply) + Send + Sync + 'static,
    ) -> Result<Policies, LoadFailure> {
        let _ = (engine, taken, workers, clock, on_reply);
        Ok(Policies { slots })
    }

    /// Hands in a job. Never blocks.
    pub fn submit(&self, job: Job) {
        drop(job);
    }

    /// The current generation, params and deadline of every slot, to be kept in a core snapshot. An ask
    /// is answered by what its snapshot pinned.
    pub fn pin(&self) -> Pin {
        Pin(Arc::new(()))
    }

    /// Reads a slot's module again and, if it is new and good, makes it the current generation. Blocks
    /// while it compiles. Bytes that are already loaded, that were refused last or that an operator
    /// rolled back from are left alone unless `force` is set. If it fails the old generation serves on.
    pub fn reload(&self, slot: &str, force: bool) -> Result<Reload, LoadFailure> {
        let _ = force;
        Err(LoadFailure {
            slot: slot.into(),
            error: LoadError::NoSuchSlot,
            took: Duration::ZERO,
        })
    }

    /// Goes back to the generation before, which is still in memory, whatever became of the file. What
    /// is in the file now is not loaded again until it changes.
    pub fn rollback(&self, slot: &str) -> Result<GenerationInfo, RollbackError> {
        Err(RollbackError::NoSuchSlot(slot.into()))
    }

    /// Changes a slot's settings, from the next pin on. `false` if there is no such slot.
    pub fn configure(&self, slot: &str, settings: SlotSettings) -> bool {
        let _ = settings;
        self.slots.iter().any(|known| &*known.name == slot)
    }

    /// How every slot does, in the order of their `SlotId`s.
    pub fn status(&self) -> Vec<SlotStatus> {
        Vec::new()
    }
}
