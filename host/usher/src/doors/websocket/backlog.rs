//! How many bytes of the game wait for one connection, and for how long the rules wait for it.
//!
//! The rules can say much at once, faster than a connection has its turn to hand it to the system. A player that
//! takes it is not to be ended for that, so the rules wait; but players that take nothing must not hold up all the
//! others. So each has only so much patience of theirs, which grows again slowly, and all at a door together have not
//! much more: they can be many, come back as others, and act in concert.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// For how long the rules wait for one connection at most, as long as it has not used any of that.
const PATIENCE: Duration = Duration::from_millis(500);

/// What was used comes back in so many times as long.
const RECOVERY: u32 = 100;

/// The same for all connections of a door together. Each wait is for no more than half of what is left, so that
/// many who take nothing leave some for one who only has not had its turn.
const PATIENCE_WITH_ALL: Duration = Duration::from_secs(1);

/// What they used comes back in so many times as long: so large a part of the rules' time can be lost to them.
const RECOVERY_OF_ALL: u32 = 20;

/// What waits, and how much of it may.
pub(super) struct Backlog {
    bound: usize,
    /// Bytes that were not handed to the system yet.
    waiting: AtomicUsize,
    /// Whether somebody waits for room.
    awaited: AtomicBool,
    patience: Mutex<Patience>,
    changed: Condvar,
}

/// What is left of the patience with all connections of a door.
#[derive(Clone)]
pub(super) struct Forbearance(Arc<Mutex<Left>>);

struct Patience {
    left: Left,
    /// Nobody takes anything from here any more.
    closed: bool,
}

/// Time that is used up, and comes back slowly.
struct Left {
    time: Duration,
    /// When so much was left.
    at: Instant,
    most: Duration,
    recovery: u32,
}

impl Backlog {
    /// Backlog for so many bytes.
    pub(super) fn new(bound: usize) -> Backlog {
        Backlog {
            bound,
            waiting: AtomicUsize::new(0),
            awaited: AtomicBool::new(false),
            patience: Mutex::new(Patience {
                left: Left::new(PATIENCE, RECOVERY),
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Takes room for so many bytes, if there is as much.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let fits = |waiting: usize| (waiting + bytes <= self.bound).then_some(waiting + bytes);
        let order = Ordering::SeqCst;
        self.waiting.fetch_update(order, order, fits).is_ok()
    }

    /// The same, but waits for it for as long as there is patience left with the connection, and with all of the
    /// door. Blocks.
    pub(super) fn await_and_take(&self, bytes: usize, with_all: &Forbearance) -> bool {
        if bytes > self.bound {
            return false;
        }
        let mut patience = self.patience();
        let begun = Instant::now();
        let until = begun + patience.left.at(begun).min(with_all.lock().for_one(begun));
        // Told first and looked then, while who gives back does so first and asks then: one sees the other.
        self.awaited.store(true, Ordering::SeqCst);
        let taken = loop {
            if self.take(bytes) {
                break true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || patience.closed {
                break false;
            }
            let woken = self.changed.wait_timeout(patience, left);
            patience = woken.unwrap_or_else(PoisonError::into_inner).0;
        };
        self.awaited.store(false, Ordering::SeqCst);
        let now = Instant::now();
        patience.left.spend(now - begun, now);
        with_all.lock().spend(now - begun, now);
        taken
    }

    /// So many bytes are with the system now.
    pub(super) fn give_back(&self, bytes: usize) {
        self.waiting.fetch_sub(bytes, Ordering::SeqCst);
        if self.awaited.load(Ordering::SeqCst) {
            drop(self.patience());
            self.changed.notify_all();
        }
    }

    /// The connection is over: nobody waits for it any more.
    pub(super) fn close(&self) {
        self.patience().closed = true;
        self.changed.notify_all();
    }

    fn patience(&self) -> MutexGuard<'_, Patience> {
        // Each of its parts is right by itself.
        self.patience.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Forbearance {
    fn default() -> Forbearance {
        let left = Left::new(PATIENCE_WITH_ALL, RECOVERY_OF_ALL);
        Forbearance(Arc::new(Mutex::new(left)))
    }
}

impl Forbearance {
    fn lock(&self) -> MutexGuard<'_, Left> {
        // Each of its parts is right by itself.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Left {
    fn new(most: Duration, recovery: u32) -> Left {
        Left {
            time: most,
            at: Instant::now(),
            most,
            recovery,
        }
    }

    /// How much is left then.
    fn at(&mut self, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.at) / self.recovery;
        self.time = (self.time + passed).min(self.most);
        self.at = now;
        self.time
    }

    /// How much of it is for one of many.
    fn for_one(&mut self, now: Instant) -> Duration {
        self.at(now) / 2
    }

    /// So much was used up to now, and nothing came back meanwhile.
    fn spend(&mut self, used: Duration, now: Instant) {
        self.time = self.time.saturating_sub(used);
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn what_does_not_fit_waits_until_some_of_the_rest_is_gone() {
        let backlog = Arc::new(Backlog::new(100));
        assert!(backlog.take(60));
        assert!(!backlog.take(41));
        let taker = Arc::clone(&backlog);
        // As a connection that has its turn only now and then.
        let connection = thread::spawn(move || {
            for _ in 0..1_000 {
                while taker.waiting.load(Ordering::SeqCst) < 60 {
                    thread::yield_now();
                }
                taker.give_back(60);
            }
        });
        let with_all = Forbearance::default();
        for _ in 1..1_000 {
            let taken = backlog.await_and_take(60, &with_all);
            assert!(taken, "it takes what it is told");
        }
        connection.join().unwrap();
        assert_eq!(backlog.waiting.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn who_takes_nothing_is_waited_for_only_so_long() {
        let (backlog, with_all) = (Backlog::new(100), Forbearance::default());
        assert!(backlog.take(100));
        assert!(
            !backlog.await_and_take(1, &with_all),
            "until nothing of its patience is left"
        );
        assert!(backlog.patience().left.time < PATIENCE / 2);
        let mut patience = backlog.patience();
        let at = patience.left.at;
        assert_eq!(
            patience.left.at(at + PATIENCE * RECOVERY * 2),
            PATIENCE,
            "it comes back"
        );
        drop(patience);
        backlog.close();
        assert!(!backlog.await_and_take(1, &with_all));
        let small = Backlog::new(9);
        assert!(!small.await_and_take(10, &with_all), "it never fits");
    }

    #[test]
    fn many_who_take_nothing_have_little_more_patience_than_one() {
        let mut left = Left::new(PATIENCE_WITH_ALL, RECOVERY_OF_ALL);
        let now = left.at;
        assert!(left.for_one(now) >= PATIENCE);
        let waited: Duration = (0..1_000)
            .map(|_| {
                let used = left.for_one(now).min(PATIENCE);
                left.spend(used, now);
                used
            })
            .sum();
        assert!(waited <= PATIENCE_WITH_ALL);
        let later = now + PATIENCE_WITH_ALL * RECOVERY_OF_ALL;
        assert_eq!(left.at(later), PATIENCE_WITH_ALL, "it comes back");

        let (backlog, with_all) = (Backlog::new(100), Forbearance::default());
        assert!(backlog.take(100));
        assert!(!backlog.await_and_take(1, &with_all));
        // What one used is lost to all.
        assert!(with_all.lock().time <= PATIENCE_WITH_ALL - PATIENCE);
    }
}
