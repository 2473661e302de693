//! Everything that is loaded, and how it changes while the host runs.

use super::{cache, slots};
use crate::admin::{ActionError, Loaded, ModuleStatus, Modules};
use crate::config::{Config, ConfigError, Policy, RULES_NAME, Rules};
use crate::core_loop::{Handle, PolicyCall, PolicyLink};
use crate::metrics;
use crate::room::Mailbox;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use usher_core::{FailMode, Input, SlotId, SlotInfo, Snapshot, TakenView};
use usher_runtime::{
    EngineError, GenerationInfo, Job, LiveBuckets, LoadFailure, Policies, Reload, RulesSlot,
};

/// The policies and the rules. Calls that load or change something block while they compile.
pub struct Loader {
    policies: Policies,
    buckets: LiveBuckets,
    rules: Option<Arc<RulesSlot>>,
    room: Mailbox,
    core: Handle,
    names: Vec<Arc<str>>,
    chains: Vec<Arc<[SlotId]>>,
    /// One change at a time, from the module to the snapshot that has it.
    state: Mutex<State>,
}

struct State {
    /// Of the snapshot that was published last.
    snapshot: u64,
    fails: Vec<FailMode>,
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
        let engine = cache::engine()?;
        let clock = core.clock();
        let clock: usher_runtime::Clock = Arc::new(move || clock.now());
        let replies = core.clone();
        let buckets = LiveBuckets::default();
        let policies = Policies::start(
            engine.clone(),
            config.policies.iter().map(Policy::slot).collect(),
            taken,
            buckets.clone(),
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
            buckets,
            rules: rules
                .transpose()
                .map_err(|failure| no_good(config, failure))?
                .map(Arc::new),
            room,
            core,
            names: config.policies.iter().map(|it| it.name.clone()).collect(),
            chains: slots::chains(config),
            state: Mutex::new(State {
                snapshot: 0,
                fails: config.policies.iter().map(|it| it.fail).collect(),
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
        self.buckets.clone()
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

    /// Reads every module again that is a file; those whose bytes are known are left alone.
    pub fn reload_all(&self) {
        let files = slots::files(&self.state().config);
        for (_, name) in files {
            // Whatever comes of it is in the log.
            let _ = self.reload(&name, false);
        }
    }

    /// Takes over what may change without a restart: fail modes, deadlines and params of the policies
    /// that are there, and the params of the rules. Says what else would need one, and which params their
    /// module does not take.
    pub fn configure(&self, config: &Config) {
        let mut state = self.state();
        let config = &self.answerable(config, &state.config);
        for policy in &config.policies {
            let known = self.names.iter().position(|name| *name == policy.name);
            if let Some(place) = known {
                self.policies
                    .configure(&policy.name, policy.slot().settings);
                state.fails[place] = policy.fail;
            }
        }
        let rules_before = state.config.rules.clone();
        let rules_changed = match (&self.rules, &config.rules, &state.config.rules) {
            (Some(slot), Some(new), Some(old)) if new.params != old.params => {
                let new = new.slot();
                slot.configure(new.deadline, new.params);
                true
            }
            _ => false,
        };
        adopt(&mut state.config, config);
        if state.config != *config {
            tracing::warn!(
                "the configuration has changes that take a restart; of the policies' fail, deadline \
                 and params the new values are in force"
            );
        }
        self.publish(&mut state);
        drop(state);
        if rules_changed && let Err(why) = self.room.swap() {
            tracing::warn!(
                "the rules cannot start with the new params, the old are in force: {why}"
            );
            self.restore(rules_before);
        }
        tracing::info!("the configuration was read again");
    }

    /// The configuration without new params of which the policy that is loaded makes nothing: as when it
    /// is loaded, that must show before a player is decided with them.
    fn answerable(&self, config: &Config, before: &Config) -> Config {
        let mut config = config.clone();
        for policy in &mut config.policies {
            let mut known = before.policies.iter();
            let Some(old) = known.find(|old| old.name == policy.name) else {
                continue;
            };
            if policy.params != old.params
                && let Err(fault) = self.policies.try_params(&policy.name, &policy.params)
            {
                let (policy_name, why) = (&*policy.name, &fault.message);
                tracing::warn!(
                    policy = policy_name,
                    "it cannot decide with the new params, the old are in force: {why}"
                );
                policy.params.clone_from(&old.params);
            }
        }
        config
    }

    /// Puts the params back that the rules play with, for when they must be started anew.
    fn restore(&self, rules: Option<Rules>) {
        if let (Some(slot), Some(rules)) = (&self.rules, &rules) {
            let rules = rules.slot();
            slot.configure(rules.deadline, rules.params);
        }
        self.state().config.rules = rules;
    }

    /// What is loaded, and how it does.
    pub fn status(&self) -> Modules {
        let policies = self.policies.status().into_iter();
        let rules = self.rules.iter().map(|rules| rules.status());
        Modules {
            policies: policies.map(ModuleStatus::from).collect(),
            rules: rules.map(ModuleStatus::from).collect(),
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
        let slots = self.names.iter().zip(&state.fails);
        let slots = slots.map(|(name, fail)| SlotInfo {
            name: name.clone(),
            fail: *fail,
            recheck: false,
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

/// How the core reaches the policies.
pub struct Asked(pub Arc<Loader>);

impl PolicyLink for Asked {
    fn call(&self, call: PolicyCall) {
        self.0.policies.submit(match call {
            PolicyCall::Ask(ask) => Job::Ask(ask),
            PolicyCall::Status(ask) => Job::Status(ask),
            PolicyCall::Over(over) => Job::Over(over),
        });
    }
}

/// Takes over what [`Loader::configure`] puts in force.
fn adopt(config: &mut Config, new: &Config) {
    for policy in &mut config.policies {
        let new = new.policies.iter().find(|new| new.name == policy.name);
        if let Some(new) = new {
            policy.fail = new.fail;
            policy.deadline = new.deadline;
            policy.params.clone_from(&new.params);
        }
    }
    if let (Some(rules), Some(new)) = (&mut config.rules, &new.rules) {
        rules.params.clone_from(&new.params);
    }
}
