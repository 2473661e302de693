//! The places of connections: those whose callers have shown that they may call have theirs, and strangers make
//! room for one another, so that none of them takes a place from who may call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The places of a listener.
pub(super) struct Places {
    known: Arc<Semaphore>,
    strangers: Mutex<Strangers>,
    /// The most strangers at a time: the oldest makes room.
    bound: usize,
}

#[derive(Default)]
struct Strangers {
    /// By their order of arrival.
    here: BTreeMap<u64, Arc<Notify>>,
    arrived: u64,
}

/// The place of a connection, as an extension of each of its requests. It begins as a stranger's.
#[derive(Clone)]
pub struct Place(Arc<Inner>);

struct Inner {
    all: Arc<Places>,
    number: u64,
    evict: Arc<Notify>,
    permit: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Places {
    /// So many for those who may call, and as many for strangers.
    pub(super) fn new(connections: usize) -> Arc<Places> {
        Arc::new(Places {
            known: Arc::new(Semaphore::new(connections)),
            strangers: Mutex::default(),
            bound: connections,
        })
    }

    /// A newcomer. If there are too many strangers now, the oldest is evicted.
    pub(super) fn enter(self: &Arc<Places>) -> Place {
        let evict = Arc::new(Notify::new());
        let mut strangers = self.lock();
        strangers.arrived += 1;
        let number = strangers.arrived;
        strangers.here.insert(number, evict.clone());
        if strangers.here.len() > self.bound
            && let Some((_, oldest)) = strangers.here.pop_first()
        {
            oldest.notify_one();
        }
        drop(strangers);
        Place(Arc::new(Inner {
            all: self.clone(),
            number,
            evict,
            permit: Mutex::default(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Strangers> {
        // Nothing panics between two steps that belong together.
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// The caller has shown that it may call, and has a place of its own from now on: as soon as one of those
    /// is free.
    pub async fn admitted(&self) {
        if self.permit().is_some() {
            return;
        }
        // Never closed, so there is always a permit to be had in the end.
        if let Ok(permit) = self.0.all.known.clone().acquire_owned().await {
            self.permit().get_or_insert(permit);
            self.0.all.lock().here.remove(&self.0.number);
        }
    }

    /// Until it has to make room, as a stranger.
    pub(super) async fn evicted(&self) {
        self.0.evict.notified().await;
    }

    fn permit(&self) -> MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.0.permit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.all.lock().here.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn is_done(future: impl Future<Output = ()>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        pin!(future).poll(&mut context).is_ready()
    }

    #[test]
    fn strangers_make_room_for_one_another_and_take_no_place_of_who_may_call() {
        let places = Places::new(2);
        let known = [places.enter(), places.enter()];
        assert!(known.iter().all(|place| is_done(place.admitted())));
        assert!(known.iter().all(|place| is_done(place.admitted())), "once");
        let first = places.enter();
        let second = places.enter();
        assert!(!is_done(first.evicted()) && !is_done(second.evicted()));
        let third = places.enter();
        assert!(is_done(first.evicted()) && !is_done(second.evicted()));
        assert!(!known.iter().any(|place| is_done(place.evicted())));
        assert!(!is_done(second.admitted()), "there are two already");
        drop(known);
        assert!(is_done(second.admitted()));
        let more = [places.enter(), places.enter()];
        assert!(is_done(third.evicted()) && !is_done(second.evicted()));
        drop((first, second, third, more));
        assert!(places.lock().here.is_empty());
        assert_eq!(places.known.available_permits(), 2);
    }
}
