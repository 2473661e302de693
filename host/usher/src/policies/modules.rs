//! Everything that is loaded, and how it changes while the host runs.

mod configure;
mod recheck;

use super::{cache, slots};
use crate::admin::{ActionError, Loaded, ModuleStatus, Modules, RecheckStatus};
use crate::buckets::{self, Desk, OpenError};
use crate::clock::Clock;
use crate::config::{Config, ConfigError, Policy, RULES_NAME};
use crate::core_loop::{Handle, PolicyCall, PolicyLink};
use crate::metrics;
use crate::room::Mailbox;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use usher_core::{Input, Rechecked, SlotId, SlotInfo, Snapshot, TakenView};
use usher_runtime::{
    EngineError, GenerationInfo, Job, LiveBuckets, LoadFailure, Policies, Reload, RulesSlot,
};

/// The policies and the rules. Calls that load or change something block while they compile.
pub struct Loader {
    policies: Policies,
    desk: Desk,
    rules: Option<Arc<RulesSlot>>,
    room: Mailbox,
    core: Handle,
    names: Vec<Arc<str>>,
    chains: Vec<Arc<[SlotId]>>,
    /// What has come of the last recheck by each policy, by `SlotId`. Held for a moment only: the core
    /// writes it.
    rechecks: Mutex<Vec<Option<RecheckStatus>>>,
    /// One change at a time, from the module to the snapshot that has it.
    state: Mutex<State>,
}

struct State {
    /// Of the snapshot that was published last.
    snapshot: u64,
    config: Config,
}

/// Why the host cannot start with these modules.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Nothing can be loaded at all.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A module is no good.
    #[error("{slot}: {}", .failure.error)]
    Module {
        /// What it would be, and where it comes from.
        slot: String,
        /// Why.
        failure: LoadFailure,
    },
    /// A bucket's file is no good.
    #[error(transparent)]
    Bucket(#[from] OpenError),
    /// A policy cannot seat as many as are configured.
    #[error(transparent)]
    Capacity(#[from] ConfigError),
}

/// Which module it is, by its name and by its file: one of the two is what the operator knows.
fn no_good(config: &Config, failure: LoadFailure) -> StartError {
    let name = &*failure.slot;
    let policy = config.policies.iter().find(|policy| *policy.name == *name);
    let slot = match (policy, &config.rules) {
        (Some(policy), _) => format!("policy {name} ({})", policy.module),
        (None, Some(rules)) if name == RULES_NAME => format!("rules ({})", rules.module),
        (None, _) => name.to_owned(),
    };
    StartError::Module { slot, failure }
}

impl Loader {
    /// Loads everything and publishes the first snapshot. Blocks while it compiles.
    ///
    /// # Errors
    ///
    /// Which module is no good, and what to do about it.
    pub fn start(
        config: &Config,
        taken: TakenView,
        core: Handle,
        room: Mailbox,
    ) -> Result<Loader, StartError> {
        // Policies look into the buckets when they are tried.
        let desk = buckets::open(&config.buckets, core.clock())?;
        let engine = cache::engine()?;
        let clock = core.clock();
        let clock: usher_runtime::Clock = Arc::new(move || clock.now());
        let replies = core.clone();
        let policies = Policies::start(
            engine.clone(),
            config.policies.iter().map(Policy::slot).collect(),
            taken,
            desk.live(),
            workers(),
            clock.clone(),
            move |reply| replies.send(reply.into()),
        )
        .map_err(|failure| no_good(config, failure))?;
        for status in policies.status() {
            config.check_capacity(&status.name, status.generation.max_players)?;
        }
        let rules = config.rules.as_ref();
        let rules = rules.map(|rules| RulesSlot::load(engine, rules.slot(), clock));
        let loader = Loader {
            policies,
            desk,
            rules: rules
                .transpose()
                .map_err(|failure| no_good(config, failure))?
                .map(Arc::new),
            room,
            core,
            names: config.policies.iter().map(|it| it.name.clone()).collect(),
            chains: slots::chains(config),
            rechecks: Mutex::new(vec![None; config.policies.len()]),
            state: Mutex::new(State {
                snapshot: 0,
                config: config.clone(),
            }),
        };
        loader.publish(&mut loader.state());
        Ok(loader)
    }

    /// The rules, for the room that plays them.
    pub fn rules(&self) -> Option<Arc<RulesSlot>> {
        self.rules.clone()
    }

    /// The buckets of now, whatever policies have pinned: for doors that ask no policy.
    pub fn buckets(&self) -> LiveBuckets {
        self.desk.live()
    }

    /// The host's clock.
    pub(super) fn clock(&self) -> Clock {
        self.core.clock()
    }

    /// The buckets, for those who fill them.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Has what decides from now on look into the buckets of now.
    pub fn buckets_changed(&self) {
        self.publish(&mut self.state());
    }

    /// Reads a module again, and has it serve if it is another. Bytes that were refused, or rolled back
    /// from, are tried again only when someone `insists`.
    ///
    /// # Errors
    ///
    /// Why the one before serves on.
    pub fn reload(&self, name: &str, insists: bool) -> Result<Loaded, ActionError> {
        // Without the lock: what compiles for long must not keep an operator from going back elsewhere.
        let mut reloaded = self.read_again(name, false);
        if insists && matches!(reloaded, Ok(Reload::Unchanged)) && self.is_held_back(name) {
            reloaded = self.read_again(name, true);
        }
        let taken_up = match reloaded {
            Err(failure) => Err(ActionError::from(failure)),
            Ok(Reload::Unchanged) => {
                metrics::reloaded(name, "unchanged");
                return self.unchanged(name);
            }
            Ok(Reload::Loaded(info)) => self.take_up(&mut self.state(), name, info),
        };
        match &taken_up {
            Ok(loaded) => self.say(name, "loaded", loaded),
            Err(ActionError::Refused(why)) => {
                tracing::warn!(policy = name, "refused, the one before serves on: {why}");
                metrics::reloaded(name, "refused");
            }
            Err(_) => {}
        }
        taken_up
    }

    fn read_again(&self, name: &str, force: bool) -> Result<Reload, LoadFailure> {
        match (name, &self.rules) {
            (RULES_NAME, Some(rules)) => rules.reload(force),
            _ => self.policies.reload(name, force),
        }
    }

    /// Whether the bytes that are there are not those that serve.
    fn is_held_back(&self, name: &str) -> bool {
        let status = self.status();
        let mut all = status.policies.iter().chain(&status.rules);
        let module = all.find(|module| module.name == name);
        module.is_some_and(|module| matches!(module.state, "failed-to-load" | "rolled-back"))
    }

    /// Goes back to the generation before.
    ///
    /// # Errors
    ///
    /// Why that cannot be.
    pub fn rollback(&self, name: &str) -> Result<Loaded, ActionError> {
        let mut state = self.state();
        let rolled_back = match (name, &self.rules) {
            (RULES_NAME, Some(rules)) => rules.rollback(),
            _ => self.policies.rollback(name),
        };
        let info = rolled_back?;
        let taken_up = self.take_up(&mut state, name, info);
        match &taken_up {
            Ok(loaded) => self.say(name, "rolled-back", loaded),
            Err(why) => tracing::warn!(policy = name, "cannot go back: {why}"),
        }
        taken_up
    }

    /// Reads every module again that is a file, and every bucket; those whose bytes are known are left
    /// alone.
    pub fn reload_all(&self) {
        self.desk.reread();
        let files = slots::files(&self.state().config);
        for (_, name) in files {
            // Whatever comes of it is in the log.
            let _ = self.reload(&name, false);
        }
    }

    /// What is loaded, and how it does.
    pub fn status(&self) -> Modules {
        let policies = self.policies.status().into_iter().map(ModuleStatus::from);
        let mut policies: Vec<_> = policies.collect();
        for (policy, recheck) in policies.iter_mut().zip(&*self.rechecks()) {
            policy.recheck.clone_from(recheck);
        }
        let rules = self.rules.iter().map(|rules| rules.status());
        Modules {
            policies,
            rules: rules.map(ModuleStatus::from).collect(),
            buckets: self.desk.status(),
        }
    }

    /// Puts a new current generation in force.
    fn take_up(
        &self,
        state: &mut State,
        name: &str,
        info: GenerationInfo,
    ) -> Result<Loaded, ActionError> {
        if name == RULES_NAME {
            self.room.swap().map_err(ActionError::Refused)?;
        } else if let Err(error) = state.config.check_capacity(name, info.max_players) {
            // Hardly anyone was asked with it: a snapshot has it only if another module changed meanwhile.
            let why = error.to_string();
            self.policies.refuse(name, info.number, why.clone());
            return Err(ActionError::Refused(why));
        } else {
            self.publish(state);
        }
        Ok(Loaded::new(info))
    }

    /// Tells the core what decides from now on.
    fn publish(&self, state: &mut State) {
        state.snapshot += 1;
        let slots = state.config.policies.iter().map(|policy| SlotInfo {
            name: policy.name.clone(),
            fail: policy.fail,
            recheck: policy.recheck,
            game_rule: policy.game_rule,
        });
        self.core.send(Input::Rules(Arc::new(Snapshot {
            number: state.snapshot,
            slots: slots.collect(),
            chains: self.chains.clone(),
            pin: self.policies.pin(),
        })));
    }

    fn say(&self, name: &str, result: &'static str, loaded: &Loaded) {
        tracing::info!(
            policy = name,
            generation = loaded.generation,
            sha256 = loaded.sha256.get(..12),
            "{result}, and serves from now on"
        );
        metrics::reloaded(name, result);
    }

    fn unchanged(&self, name: &str) -> Result<Loaded, ActionError> {
        let modules = self.status();
        let mut all = modules.policies.into_iter().chain(modules.rules);
        let module = all.find(|module| module.name == name);
        let module = module.ok_or_else(|| ActionError::Unknown(name.to_owned()))?;
        Ok(Loaded {
            generation: module.generation,
            sha256: module.sha256,
            changed: false,
        })
    }

    fn rechecks(&self) -> MutexGuard<'_, Vec<Option<RecheckStatus>>> {
        // An entry is replaced whole.
        self.rechecks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A change is not undone by a panic after it, and none is left half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker a core; two at least, so that a policy that loops holds nobody else up.
fn workers() -> NonZeroUsize {
    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);
    thread::available_parallelism().unwrap_or(TWO).max(TWO)
}

impl From<PolicyCall> for Job {
    fn from(call: PolicyCall) -> Job {
        match call {
            PolicyCall::Ask(ask) => Job::Ask(ask),
            PolicyCall::Status(ask) => Job::Status(ask),
            PolicyCall::Over(over) => Job::Over(over),
        }
    }
}

impl From<Job> for PolicyCall {
    fn from(job: Job) -> PolicyCall {
        match job {
            Job::Ask(ask) => PolicyCall::Ask(ask),
            Job::Status(ask) => PolicyCall::Status(ask),
            Job::Over(over) => PolicyCall::Over(over),
        }
    }
}

/// How the core reaches the policies.
pub struct Asked(pub Arc<Loader>);

impl PolicyLink for Asked {
    fn call(&self, call: PolicyCall) {
        self.0.policies.submit(call.into());
    }

    fn answer(&self, call: PolicyCall) -> Result<Input, PolicyCall> {
        let answered = self.0.policies.at_once(call.into());
        answered.map(Input::from).map_err(PolicyCall::from)
    }

    fn put(&self, bucket: Arc<str>, entry: Arc<str>, lasts: Option<Duration>) {
        self.0.desk.put(bucket, entry, lasts);
    }

    fn rechecked(&self, rechecked: Rechecked) {
        self.0.rechecked(rechecked);
    }
}
