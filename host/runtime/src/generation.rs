//! One load of one module.

use crate::backoff::Backoff;
use crate::right::Right;
use crate::status::GenerationInfo;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use usher_core::Moment;

/// One load of one module, and how it does.
pub(crate) struct Generation<M> {
    /// Which.
    pub(crate) info: GenerationInfo,
    /// What was loaded.
    pub(crate) module: M,
    /// Whether it is left alone for a while.
    pub(crate) backoff: Backoff,
    /// Whether it may be called at once.
    pub(crate) right: Right,
    answered_well: AtomicBool,
}

impl<M> Generation<M> {
    /// A generation that has not been called yet.
    pub(crate) fn new(info: GenerationInfo, module: M) -> Generation<M> {
        Generation {
            info,
            module,
            backoff: Backoff::default(),
            right: Right::default(),
            answered_well: AtomicBool::new(false),
        }
    }

    /// A call went well.
    pub(crate) fn succeeded(&self) {
        // Read before it is written: a line that every worker writes at each call would be dear.
        if !self.answered_well() {
            self.answered_well.store(true, Ordering::Relaxed);
        }
        self.backoff.succeeded();
    }

    /// A call faulted. The length of the pause if this begins one.
    pub(crate) fn faulted(&self, now: Moment) -> Option<Duration> {
        self.backoff.faulted(now)
    }

    /// Whether any call went well.
    pub(crate) fn answered_well(&self) -> bool {
        self.answered_well.load(Ordering::Relaxed)
    }
}
