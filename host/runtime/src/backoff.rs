//! A generation that keeps faulting is left alone for a while (semantics 22).

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use usher_core::Moment;

/// How many faults in a row, with no success between, it takes.
const FAULTS: u32 = 20;
/// The first pause.
const FIRST: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(30);

/// Counts faults in a row, and pauses. Cheap while all is well: one load of an atomic.
#[derive(Default)]
pub(crate) struct Backoff {
    in_a_row: AtomicU32,
    pause: Mutex<Pause>,
}

#[derive(Default)]
struct Pause {
    until: Moment,
    length: Duration,
    probing: bool,
}

impl Backoff {
    /// Whether a call may be made now. After a pause one caller is let through to probe; it must tell
    /// how that went.
    pub(crate) fn admits(&self, now: Moment) -> bool {
        if !self.pausing() {
            return true;
        }
        let mut pause = self.pause();
        let probes = now >= pause.until && !pause.probing;
        pause.probing |= probes;
        probes
    }

    /// Whether callers are turned away.
    pub(crate) fn pausing(&self) -> bool {
        self.in_a_row.load(Ordering::Relaxed) >= FAULTS
    }

    /// A call went well.
    pub(crate) fn succeeded(&self) {
        if self.in_a_row.load(Ordering::Relaxed) > 0 {
            let mut pause = self.pause();
            *pause = Pause::default();
            self.in_a_row.store(0, Ordering::Relaxed);
        }
    }

    /// A call faulted. The length of the pause if this begins the first one.
    pub(crate) fn faulted(&self, now: Moment) -> Option<Duration> {
        let mut pause = self.pause();
        // Under the lock, so that the pause and the count agree.
        let before = self.in_a_row.load(Ordering::Relaxed);
        self.in_a_row
            .store(before.saturating_add(1), Ordering::Relaxed);
        let begins = before + 1 == FAULTS;
        if begins {
            pause.length = FIRST;
        } else if pause.probing {
            pause.length = LONGEST.min(pause.length * 2);
        } else {
            return None;
        }
        pause.probing = false;
        pause.until = now.after(pause.length);
        begins.then_some(FIRST)
    }

    fn pause(&self) -> MutexGuard<'_, Pause> {
        // The three fields are written together and without a panic between.
        self.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::from_millis(millis)
    }

    fn fault_times(backoff: &Backoff, times: u32, now: Moment) -> u32 {
        let began = (0..times).filter(|_| backoff.faulted(now).is_some());
        u32::try_from(began.count()).expect("few")
    }

    #[test]
    fn it_takes_twenty_in_a_row() {
        let backoff = Backoff::default();
        assert_eq!(fault_times(&backoff, 19, at(0)), 0);
        backoff.succeeded();
        assert_eq!(fault_times(&backoff, 19, at(0)), 0);
        assert!(backoff.admits(at(0)) && !backoff.pausing());
        assert_eq!(fault_times(&backoff, 1, at(0)), 1);
        assert!(backoff.pausing());
    }

    #[test]
    fn one_probe_is_let_through_and_the_pause_doubles_to_thirty_seconds() {
        let backoff = Backoff::default();
        fault_times(&backoff, 20, at(0));
        let mut now = 0;
        for pause in [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] {
            assert!(!backoff.admits(at(now + pause - 1)), "{pause}");
            now += pause;
            assert!(backoff.admits(at(now)), "{pause}");
            assert!(!backoff.admits(at(now)), "only one probe");
            assert_eq!(backoff.faulted(at(now)), None, "only the first is told");
        }
    }

    #[test]
    fn a_probe_that_goes_well_ends_it() {
        let backoff = Backoff::default();
        fault_times(&backoff, 20, at(0));
        assert!(backoff.admits(at(1_000)));
        backoff.succeeded();
        assert!(backoff.admits(at(1_000)) && backoff.admits(at(1_000)));
        assert_eq!(fault_times(&backoff, 19, at(1_000)), 0);
        assert!(backoff.admits(at(1_000)));
    }

    #[test]
    fn calls_that_were_under_way_do_not_lengthen_the_pause() {
        let backoff = Backoff::default();
        fault_times(&backoff, 23, at(0));
        assert!(backoff.admits(at(1_000)));
    }
}
