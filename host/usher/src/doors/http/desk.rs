//! The book behind a lock, with the core beside it: calls and the core's events take turns, and what each
//! has to tell the core is told in that order.

use super::book::{Book, Order};
use crate::core_loop::Handle;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;
use usher_core::{Moment, RequestId};

/// The most answers that are held at a time, streams among them. Each has a connection of its own, and
/// some must be left for calls that hold nothing.
const HELD: usize = 768;

/// The most bodies that are read at a time; each may have half a MiB.
const READING: usize = 64;

/// How long the game server has to hear of the last things, once the host stops.
const TELL_WITHIN: Duration = Duration::from_secs(1);

/// The desk of a door.
pub(super) struct Desk {
    pub(super) name: Arc<str>,
    book: Mutex<Book>,
    core: Handle,
    held: Arc<Semaphore>,
    reading: Arc<Semaphore>,
    /// Someone was told something.
    told: Notify,
    /// Whether the host stops: no answer is held any more.
    stopping: watch::Sender<bool>,
}

impl Desk {
    pub(super) fn new(name: Arc<str>, book: Book, core: Handle) -> Desk {
        Desk {
            name,
            book: Mutex::new(book),
            core,
            held: Arc::new(Semaphore::new(HELD)),
            reading: Arc::new(Semaphore::new(READING)),
            told: Notify::new(),
            stopping: watch::Sender::new(false),
        }
    }

    /// Does something with the book, now. Must not be called within another one.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Book, Moment) -> T) -> T {
        // Nothing panics between two steps that belong together.
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work(&mut book, self.core.clock().now());
        while let Some(order) = book.order() {
            match order {
                Order::Tell(input) => self.core.send(input),
                Order::Knock(data) => {
                    let request = data.id;
                    if self.core.knock(data).is_err() {
                        book.shed(request, self.core.clock().now());
                    }
                }
            }
        }
        done
    }

    /// A name for a request that may be new.
    pub(super) fn next_request(&self) -> RequestId {
        self.core.next_request()
    }

    /// Leave to hold an answer; none when too many are held.
    pub(super) fn hold(&self) -> Option<OwnedSemaphorePermit> {
        self.held.clone().try_acquire_owned().ok()
    }

    /// Leave to read a body, as soon as fewer than so many are being read.
    pub(super) async fn read(&self) -> Option<OwnedSemaphorePermit> {
        // Never closed.
        self.reading.clone().acquire_owned().await.ok()
    }

    /// Sees whether the host stops.
    pub(super) fn watch_stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Someone was told something.
    pub(super) fn note_told(&self) {
        self.told.notify_waiters();
    }

    /// Holds no answer any more, and waits until the game server was told everything, or had the time
    /// to ask.
    pub(super) async fn tell_the_rest(&self) {
        self.stopping.send_replace(true);
        let told = async {
            loop {
                let more = self.told.notified();
                if !self.with(|book, _| book.untold()) {
                    return;
                }
                more.await;
            }
        };
        let _ = timeout(TELL_WITHIN, told).await;
    }
}
