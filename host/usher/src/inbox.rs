//! A queue between tasks in which some things always find room and others only while few of them wait.
//!
//! What must never be dropped (an answer, an ending, a bind) is bounded by the peers that are live. What
//! anyone can send at any rate (a knock, a datagram) is shed when too much of it waits. Both travel in
//! one queue, so what happened first is also taken up first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a sender that waits for room goes without looking whether anyone still receives.
const LOOK: Duration = Duration::from_millis(50);

/// The queue's two ends; at most `bound` offered things wait in it.
pub fn inbox<T>(bound: usize) -> (Sender<T>, Receiver<T>) {
    let (to, from) = mpsc::unbounded_channel();
    let room = Arc::new(Room {
        bound,
        offered: AtomicUsize::new(0),
        patient: AtomicUsize::new(0),
        turn: Mutex::new(()),
        freed: Condvar::new(),
    });
    let sender = Sender {
        to,
        room: room.clone(),
    };
    (sender, Receiver { from, room })
}

/// Where things are put in.
pub struct Sender<T> {
    to: mpsc::UnboundedSender<Entry<T>>,
    room: Arc<Room>,
}

/// Where things are taken out, in order.
pub struct Receiver<T> {
    from: mpsc::UnboundedReceiver<Entry<T>>,
    room: Arc<Room>,
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
        let _ = self.to.send(Entry { thing, offered });
    }

    /// Puts in what may be dropped. Never blocks.
    ///
    /// # Errors
    ///
    /// [`Full`], also once the receiver is gone.
    pub fn offer(&self, thing: T) -> Result<(), Full> {
        match self.room.enter() {
            true => self.send_offered(thing),
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
        match self.room.enter_patiently(|| self.to.is_closed()) {
            true => self.send_offered(thing),
            false => Err(Full),
        }
    }

    fn send_offered(&self, thing: T) -> Result<(), Full> {
        let offered = true;
        self.to.send(Entry { thing, offered }).map_err(|_| Full)
    }
}

impl<T> Sender<T> {
    /// Whether the receiver is gone.
    pub fn is_closed(&self) -> bool {
        self.to.is_closed()
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender {
            to: self.to.clone(),
            room: self.room.clone(),
        }
    }
}

impl<T> Receiver<T> {
    /// The next thing, once there is one; `None` when every sender is gone. Safe to cancel.
    pub async fn next(&mut self) -> Option<T> {
        let entry = self.from.recv().await?;
        Some(self.open(entry))
    }

    /// The next thing, if one is there.
    pub fn try_next(&mut self) -> Option<T> {
        let entry = self.from.try_recv().ok()?;
        Some(self.open(entry))
    }

    /// Whether nothing waits at this moment.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    fn open(&self, entry: Entry<T>) -> T {
        if entry.offered {
            self.room.leave();
        }
        entry.thing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_get_through_does_and_in_order() {
        let (to, mut from) = inbox(2);
        assert_eq!(to.offer(1), Ok(()));
        to.put(2);
        assert_eq!(to.offer(3), Ok(()));
        assert_eq!(to.offer(4), Err(Full));
        to.put(5);
        assert_eq!(from.try_next(), Some(1));
        assert_eq!(to.offer(6), Ok(()), "what was taken out makes room");
        assert_eq!(to.offer(7), Err(Full));
        let rest: Vec<i32> = std::iter::from_fn(|| from.try_next()).collect();
        assert_eq!(rest, [2, 3, 5, 6]);
    }

    #[test]
    fn who_is_patient_loses_nothing_however_slowly_it_is_taken_out() {
        const MANY: u32 = 10_000;
        let (to, mut from) = inbox(3);
        let sender = std::thread::spawn(move || {
            (0..MANY).for_each(|n| assert_eq!(to.offer_patiently(n), Ok(())));
        });
        let mut expected = 0;
        while expected < MANY {
            match from.try_next() {
                Some(n) => {
                    assert_eq!(n, expected);
                    expected += 1;
                }
                None => std::thread::yield_now(),
            }
        }
        sender.join().expect("it has sent everything");
    }

    #[test]
    fn who_is_patient_does_not_wait_for_someone_who_is_gone() {
        let (to, from) = inbox(1);
        assert_eq!(to.offer_patiently(1), Ok(()));
        let sender = std::thread::spawn(move || to.offer_patiently(2));
        drop(from);
        assert_eq!(sender.join().expect("it ends"), Err(Full));
    }

    #[test]
    fn nothing_is_taken_once_nobody_listens() {
        let (to, from) = inbox(1);
        assert!(!to.is_closed());
        drop(from);
        assert!(to.is_closed());
        to.put(1);
        assert_eq!(to.offer(2), Err(Full));
    }
}
