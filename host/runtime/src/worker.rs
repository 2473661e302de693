//! What a worker does with a job.

use crate::clock::Clock;
use crate::fault::fault;
use crate::generation::Generation;
use crate::job::{Job, Reply};
use crate::pinned::{Pinned, PinnedSlot};
use crate::policy::{PolicyModule, Terms};
use crate::queue::Queue;
use crate::slot::Slot;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;
use usher_core::{Answer, Ask, Fault, FaultKind, Over, SlotId, Snapshot};

/// What the workers share.
pub(crate) struct Work {
    pub(crate) queue: Queue<Job>,
    pub(crate) slots: Vec<Slot<PolicyModule>>,
    pub(crate) clock: Clock,
    pub(crate) on_reply: Box<dyn Fn(Reply) + Send + Sync>,
}

/// Whom a job is for.
pub(crate) struct Called<'a> {
    slot: &'a Slot<PolicyModule>,
    pub(crate) generation: Arc<Generation<PolicyModule>>,
    pub(crate) pinned: &'a PinnedSlot,
}

impl Work {
    /// Takes jobs until the queue is closed.
    pub(crate) fn run(&self) {
        while let Some(job) = self.queue.pop() {
            // A panic here is a mistake of the host's. It costs this one job, whose requester has a
            // deadline of its own.
            if catch_unwind(AssertUnwindSafe(|| self.handle(&job))).is_err() {
                tracing::error!("a policy worker panicked; the job is lost");
            }
        }
    }

    fn handle(&self, job: &Job) {
        match job {
            Job::Ask(ask) => {
                if self.expired(ask.deadline) || !ask.wanted.still() {
                    return;
                }
                (self.on_reply)(Reply::Answer(self.answer(ask)));
            }
            Job::Status(ask) => {
                if self.expired(ask.deadline) {
                    return;
                }
                let called = self.called(&ask.snapshot, ask.slot, false);
                let result = called.and_then(|called| {
                    self.call(&called, "on-waiting", |module, terms| {
                        module.status(ask, terms)
                    })
                });
                let ask = ask.id;
                (self.on_reply)(Reply::Status { ask, result });
            }
            Job::Over(over) => {
                let commands = self.over(over);
                let ask = over.id;
                (self.on_reply)(Reply::Over { ask, commands });
            }
        }
    }

    fn answer(&self, ask: &Ask) -> Answer {
        let begun = Instant::now();
        let called = self.called(&ask.snapshot, ask.slot, ask.last_good);
        let generation = called
            .as_ref()
            .map_or(0, |called| called.generation.info.number);
        let result =
            called.and_then(|called| self.decide(&called, |module, terms| module.ask(ask, terms)));
        Answer {
            ask: ask.id,
            generation,
            micros: u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX),
            result,
        }
    }

    /// Too many endings wait already: what should be done about this one is not found out.
    pub(crate) fn untold(&self, over: &Over) {
        let called = self.called(&over.snapshot, over.slot, false);
        if let Ok(called) = called
            && called.generation.module.hears_endings()
        {
            let message = "on-ended is left out for some: it is too slow for how many requests end";
            if let Some(unsaid) = called.slot.faulted(message, (self.clock)()) {
                let (policy, generation) = (&**called.slot.name(), called.generation.info.number);
                tracing::warn!(policy, generation, unsaid, "{message}");
            }
        }
        let (ask, commands) = (over.id, Vec::new());
        (self.on_reply)(Reply::Over { ask, commands });
    }

    fn over(&self, over: &Over) -> Vec<usher_core::Command> {
        let called = self.called(&over.snapshot, over.slot, false);
        let result = called.and_then(|called| {
            if !called.generation.module.hears_endings() {
                return Ok(Vec::new());
            }
            self.call(&called, "on-ended", |module, terms| {
                module.over(over, terms)
            })
        });
        // Nobody waits for it: a fault is logged, and has no commands.
        result.unwrap_or_default()
    }

    /// Whether nobody waits for the answer any more.
    fn expired(&self, deadline: usher_core::Moment) -> bool {
        (self.clock)() >= deadline
    }

    pub(crate) fn called<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        slot: SlotId,
        last_good: bool,
    ) -> Result<Called<'a>, Fault> {
        let missing = || fault(FaultKind::NotLoaded, "no policy is loaded in this slot");
        let pinned = Pinned::slot(snapshot, slot).ok_or_else(missing)?;
        let slot = self.slots.get(usize::from(slot.0)).ok_or_else(missing)?;
        let mut generation = Arc::clone(&pinned.generation);
        if last_good {
            let older = slot.last_good(generation.info.number);
            generation = older.ok_or_else(|| {
                fault(
                    FaultKind::NotLoaded,
                    "there is no older generation to fall back to",
                )
            })?;
        }
        Ok(Called {
            slot,
            generation,
            pinned,
        })
    }

    /// Has a module decide, unless it is left alone at the moment, and notes how that went. Only
    /// decisions count for the back-off: one that always faults is not well because `on-ended` is.
    fn decide<T>(
        &self,
        called: &Called<'_>,
        run: impl FnOnce(&PolicyModule, &Terms<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let generation = &called.generation;
        if !generation.backoff.admits((self.clock)()) {
            return Err(fault(
                FaultKind::BackingOff,
                "it kept faulting and is left alone for a while",
            ));
        }
        self.noted(called, self.call(called, "on-connect-request", run))
    }

    /// Notes how a decision went.
    pub(crate) fn noted<T>(
        &self,
        called: &Called<'_>,
        result: Result<T, Fault>,
    ) -> Result<T, Fault> {
        let generation = &called.generation;
        match &result {
            Ok(_) => generation.succeeded(),
            Err(fault) => {
                if let Some(pause) = generation.faulted((self.clock)()) {
                    let (policy, number) = (&**called.slot.name(), generation.info.number);
                    let (seconds, last) = (pause.as_secs(), &fault.message);
                    tracing::warn!(
                        policy,
                        generation = number,
                        "20 faults in a row: it is not asked for {seconds} s; the last: {last}"
                    );
                }
            }
        }
        result
    }

    /// Calls a module, and notes that.
    fn call<T>(
        &self,
        called: &Called<'_>,
        hook: &str,
        run: impl FnOnce(&PolicyModule, &Terms<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let result = run(&called.generation.module, &called.pinned.terms());
        self.counted(called, hook, result)
    }

    /// Counts a call, and counts and logs its fault.
    pub(crate) fn counted<T>(
        &self,
        called: &Called<'_>,
        hook: &str,
        result: Result<T, Fault>,
    ) -> Result<T, Fault> {
        called.slot.called();
        if let Err(fault) = &result
            && let Some(unsaid) = called.slot.faulted(&fault.message, (self.clock)())
        {
            let (policy, generation) = (&**called.slot.name(), called.generation.info.number);
            let message = &fault.message;
            tracing::warn!(policy, generation, unsaid, "{hook} faulted: {message}");
        }
        result
    }
}
