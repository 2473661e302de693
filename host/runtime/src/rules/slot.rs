//! The slot that rules are loaded in.

use super::instance::{RulesModule, StartError};
use crate::config::{Params, Source};
use crate::engine::Engine;
use crate::load::LoadError;
use crate::policies::Clock;
use crate::status::{GenerationInfo, LoadFailure, Reload, RollbackError, SlotStatus};
use std::sync::Arc;
use std::time::Duration;

/// A rules slot.
#[derive(Clone, Debug)]
pub struct RulesConfig {
    /// The name in the configuration.
    pub name: Arc<str>,
    /// Where the module comes from.
    pub source: Source,
    /// How long one call may run.
    pub deadline: Duration,
    /// The module's params.
    pub params: Params,
}

/// Holds the generations of the rules. Rooms are swapped by whoever plays them: `save` the old
/// instance, `start` one of [`RulesSlot::current`], and on an error keep the old one and
/// [`RulesSlot::refuse`] the new generation.
pub struct RulesSlot(RulesConfig);

impl RulesSlot {
    /// Loads the module. Blocks while it compiles.
    pub fn load(
        engine: Arc<Engine>,
        config: RulesConfig,
        clock: Clock,
    ) -> Result<RulesSlot, LoadFailure> {
        let _ = (engine, clock);
        Ok(RulesSlot(config))
    }

    /// The generation that new instances are made of, with the params and deadline of now.
    pub fn current(&self) -> RulesModule {
        unreachable!("first sketch")
    }

    /// As [`crate::Policies::reload`].
    pub fn reload(&self, force: bool) -> Result<Reload, LoadFailure> {
        let _ = force;
        Err(LoadFailure {
            slot: self.0.name.clone(),
            error: LoadError::NoSuchSlot,
            took: Duration::ZERO,
        })
    }

    /// As [`crate::Policies::rollback`].
    pub fn rollback(&self) -> Result<GenerationInfo, RollbackError> {
        Err(RollbackError::NothingOlder(self.0.name.clone()))
    }

    /// The generation could not take a room over: goes back to the one before, if this is still the
    /// current one, and remembers `why`. Its bytes are not loaded again until they change.
    pub fn refuse(&self, generation: u64, why: &StartError) {
        let _ = (generation, why);
    }

    /// Changes params and deadline, for instances made from now on.
    pub fn configure(&self, deadline: Duration, params: Params) {
        let _ = (deadline, params);
    }

    /// How it does.
    pub fn status(&self) -> SlotStatus {
        unreachable!("first sketch")
    }
}
