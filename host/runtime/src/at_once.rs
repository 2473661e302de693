//! Calls on the thread of whoever asks: a hand-over to a worker and back costs more than most calls do.
//!
//! A policy is a pure function, so a call can be given up and made again from its beginning. What is made here
//! is over within two ticks or given up; then nothing has come of it, not even a log line, and a worker makes
//! the call as if it had never begun. So whoever asks is held up for a bounded time by each call, and by a
//! module that overruns for a bounded number of times, since that costs it the right to be called so.

use crate::job::{Job, Reply};
use crate::policy::{Soon, Terms};
use crate::worker::{Called, Work};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use usher_core::{Answer, Ask, Fault, Over};

/// What is not over after this long, and the tick that is under way, is given up.
pub(crate) const HOLD: Duration = Duration::from_millis(1);

impl Work {
    /// Does a job now, or gives it back: it is for a worker.
    pub(crate) fn at_once(&self, job: Job) -> Result<Reply, Job> {
        let done = catch_unwind(AssertUnwindSafe(|| match &job {
            Job::Ask(ask) => self.answer_at_once(ask).map(Reply::Answer),
            Job::Over(over) => self.over_at_once(over),
            // As long as there are waiters.
            Job::Status(_) => None,
        }));
        // A panic is a mistake of the host's, which a worker survives, and tells.
        done.unwrap_or_default().ok_or(job)
    }

    fn answer_at_once(&self, ask: &Ask) -> Option<Answer> {
        // Who falls back to an older generation does not do so often.
        let called = (!ask.last_good)
            .then(|| self.called(&ask.snapshot, ask.slot, false))?
            .ok()?;
        let (result, took) = self.call_at_once(&called, |terms| {
            called.generation.module.ask_soon(ask, terms)
        })?;
        Some(Answer {
            ask: ask.id,
            generation: called.generation.info.number,
            micros: u32::try_from(took.as_micros()).unwrap_or(u32::MAX),
            result: self.noted(&called, self.counted(&called, "on-connect-request", result)),
        })
    }

    fn over_at_once(&self, over: &Over) -> Option<Reply> {
        let called = self.called(&over.snapshot, over.slot, false).ok()?;
        if !called.generation.module.hears_endings() {
            let (ask, commands) = (over.id, Vec::new());
            return Some(Reply::Over { ask, commands });
        }
        let (result, _) = self.call_at_once(&called, |terms| {
            called.generation.module.over_soon(over, terms)
        })?;
        Some(Reply::Over {
            ask: over.id,
            // As a worker does: a fault is logged, and has no commands.
            commands: self
                .counted(&called, "on-ended", result)
                .unwrap_or_default(),
        })
    }

    /// The result of a call that came to its end, and how long that took.
    fn call_at_once<T>(
        &self,
        called: &Called<'_>,
        call: impl FnOnce(&Terms<'_>) -> Soon<T>,
    ) -> Option<(Result<T, Fault>, Duration)> {
        let generation = &called.generation;
        let now = (self.clock)();
        if !generation.right.stands(now) || generation.backoff.pausing() {
            return None;
        }
        let terms = called.pinned.terms();
        let begun = Instant::now();
        let soon = call(&Terms {
            deadline: terms.deadline.min(HOLD),
            ..terms
        });
        match soon {
            Soon::Done(result) => {
                let took = begun.elapsed();
                generation.right.took(took, now);
                Some((result, took))
            }
            Soon::GivenUp => {
                generation.right.given_up(now);
                None
            }
            Soon::NotReady => None,
        }
    }
}
