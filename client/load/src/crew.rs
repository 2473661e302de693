//! All threads of a timeline, told and asked together.

use crate::lines::{PATIENCE, PAUSE, end};
use crate::work::{Phase, Report, Worker};
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The parts of a load, by name, and the moment from which all count time.
pub(crate) struct Crew {
    pub(crate) workers: [(&'static str, Worker); 3],
    pub(crate) zero: Instant,
}

impl Crew {
    /// The load changes.
    pub(crate) fn begin(&self, phase: Phase) {
        for (_, worker) in &self.workers {
            worker.begin(phase);
        }
    }

    /// Waits until what the phase asked for stands, which `takes` so long by itself.
    ///
    /// # Errors
    ///
    /// `otherwise`, in time.
    pub(crate) fn settle(&self, takes: Duration, otherwise: &str) -> io::Result<()> {
        let until = Instant::now() + takes + PATIENCE;
        // A thread has to have had its turn with the phase.
        sleep(2 * PAUSE);
        while !self.workers.iter().all(|(_, worker)| worker.settled()) {
            if Instant::now() > until {
                return Err(io::Error::other(otherwise));
            }
            sleep(PAUSE);
        }
        Ok(())
    }

    /// Says what came of a phase, by its parts and by what else there was.
    ///
    /// # Errors
    ///
    /// Nobody may read it.
    pub(crate) fn end(
        &self,
        phase: &str,
        others: impl IntoIterator<Item = (&'static str, Report)>,
    ) -> io::Result<()> {
        let workers = self.workers.iter();
        let reports = workers.map(|(part, worker)| (*part, worker.report()));
        end(phase, self.zero, reports.chain(others))
    }

    /// Ends everything in good order.
    ///
    /// # Errors
    ///
    /// What ended a thread before.
    pub(crate) fn leave(self) -> io::Result<()> {
        for (_, worker) in &self.workers {
            worker.leave();
        }
        let mut workers = self.workers.into_iter();
        workers.try_for_each(|(_, worker)| worker.join())
    }
}
