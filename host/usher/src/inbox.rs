//! A queue between tasks in which some things always find room and others only while few of them wait.
//!
//! What must never be dropped (an answer, an ending, a bind) is bounded by the peers that are live. What
//! anyone can send at any rate (a knock, a datagram) is shed when too much of it waits. Both travel in
//! one queue, so what happened first is also taken up first.
//!
//! To wake a thread costs more than most of what it is woken for. So the receiver takes all that waits at once, a
//! sender wakes it only where it sleeps, and one that has more to put in can leave that for later.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;
use tokio::task::coop::consume_budget;

/// How long a sender that waits for room goes without looking whether anyone still receives.
const LOOK: Duration = Duration::from_millis(50);

/// For how many things memory is kept once they are taken out.
const KEPT: usize = 1024;

/// The queue's two ends; at most `bound` offered things wait in it.
pub fn inbox<T>(bound: usize) -> (Sender<T>, Receiver<T>) {
    let queue = Arc::new(Queue {
        waiting: Mutex::new(Waiting {
            things: VecDeque::new(),
            sleeper: None,
        }),
        senders: AtomicUsize::new(1),
        closed: AtomicBool::new(false),
        room: Room {
            bound,
            offered: AtomicUsize::new(0),
            patient: AtomicUsize::new(0),
            turn: Mutex::new(()),
            freed: Condvar::new(),
        },
    });
    let sender = Sender {
        queue: queue.clone(),
    };
    let taken = VecDeque::new();
    (sender, Receiver { queue, taken })
}

/// Where things are put in.
pub struct Sender<T> {
    queue: Arc<Queue<T>>,
}

/// Where things are taken out, in order.
pub struct Receiver<T> {
    queue: Arc<Queue<T>>,
    /// What was taken out of the queue together, and not one by one yet.
    taken: VecDeque<Entry<T>>,
}

struct Queue<T> {
    waiting: Mutex<Waiting<T>>,
    senders: AtomicUsize,
    /// The receiver is gone.
    closed: AtomicBool,
    room: Room,
}

struct Waiting<T> {
    things: VecDeque<Entry<T>>,
    /// The receiver, if it sleeps.
    sleeper: Option<Waker>,
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        // Nothing panics between two steps that belong together.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the receiver, if it sleeps and there is something for it to know.
    fn wake(&self) {
        let sleeper = {
            let mut waiting = self.lock();
            let news = !waiting.things.is_empty() || self.senders.load(Ordering::SeqCst) == 0;
            news.then(|| waiting.sleeper.take()).flatten()
        };
        if let Some(sleeper) = sleeper {
            sleeper.wake();
        }
    }
}

/// How much of what is offered waits, and who waits for it to become less.
struct Room {
    bound: usize,
    offered: AtomicUsize,
    /// Senders that wait for room.
    patient: AtomicUsize,
    turn: Mutex<()>,
    freed: Condvar,
}

impl Room {
    /// Takes a place, if one is free.
    fn enter(&self) -> bool {
        let enter = |waiting| (waiting < self.bound).then_some(waiting + 1);
        let order = Ordering::SeqCst;
        self.offered.fetch_update(order, order, enter).is_ok()
    }

    /// Gives a place back.
    fn leave(&self) {
        self.offered.fetch_sub(1, Ordering::SeqCst);
        if self.patient.load(Ordering::SeqCst) > 0 {
            // Whoever is about to wait has this lock until it does, and so is not missed.
            drop(self.turn.lock().unwrap_or_else(PoisonError::into_inner));
            self.freed.notify_all();
        }
    }

    /// Takes a place as soon as one is free; false once `closed` says so.
    fn enter_patiently(&self, closed: impl Fn() -> bool) -> bool {
        if self.enter() {
            return true;
        }
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.patient.fetch_add(1, Ordering::SeqCst);
        let entered = loop {
            if self.enter() {
                break true;
            }
            if closed() {
                break false;
            }
            let waited = self.freed.wait_timeout(turn, LOOK);
            (turn, _) = waited.unwrap_or_else(PoisonError::into_inner);
        };
        self.patient.fetch_sub(1, Ordering::SeqCst);
        entered
    }
}

/// Too many offered things wait already.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the queue is full")]
pub struct Full;

struct Entry<T> {
    thing: T,
    offered: bool,
}

impl<T> Sender<T> {
    /// Puts in what must not be dropped. Never blocks. Once the receiver is gone there is nobody to tell any more.
    pub fn put(&self, thing: T) {
        let offered = false;
        let _ = self.push(Entry { thing, offered }, true);
    }

    /// The same, and leaves a receiver that sleeps asleep: until someone calls [`wake`](Sender::wake), or puts in
    /// something else.
    pub fn put_quietly(&self, thing: T) {
        let offered = false;
        let _ = self.push(Entry { thing, offered }, false);
    }

    /// Wakes the receiver, if it sleeps and something waits for it.
    pub fn wake(&self) {
        self.queue.wake();
    }

    /// Puts in what may be dropped. Never blocks.
    ///
    /// # Errors
    ///
    /// [`Full`], also once the receiver is gone.
    pub fn offer(&self, thing: T) -> Result<(), Full> {
        match self.queue.room.enter() {
            true => self.push_offered(thing, true),
            false => Err(Full),
        }
    }

    /// The same, as [`put_quietly`](Sender::put_quietly).
    ///
    /// # Errors
    ///
    /// [`Full`], also once the receiver is gone.
    pub fn offer_quietly(&self, thing: T) -> Result<(), Full> {
        match self.queue.room.enter() {
            true => self.push_offered(thing, false),
            false => Err(Full),
        }
    }

    /// Puts in what should not be dropped, though anyone can cause it at any rate: blocks the thread while
    /// too much waits. Only for threads that the receiver never waits for.
    ///
    /// # Errors
    ///
    /// [`Full`] once the receiver is gone.
    pub fn offer_patiently(&self, thing: T) -> Result<(), Full> {
        if !self.queue.room.enter() {
            // It may sleep on what was put in quietly, and is to make room.
            self.wake();
            if !self.queue.room.enter_patiently(|| self.is_closed()) {
                return Err(Full);
            }
        }
        self.push_offered(thing, true)
    }

    fn push_offered(&self, thing: T, wake: bool) -> Result<(), Full> {
        let offered = true;
        self.push(Entry { thing, offered }, wake)
    }

    fn push(&self, entry: Entry<T>, wake: bool) -> Result<(), Full> {
        let sleeper = {
            let mut waiting = self.queue.lock();
            // Under the lock: what is put in before the receiver goes, it takes out.
            if self.is_closed() {
                return Err(Full);
            }
            waiting.things.push_back(entry);
            wake.then(|| waiting.sleeper.take()).flatten()
        };
        if let Some(sleeper) = sleeper {
            sleeper.wake();
        }
        Ok(())
    }

    /// Whether the receiver is gone.
    pub fn is_closed(&self) -> bool {
        self.queue.closed.load(Ordering::SeqCst)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        self.queue.senders.fetch_add(1, Ordering::SeqCst);
        Sender {
            queue: self.queue.clone(),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.queue.senders.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.queue.wake();
        }
    }
}

impl<T> Receiver<T> {
    /// The next thing, once there is one; `None` when every sender is gone. Safe to cancel.
    pub async fn next(&mut self) -> Option<T> {
        // Who always finds something lets others have their turn all the same.
        consume_budget().await;
        poll_fn(|context| {
            loop {
                if let Some(thing) = self.try_next() {
                    return Poll::Ready(Some(thing));
                }
                let mut waiting = self.queue.lock();
                if !waiting.things.is_empty() {
                    continue;
                }
                if self.queue.senders.load(Ordering::SeqCst) == 0 {
                    return Poll::Ready(None);
                }
                waiting.sleeper = Some(context.waker().clone());
                return Poll::Pending;
            }
        })
        .await
    }

    /// The next thing, if one is there.
    pub fn try_next(&mut self) -> Option<T> {
        if self.taken.is_empty() {
            self.take_all();
        }
        self.pop()
    }

    /// Whether nothing waits at this moment.
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty() && self.queue.lock().things.is_empty()
    }

    /// Takes what waits, where nothing is left of what was taken before.
    fn take_all(&mut self) {
        if self.taken.capacity() > KEPT {
            self.taken = VecDeque::new();
        }
        let mut waiting = self.queue.lock();
        // It is awake, and looks again before it sleeps.
        waiting.sleeper = None;
        std::mem::swap(&mut self.taken, &mut waiting.things);
    }

    fn pop(&mut self) -> Option<T> {
        let Entry { thing, offered } = self.taken.pop_front()?;
        if offered {
            self.queue.room.leave();
        }
        Some(thing)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let left = {
            let mut waiting = self.queue.lock();
            self.queue.closed.store(true, Ordering::SeqCst);
            std::mem::take(&mut waiting.things)
        };
        // What is in it may have to do with this queue.
        drop(left);
    }
}

#[cfg(test)]
mod tests;
