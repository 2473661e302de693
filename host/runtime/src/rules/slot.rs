//! The slot that rules are loaded in.

use super::instance::StartError;
use super::module::{RulesCode, RulesModule};
use crate::clock::Clock;
use crate::config::{Params, Source};
use crate::engine::Engine;
use crate::guest::Owner;
use crate::load::{self, LoadError};
use crate::slot::{Loaded, Slot};
use crate::status::{GenerationInfo, LoadFailure, Reload, RollbackError, SlotStatus, fail_word};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use usher_core::{FailMode, Fault, TakenView};

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
pub struct RulesSlot {
    engine: Arc<Engine>,
    clock: Clock,
    slot: Slot<RulesCode>,
    settings: Mutex<(Duration, Arc<Params>)>,
}

impl RulesSlot {
    /// Loads the module. Blocks while it compiles.
    pub fn load(
        engine: Arc<Engine>,
        config: RulesConfig,
        clock: Clock,
    ) -> Result<RulesSlot, LoadFailure> {
        let params = Arc::new(config.params);
        let slot = Slot::open(&config.name, config.source, clock(), |bytes, number| {
            load(&engine, &config.name, &params, bytes, number)
        })?;
        Ok(RulesSlot {
            engine,
            clock,
            slot,
            settings: Mutex::new((config.deadline, params)),
        })
    }

    /// The generation that new instances are made of, with the params and deadline of now.
    pub fn current(&self) -> RulesModule {
        let (deadline, params) = self.settings().clone();
        RulesModule::new(self.slot.current(), params, deadline)
    }

    /// As [`crate::Policies::reload`].
    pub fn reload(&self, force: bool) -> Result<Reload, LoadFailure> {
        let params = Arc::clone(&self.settings().1);
        self.slot.reload(force, (self.clock)(), |bytes, number| {
            load(&self.engine, self.slot.name(), &params, bytes, number)
        })
    }

    /// As [`crate::Policies::rollback`].
    pub fn rollback(&self) -> Result<GenerationInfo, RollbackError> {
        let current = self.slot.rollback()?;
        Ok(current.info.clone())
    }

    /// The generation could not take a room over: goes back to the one that plays on, if this is still
    /// the current one, and remembers `why`. After a reload that is the one before, and these bytes are
    /// not loaded again until they change; after a rollback, the one that was rolled back from.
    pub fn refuse(&self, generation: u64, why: &StartError) {
        self.slot.refuse(generation, why.to_string());
    }

    /// Counts a call, and its fault if it had one, for [`RulesSlot::status`]. Instances live apart from
    /// the slot, so whoever calls them tells it.
    pub fn note<T>(&self, result: &Result<T, Fault>) {
        self.slot.called();
        if let Err(fault) = result {
            // Whoever called them logs it: it is told in which call.
            let _ = self.slot.faulted(&fault.message, (self.clock)());
        }
    }

    /// Changes params and deadline, for instances made from now on. A room that cannot take these up
    /// plays on with the same generation.
    pub fn configure(&self, deadline: Duration, params: Params) {
        // What is current plays by now: only the params are new, so only they can be refused.
        self.slot.settle();
        *self.settings() = (deadline, Arc::new(params));
    }

    /// How it does.
    pub fn status(&self) -> SlotStatus {
        self.slot.status(fail_word(FailMode::Closed))
    }

    fn settings(&self) -> MutexGuard<'_, (Duration, Arc<Params>)> {
        // Replaced whole.
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn load(
    engine: &Arc<Engine>,
    slot: &Arc<str>,
    params: &Arc<Params>,
    bytes: &[u8],
    number: u64,
) -> Result<Loaded<RulesCode>, LoadError> {
    let owner = Owner {
        slot: Arc::clone(slot),
        generation: number,
        memory: engine.config().rules_memory,
        // Rules have no import for it.
        taken: TakenView::default(),
    };
    let compiled = load::compile(engine, bytes)?;
    let tried = RulesCode::load(engine, &compiled, owner, params)?;
    Ok(Loaded {
        module: tried.code,
        description: tried.description,
        compile: compiled.took,
    })
}
