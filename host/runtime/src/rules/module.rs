//! Loaded rules: what instances are made of.

use super::instance::{At, RulesInstance, StartError};
use crate::bindings::game::GameRulesPre;
use crate::config::Params;
use crate::effect::Effect;
use crate::engine::Engine;
use crate::fault::of_start;
use crate::generation::Generation;
use crate::guest::{self, Owner, State};
use crate::imports::log::Lines;
use crate::load::{self, Compiled, LoadError, World};
use crate::status::GenerationInfo;
use crate::translate::description::Description;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Fault, FaultKind, Moment};

/// How long a canned call may run.
const CANNED: Duration = Duration::from_secs(1);

/// The code of rules, linked.
pub(crate) struct RulesCode {
    engine: Arc<Engine>,
    linked: GameRulesPre<State>,
    owner: Owner,
    lines: Arc<Lines>,
}

/// Rules that were tried.
pub(crate) struct Tried {
    /// The code.
    pub(crate) code: RulesCode,
    /// What it says of itself.
    pub(crate) description: Description,
    /// What it wanted done at the start of an empty room.
    pub(crate) effects: Vec<Effect>,
}

impl RulesCode {
    /// Links a compiled module and tries it: `describe`, and the start of an empty room.
    pub(crate) fn load(
        engine: &Arc<Engine>,
        compiled: &Compiled,
        owner: Owner,
        params: &Arc<Params>,
    ) -> Result<Tried, LoadError> {
        load::expect_world(compiled.world, World::GameRules)?;
        let linked = engine.rules().instantiate_pre(&compiled.component);
        let linked = linked.and_then(GameRulesPre::new);
        let code = RulesCode {
            engine: Arc::clone(engine),
            linked: linked.map_err(|error| load::other_shape(&error))?,
            owner,
            lines: Arc::default(),
        };
        let at = At {
            now: Moment::from_millis(1_700_000_000_000),
            seed: 1,
        };
        let scratch = code.instantiate(Arc::clone(params), CANNED);
        let mut scratch = scratch.map_err(LoadError::SelfTest)?;
        let description = scratch.describe(at).map_err(LoadError::SelfTest)?;
        let started = scratch.start(at, "self-test", None);
        let effects = started.map_err(|error| LoadError::SelfTest(unwilling(error)))?;
        Ok(Tried {
            code,
            description,
            effects,
        })
    }

    fn instantiate(&self, params: Arc<Params>, deadline: Duration) -> Result<RulesInstance, Fault> {
        let mut store = guest::store(
            self.engine.wasm(),
            self.engine.pulse(),
            &self.owner,
            &self.lines,
        );
        guest::arm(&mut store, deadline);
        let guest = self.linked.instantiate(&mut store);
        let guest = guest.map_err(|error| of_start(&error, deadline))?;
        guest::disarm(&mut store);
        Ok(RulesInstance::new(store, guest, params, deadline))
    }
}

/// Rules that refuse to begin an empty room are no good either.
fn unwilling(error: StartError) -> Fault {
    match error {
        StartError::Fault(fault) => fault,
        refused @ StartError::Refused(_) => Fault {
            kind: FaultKind::BadAnswer,
            message: format!("an empty room: {refused}").into(),
        },
    }
}

/// A loaded module that holds the rules of a game, with params and deadline. Cheap to clone.
#[derive(Clone)]
pub struct RulesModule {
    generation: Arc<Generation<RulesCode>>,
    params: Arc<Params>,
    deadline: Duration,
}

impl RulesModule {
    /// A generation with the settings of now.
    pub(super) fn new(
        generation: Arc<Generation<RulesCode>>,
        params: Arc<Params>,
        deadline: Duration,
    ) -> RulesModule {
        RulesModule {
            generation,
            params,
            deadline,
        }
    }

    /// Which load this is.
    pub fn info(&self) -> &GenerationInfo {
        &self.generation.info
    }

    /// A new instance, for [`RulesInstance::start`]. Takes well under a millisecond.
    pub fn instantiate(&self) -> Result<RulesInstance, Fault> {
        let params = Arc::clone(&self.params);
        self.generation.module.instantiate(params, self.deadline)
    }
}
