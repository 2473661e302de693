//! What calls and the ticker tell each other: whether any call is under way, and how many ticks there were. The
//! ticker sleeps while nobody needs it. Whoever begins a call has it awake before anything of the module runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// After so many ticks, of which the first is not a whole one, a call overruns.
pub(crate) const PATIENCE: u64 = 2;

/// Shared by the ticker and everything that is called under a deadline.
#[derive(Default)]
pub(crate) struct Pulse {
    /// How many calls began and how many of them ended.
    begun: AtomicU64,
    ended: AtomicU64,
    /// How many ticks there were.
    ticks: AtomicU64,
    /// Whether a call overran since that was asked last.
    overran: AtomicBool,
    /// Whether the ticker sleeps or is about to.
    asleep: AtomicBool,
    /// Whether it is to end.
    stopped: Mutex<bool>,
    woken: Condvar,
}

impl Pulse {
    /// A call begins.
    fn begin(&self) {
        // Told first and asked then, while the ticker lies down first and looks then: one of both sees the other.
        self.begun.fetch_add(1, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    fn end(&self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }

    #[cold]
    fn wake(&self) {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.store(false, Ordering::SeqCst);
        drop(stopped);
        self.woken.notify_one();
    }

    /// How many ticks there were.
    fn ticks(&self) -> u64 {
        self.ticks.load(Ordering::Relaxed)
    }

    /// There was another one.
    pub(crate) fn tick(&self) {
        self.ticks.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether a call overran since this was asked last.
    pub(crate) fn overran(&self) -> bool {
        self.overran.load(Ordering::Relaxed) && self.overran.swap(false, Ordering::Relaxed)
    }

    /// How many calls began, and whether any of them is under way.
    pub(crate) fn calls(&self) -> (u64, bool) {
        // In this order: whatever ended in between has begun too.
        let ended = self.ended.load(Ordering::SeqCst);
        let begun = self.begun.load(Ordering::SeqCst);
        (begun, begun != ended)
    }

    /// Sleeps until a call begins, unless one is under way. Whether to go on.
    pub(crate) fn rest(&self) -> bool {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.store(true, Ordering::SeqCst);
        if self.calls().1 {
            self.asleep.store(false, Ordering::SeqCst);
        }
        while self.asleep.load(Ordering::SeqCst) && !*stopped {
            let woken = self.woken.wait(stopped);
            stopped = woken.unwrap_or_else(PoisonError::into_inner);
        }
        !*stopped
    }

    /// Whether the ticker is to end.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the ticker end.
    pub(crate) fn stop(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.woken.notify_one();
    }
}

/// The calls of one store, one at a time.
pub(crate) struct Calling {
    pulse: Arc<Pulse>,
    under_way: bool,
    /// From which tick on the call overruns, and by which it has to be over.
    soon: u64,
    last: u64,
}

impl Calling {
    /// None is under way.
    pub(crate) fn new(pulse: Arc<Pulse>) -> Calling {
        Calling {
            pulse,
            under_way: false,
            soon: 0,
            last: 0,
        }
    }

    /// One begins, which may take so many ticks.
    pub(crate) fn begin(&mut self, ticks: u64) {
        if !self.under_way {
            self.pulse.begin();
            self.under_way = true;
        }
        let now = self.pulse.ticks();
        self.soon = now + PATIENCE;
        self.last = now.saturating_add(ticks);
    }

    /// Whether it takes long.
    pub(crate) fn overruns(&self) -> bool {
        let overruns = self.pulse.ticks() >= self.soon;
        if overruns {
            self.pulse.overran.store(true, Ordering::Relaxed);
        }
        overruns
    }

    /// Whether it has taken all of them.
    pub(crate) fn is_overdue(&self) -> bool {
        self.pulse.ticks() >= self.last
    }

    /// It is over.
    pub(crate) fn end(&mut self) {
        if self.under_way {
            self.pulse.end();
            self.under_way = false;
        }
    }
}

impl Drop for Calling {
    /// A panic in the midst of a call drops its store.
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_call_is_under_way_until_it_ends_or_its_store_is_dropped() {
        let pulse = Arc::new(Pulse::default());
        let mut calling = Calling::new(Arc::clone(&pulse));
        assert_eq!(pulse.calls(), (0, false));
        calling.begin(1);
        // What an instance is made with goes on with the first call.
        calling.begin(1);
        assert_eq!(pulse.calls(), (1, true));
        calling.end();
        calling.end();
        assert_eq!(pulse.calls(), (1, false));
        calling.begin(1);
        drop(calling);
        assert_eq!(pulse.calls(), (2, false));
    }

    #[test]
    fn a_call_is_overdue_when_there_were_as_many_ticks_as_it_may_take() {
        let pulse = Arc::new(Pulse::default());
        pulse.tick();
        let mut calling = Calling::new(Arc::clone(&pulse));
        calling.begin(2);
        pulse.tick();
        assert!(!calling.is_overdue());
        pulse.tick();
        assert!(calling.is_overdue());
        calling.begin(u64::MAX);
        assert!(!calling.is_overdue());
    }

    #[test]
    fn a_call_that_overruns_says_so_again_and_again() {
        let pulse = Arc::new(Pulse::default());
        let mut calling = Calling::new(Arc::clone(&pulse));
        calling.begin(20);
        pulse.tick();
        assert!(!calling.overruns() && !pulse.overran());
        pulse.tick();
        for _ in 0..2 {
            assert!(calling.overruns() && pulse.overran());
            assert!(!pulse.overran(), "it is asked about what was since");
        }
        calling.begin(20);
        assert!(!calling.overruns());
    }

    #[test]
    fn nobody_rests_while_a_call_is_under_way() {
        let pulse = Arc::new(Pulse::default());
        let mut calling = Calling::new(Arc::clone(&pulse));
        calling.begin(1);
        assert!(pulse.rest(), "it would wait for ever if it rested");
    }

    #[test]
    fn who_begins_a_call_wakes_who_rests_however_the_two_meet() {
        let pulse = Arc::new(Pulse::default());
        let resting = Arc::clone(&pulse);
        // As often as it rests it is woken, and each call sees it awake: nobody waits for ever.
        let ticker = thread::spawn(move || {
            let mut rested = 0_u32;
            while resting.rest() {
                resting.tick();
                rested += 1;
            }
            rested
        });
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let pulse = Arc::clone(&pulse);
                thread::spawn(move || {
                    let mut calling = Calling::new(pulse);
                    for _ in 0..2_000 {
                        calling.begin(1);
                        while !calling.is_overdue() {
                            thread::yield_now();
                        }
                        calling.end();
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.join().unwrap();
        }
        pulse.stop();
        assert!(ticker.join().unwrap() > 0);
    }
}
