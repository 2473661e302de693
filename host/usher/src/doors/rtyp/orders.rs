//! The way from the core to the task that plays. What is an answer to a datagram, or a datagram itself, wakes the
//! task. What it only has to know before the next datagram waits until then: a login and a goodbye need not
//! wake anyone who plays.

use super::table::Opened;
use crate::inbox::{self, Receiver, Sender};
use crate::quota::Quota;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use usher_core::SessionId;
use usher_runtime::Message;

/// How many datagrams may wait to be sent.
const SENDING: usize = 4096;

/// How many orders may wait for a datagram.
const WAITING: usize = 64;

/// What the door wants of the task.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// A session was accepted.
    Opened(Opened),
    /// The core bound an endpoint.
    Bound(SessionId, SocketAddr),
    /// The core asks when a session was last heard of.
    Probe(SessionId),
    /// A session is over.
    Ended(SessionId),
    /// The rules have something for players.
    Data(Vec<(SessionId, Message)>),
}

/// Where orders are given.
pub(super) struct Orders {
    to: Sender<Order>,
    waiting: Waiting,
    sending: Arc<Quota>,
}

/// Where orders are taken.
pub(super) struct Obeyed {
    from: Receiver<Order>,
    waiting: Waiting,
    sending: Arc<Quota>,
}

/// Those that wait for a datagram: newer than all that were sent.
type Waiting = Arc<Mutex<Vec<Order>>>;

/// Both ends.
pub(super) fn orders() -> (Orders, Obeyed) {
    // Data is counted by the datagram, and everything else always finds room.
    let (to, from) = inbox::inbox(0);
    let sending = Arc::new(Quota::new(SENDING));
    let waiting = Waiting::default();
    let orders = Orders {
        to,
        waiting: waiting.clone(),
        sending: sending.clone(),
    };
    let obeyed = Obeyed {
        from,
        waiting,
        sending,
    };
    (orders, obeyed)
}

impl Orders {
    /// Gives an order that is obeyed at once, after all before it.
    pub(super) fn give(&self, order: Order) {
        let mut waiting = lock(&self.waiting);
        waiting.drain(..).for_each(|before| self.to.put(before));
        self.to.put(order);
    }

    /// Gives an order that is obeyed before the next datagram is looked at, or the next order.
    pub(super) fn note(&self, order: Order) {
        let mut waiting = lock(&self.waiting);
        waiting.push(order);
        if waiting.len() >= WAITING {
            waiting.drain(..).for_each(|before| self.to.put(before));
        }
    }

    /// Gives data, which may be dropped: how much of it is. It is for those who are bound, which was an order
    /// before it.
    pub(super) fn data(&self, mut messages: Vec<(SessionId, Message)>) -> usize {
        let admitted = self.sending.take_some(messages.len());
        let shed = messages.len() - admitted;
        messages.truncate(admitted);
        if admitted > 0 {
            self.to.put(Order::Data(messages));
        }
        shed
    }
}

impl Obeyed {
    /// The next order that is to be obeyed at once; `None` once nobody gives any. Safe to cancel.
    pub(super) async fn next(&mut self) -> Option<Order> {
        self.from.next().await
    }

    /// So much data waits no more.
    pub(super) fn sent(&self, how_much: usize) {
        self.sending.give_back(how_much);
    }

    /// All that there are, in order.
    pub(super) fn take_all(&mut self, into: &mut Vec<Order>) {
        // Under the lock, so that none of those that wait is sent between the two.
        let mut waiting = lock(&self.waiting);
        into.extend(std::iter::from_fn(|| self.from.try_next()));
        into.append(&mut waiting);
    }
}

fn lock(waiting: &Waiting) -> MutexGuard<'_, Vec<Order>> {
    // Nothing panics between two steps that belong together.
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn ended(number: u64) -> Order {
        Order::Ended(SessionId(number))
    }

    fn all(obeyed: &mut Obeyed) -> Vec<Order> {
        let mut all = Vec::new();
        obeyed.take_all(&mut all);
        all
    }

    /// What the task is woken for.
    fn woken(obeyed: &mut Obeyed) -> Option<Order> {
        let next = pin!(obeyed.next());
        match next.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(order) => order,
            Poll::Pending => None,
        }
    }

    #[test]
    fn what_is_noted_wakes_nobody_and_keeps_its_place() {
        let (orders, mut obeyed) = orders();
        orders.note(ended(1));
        assert_eq!(woken(&mut obeyed), None);
        orders.note(ended(2));
        orders.give(Order::Probe(SessionId(3)));
        orders.note(ended(4));
        assert_eq!(woken(&mut obeyed), Some(ended(1)));
        let probe = Order::Probe(SessionId(3));
        assert_eq!(all(&mut obeyed), [ended(2), probe, ended(4)]);
        assert_eq!(all(&mut obeyed), []);
    }

    #[test]
    fn notes_do_not_wait_without_bound() {
        let (orders, mut obeyed) = orders();
        let many = WAITING as u64;
        (1..many).for_each(|number| orders.note(ended(number)));
        assert_eq!(woken(&mut obeyed), None);
        orders.note(ended(many));
        assert_eq!(woken(&mut obeyed), Some(ended(1)));
        assert!(lock(&orders.waiting).is_empty());
        assert_eq!(all(&mut obeyed).len(), WAITING - 1);
    }

    #[test]
    fn data_beyond_what_may_wait_is_dropped_and_counted() {
        let (orders, obeyed) = orders();
        let message = || Message {
            data: [7].into(),
            delivery: usher_runtime::Delivery::Unreliable,
            channel: 0,
        };
        let bundle = |length| vec![(SessionId(1), message()); length];
        assert_eq!(orders.data(bundle(SENDING - 1)), 0);
        assert_eq!(orders.data(bundle(3)), 2);
        assert_eq!(orders.data(bundle(3)), 3);
        obeyed.sent(2);
        assert_eq!(orders.data(bundle(3)), 1);
    }
}
