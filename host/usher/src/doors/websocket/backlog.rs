//! How many bytes of the game wait for one connection, and for how long the rules wait for it.
//!
//! The rules can say much at once, faster than a connection has its turn to hand it to the system. A player that
//! takes it is not to be ended for that, so the rules wait; but a player that takes nothing must not hold up all the
//! others, so each has only so much patience of theirs, which grows again slowly.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// For how long the rules wait for one connection at most, as long as it has not used any of that.
const PATIENCE: Duration = Duration::from_millis(500);

/// What was used comes back in so many times as long.
const RECOVERY: u32 = 100;

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

struct Patience {
    left: Duration,
    /// When that was so.
    at: Instant,
    /// Nobody takes anything from here any more.
    closed: bool,
}

impl Backlog {
    /// Backlog for so many bytes.
    pub(super) fn new(bound: usize) -> Backlog {
        Backlog {
            bound,
            waiting: AtomicUsize::new(0),
            awaited: AtomicBool::new(false),
            patience: Mutex::new(Patience {
                left: PATIENCE,
                at: Instant::now(),
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

    /// The same, but waits for it for as long as the connection has patience left. Blocks.
    pub(super) fn await_and_take(&self, bytes: usize) -> bool {
        if bytes > self.bound {
            return false;
        }
        let mut patience = self.patience();
        let begun = Instant::now();
        patience.recover(begun);
        let until = begun + patience.left;
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
        patience.left = patience.left.saturating_sub(now - begun);
        patience.at = now;
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

impl Patience {
    fn recover(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.at) / RECOVERY;
        self.left = (self.left + passed).min(PATIENCE);
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
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
        for _ in 1..1_000 {
            assert!(backlog.await_and_take(60), "it takes what it is told");
        }
        connection.join().unwrap();
        assert_eq!(backlog.waiting.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn who_takes_nothing_is_waited_for_only_so_long() {
        let backlog = Backlog::new(100);
        assert!(backlog.take(100));
        assert!(
            !backlog.await_and_take(1),
            "until nothing of its patience is left"
        );
        assert!(backlog.patience().left < PATIENCE / 2);
        let mut patience = backlog.patience();
        let at = patience.at;
        patience.recover(at + PATIENCE * RECOVERY * 2);
        assert_eq!(patience.left, PATIENCE);
        drop(patience);
        backlog.close();
        assert!(!backlog.await_and_take(1));
        assert!(!Backlog::new(9).await_and_take(10), "it never fits");
    }
}
