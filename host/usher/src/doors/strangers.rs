//! Connections that the core does not know: those that have not said all of their first message, and
//! those that were told their last one. They are bounded by themselves, so that ten thousand of them
//! take nothing from anyone who plays or waits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// At most this many at once; the oldest makes room.
const BOUND: usize = 1024;

/// All of them at one door.
#[derive(Clone, Default)]
pub(in crate::doors) struct Strangers(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    /// By their order of arrival.
    waiting: BTreeMap<u64, Arc<Notify>>,
    arrived: u64,
}

/// One of them, until it is dropped.
pub(in crate::doors) struct Stranger {
    all: Strangers,
    number: u64,
    evict: Arc<Notify>,
}

impl Strangers {
    /// A newcomer. If there are too many now, the oldest is evicted.
    pub(in crate::doors) fn enter(&self) -> Stranger {
        let evict = Arc::new(Notify::new());
        let mut known = self.lock();
        known.arrived += 1;
        let number = known.arrived;
        known.waiting.insert(number, evict.clone());
        if known.waiting.len() > BOUND {
            known.evict_oldest();
        }
        drop(known);
        let all = self.clone();
        Stranger { all, number, evict }
    }

    /// How many there are.
    pub(in crate::doors) fn count(&self) -> u32 {
        // At most the bound.
        u32::try_from(self.lock().waiting.len()).unwrap_or(u32::MAX)
    }

    /// Makes room for those who wait outside: the older half goes, at least one.
    pub(in crate::doors) fn evict_half(&self) {
        let mut known = self.lock();
        for _ in 0..known.waiting.len().div_ceil(2) {
            known.evict_oldest();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Nothing panics between two steps that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn evict_oldest(&mut self) {
        if let Some((_, oldest)) = self.waiting.pop_first() {
            oldest.notify_one();
        }
    }
}

impl Stranger {
    /// Until it has to make room.
    pub(in crate::doors) async fn evicted(&self) {
        self.evict.notified().await;
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.all.lock().waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn is_evicted(stranger: &Stranger) -> bool {
        let evicted = pin!(stranger.evicted());
        evicted
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    }

    #[test]
    fn the_oldest_makes_room() {
        let strangers = Strangers::default();
        let mut all: Vec<Stranger> = (0..BOUND).map(|_| strangers.enter()).collect();
        assert!(!all.iter().any(is_evicted));
        all.remove(0);
        all.push(strangers.enter());
        assert!(!all.iter().any(is_evicted), "one went by itself");
        all.push(strangers.enter());
        let evicted: Vec<bool> = all.iter().map(is_evicted).collect();
        assert_eq!(evicted.iter().position(|evicted| *evicted), Some(0));
        assert_eq!(evicted.iter().filter(|evicted| **evicted).count(), 1);
        drop(all);
        assert!(strangers.lock().waiting.is_empty());
    }
}
