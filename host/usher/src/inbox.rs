//! A queue between tasks in which some things always find room and others only while few of them wait.
//!
//! What must never be dropped (an answer, an ending, a bind) is bounded by the peers that are live. What
//! anyone can send at any rate (a knock, a datagram) is shed when too much of it waits. Both travel in
//! one queue, so what happened first is also taken up first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

/// The queue's two ends; at most `bound` offered things wait in it.
pub fn inbox<T>(bound: usize) -> (Sender<T>, Receiver<T>) {
    let (to, from) = mpsc::unbounded_channel();
    let offered = Arc::new(AtomicUsize::new(0));
    let sender = Sender {
        to,
        offered: offered.clone(),
        bound,
    };
    (sender, Receiver { from, offered })
}

/// Where things are put in. Never blocks.
pub struct Sender<T> {
    to: mpsc::UnboundedSender<Entry<T>>,
    offered: Arc<AtomicUsize>,
    bound: usize,
}

/// Where things are taken out, in order.
pub struct Receiver<T> {
    from: mpsc::UnboundedReceiver<Entry<T>>,
    offered: Arc<AtomicUsize>,
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
    /// Puts in what must not be dropped. Once the receiver is gone there is nobody to tell any more.
    pub fn put(&self, thing: T) {
        let offered = false;
        let _ = self.to.send(Entry { thing, offered });
    }

    /// Puts in what may be dropped.
    ///
    /// # Errors
    ///
    /// [`Full`], also once the receiver is gone.
    pub fn offer(&self, thing: T) -> Result<(), Full> {
        let room = |waiting| (waiting < self.bound).then_some(waiting + 1);
        self.offered
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, room)
            .map_err(|_| Full)?;
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
            offered: self.offered.clone(),
            bound: self.bound,
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

    fn open(&self, entry: Entry<T>) -> T {
        if entry.offered {
            self.offered.fetch_sub(1, Ordering::Relaxed);
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
    fn nothing_is_taken_once_nobody_listens() {
        let (to, from) = inbox(1);
        assert!(!to.is_closed());
        drop(from);
        assert!(to.is_closed());
        to.put(1);
        assert_eq!(to.offer(2), Err(Full));
    }
}
