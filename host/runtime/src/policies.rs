//! The admission policies: slots and the workers that call them.

use crate::bucket::LiveBuckets;
use crate::clock::Clock;
use crate::config::{Params, SlotConfig, SlotSettings};
use crate::engine::Engine;
use crate::guest::Owner;
use crate::job::{Job, Reply};
use crate::load::{self, LoadError};
use crate::pinned::{Pinned, PinnedSlot};
use crate::policy::PolicyModule;
use crate::queue::Queue;
use crate::slot::{Loaded, Slot};
use crate::status::{GenerationInfo, LoadFailure, Reload, RollbackError, SlotStatus, fail_word};
use crate::worker::Work;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use usher_core::{FailMode, Fault, Pin, TakenView};

/// How many notices of endings may wait. Nothing else bounds them: a peer that comes and goes makes one
/// each time, as quickly as it likes.
pub(crate) const ENDINGS: usize = 4_096;

/// The stack of a worker, in bytes: many times what a module may use.
const STACK: usize = 8 << 20;

/// The admission policies. Dropping it ends the workers once they have finished the call that they are
/// in; jobs that still wait are dropped.
pub struct Policies {
    work: Arc<Work>,
    loader: Loader,
    /// By `SlotId`, like the slots.
    settings: Mutex<Vec<Settings>>,
    workers: Vec<JoinHandle<()>>,
}

/// The settings of a slot, ready to be pinned.
struct Settings {
    fail: FailMode,
    deadline: Duration,
    params: Arc<Params>,
}

/// What loading needs besides the bytes.
struct Loader {
    engine: Arc<Engine>,
    taken: TakenView,
    buckets: LiveBuckets,
    /// One warm instance for each worker, and one for calls at once.
    instances: usize,
}

impl Policies {
    /// Loads a module for every slot, in the order of their `SlotId`s, and starts the workers. Blocks
    /// while it compiles. `on_reply` is called on a worker's thread and should only hand over.
    pub fn start(
        engine: Arc<Engine>,
        slots: Vec<SlotConfig>,
        taken: TakenView,
        buckets: LiveBuckets,
        workers: NonZeroUsize,
        clock: Clock,
        on_reply: impl Fn(Reply) + Send + Sync + 'static,
    ) -> Result<Policies, LoadFailure> {
        let loader = Loader {
            engine,
            taken,
            buckets,
            instances: workers.get() + 1,
        };
        let mut open = Vec::with_capacity(slots.len());
        let mut settings = Vec::with_capacity(slots.len());
        for SlotConfig {
            name,
            source,
            settings: given,
        } in slots
        {
            let given = Settings::from(given);
            let slot = Slot::open(&name, source, clock(), |bytes, number| {
                loader.load(&name, &given.params, bytes, number)
            })?;
            open.push(slot);
            settings.push(given);
        }
        let work = Arc::new(Work {
            queue: Queue::new(),
            slots: open,
            clock,
            on_reply: Box::new(on_reply),
        });
        let mut policies = Policies {
            work,
            loader,
            settings: Mutex::new(settings),
            workers: Vec::new(),
        };
        for number in 0..workers.get() {
            let worker = policies.spawn(number).map_err(|error| LoadFailure {
                slot: "policy workers".into(),
                error: LoadError::NoThread(error),
                took: Duration::ZERO,
            })?;
            policies.workers.push(worker);
        }
        Ok(policies)
    }

    /// Hands in a job. Never blocks. A notice of an ending has its turn when nobody waits to be decided,
    /// and is answered at once, with nothing to do, when too many of them wait already.
    pub fn submit(&self, job: Job) {
        if !matches!(job, Job::Over(_)) {
            return self.work.queue.push(job);
        }
        if let Err(Job::Over(over)) = self.work.queue.push_later(job, ENDINGS) {
            self.work.untold(&over);
        }
    }

    /// Does a job now, on this thread, if its module is quick and an instance of it is ready; else gives it
    /// back, to be handed in. Holds the thread for two milliseconds at most, and for that long only now and
    /// then.
    pub fn at_once(&self, job: Job) -> Result<Reply, Job> {
        self.work.at_once(job)
    }

    /// The current generation, params and deadline of every slot and the buckets of now, to be kept in a
    /// core snapshot. An ask is answered by what its snapshot pinned.
    pub fn pin(&self) -> Pin {
        let buckets = self.loader.buckets.now();
        let settings = self.settings();
        let slots = self.work.slots.iter().zip(&*settings);
        let pinned = slots.map(|(slot, settings)| PinnedSlot {
            generation: slot.current(),
            params: Arc::clone(&settings.params),
            buckets: Arc::clone(&buckets),
            deadline: settings.deadline,
        });
        Pinned::pin(pinned.collect())
    }

    /// Reads a slot's module again and, if it is new and good, makes it the current generation. Blocks
    /// while it compiles. Bytes that are already loaded, that were refused last or that an operator
    /// rolled back from are left alone unless `force` is set. If it fails the old generation serves on.
    pub fn reload(&self, slot: &str, force: bool) -> Result<Reload, LoadFailure> {
        let Some((index, found)) = self.find(slot) else {
            return Err(LoadFailure {
                slot: slot.into(),
                error: LoadError::NoSuchSlot,
                took: Duration::ZERO,
            });
        };
        let params = Arc::clone(&self.settings()[index].params);
        let replaced = found.current();
        let reloaded = found.reload(force, (self.work.clock)(), |bytes, number| {
            self.loader.load(found.name(), &params, bytes, number)
        })?;
        if let (Reload::Loaded(_), Some(before)) =
            (&reloaded, found.last_good(replaced.info.number))
        {
            // Two generations stay warm: this one, and the one to go back to.
            before.module.cool();
        }
        Ok(reloaded)
    }

    /// Goes back to the generation before, which is still in memory, whatever became of the file. What
    /// is in the file now is not loaded again until it changes.
    pub fn rollback(&self, slot: &str) -> Result<GenerationInfo, RollbackError> {
        let missing = || RollbackError::NoSuchSlot(slot.to_owned());
        let (index, found) = self.find(slot).ok_or_else(missing)?;
        let current = found.rollback()?;
        let params = Arc::clone(&self.settings()[index].params);
        let buckets = self.loader.buckets.now();
        if let Err(fault) = current
            .module
            .warm(self.loader.instances, (&params, &buckets))
        {
            // It answered before, and the next calls try again.
            tracing::warn!(
                slot,
                "the generation that was gone back to: {}",
                fault.message
            );
        }
        Ok(current.info.clone())
    }

    /// As [`crate::RulesSlot::refuse`]: a generation that was loaded is no good here after all.
    pub fn refuse(&self, slot: &str, generation: u64, why: String) {
        if let Some((_, found)) = self.find(slot) {
            found.refuse(generation, why);
        }
    }

    /// Whether a slot's current generation answers with other params, asked as when it was loaded.
    pub fn try_params(&self, slot: &str, params: &Params) -> Result<(), Fault> {
        let Some((_, found)) = self.find(slot) else {
            return Ok(());
        };
        let (params, buckets) = (Arc::new(params.clone()), self.loader.buckets.now());
        found.current().module.try_params((&params, &buckets))
    }

    /// Changes a slot's settings, from the next pin on. `false` if there is no such slot.
    pub fn configure(&self, slot: &str, settings: SlotSettings) -> bool {
        let Some((index, _)) = self.find(slot) else {
            return false;
        };
        self.settings()[index] = Settings::from(settings);
        true
    }

    /// How every slot does, in the order of their `SlotId`s.
    pub fn status(&self) -> Vec<SlotStatus> {
        let settings = self.settings();
        let slots = self.work.slots.iter().zip(&*settings);
        slots
            .map(|(slot, settings)| slot.status(fail_word(settings.fail)))
            .collect()
    }

    fn find(&self, name: &str) -> Option<(usize, &Slot<PolicyModule>)> {
        let mut slots = self.work.slots.iter().enumerate();
        slots.find(|(_, slot)| **slot.name() == *name)
    }

    fn settings(&self) -> MutexGuard<'_, Vec<Settings>> {
        // Entries are replaced whole.
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(&self, number: usize) -> std::io::Result<JoinHandle<()>> {
        let work = Arc::clone(&self.work);
        thread::Builder::new()
            .name(format!("usher-policy-{number}"))
            .stack_size(STACK)
            .spawn(move || work.run())
    }
}

impl Drop for Policies {
    fn drop(&mut self) {
        self.work.queue.close();
        let this = thread::current().id();
        for worker in self.workers.drain(..) {
            // A reply may hold the last reference, and a thread can't wait for itself.
            if worker.thread().id() != this {
                // Its panics were caught where they happened.
                let _ = worker.join();
            }
        }
    }
}

impl Loader {
    fn load(
        &self,
        slot: &Arc<str>,
        params: &Arc<Params>,
        bytes: &[u8],
        number: u64,
    ) -> Result<Loaded<PolicyModule>, LoadError> {
        let owner = Owner {
            slot: Arc::clone(slot),
            generation: number,
            memory: self.engine.config().policy_memory,
            taken: self.taken.clone(),
        };
        let begun = Instant::now();
        let compiled = load::compile(&self.engine, bytes)?;
        let read_in = begun.elapsed();
        let buckets = self.buckets.now();
        let told = (params, &buckets);
        let module = PolicyModule::load(&self.engine, &compiled, owner, told)?.module;
        let tried = begun.elapsed();
        module
            .warm(self.instances, told)
            .map_err(LoadError::SelfTest)?;
        tracing::debug!(
            policy = &**slot,
            generation = number,
            componentized = ?read_in.saturating_sub(compiled.took),
            compiled = ?compiled.took,
            tried = ?tried.saturating_sub(read_in),
            warmed = ?begun.elapsed().saturating_sub(tried),
            "where the time of a load went"
        );
        Ok(Loaded {
            description: module.description().clone(),
            module,
            compile: compiled.took,
        })
    }
}

impl From<SlotSettings> for Settings {
    fn from(settings: SlotSettings) -> Settings {
        Settings {
            fail: settings.fail,
            deadline: settings.deadline,
            params: Arc::new(settings.params),
        }
    }
}
