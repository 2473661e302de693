//! Timers: at most one of each kind for each thing, fired in order.

use crate::by_number::ByNumber;
use crate::id::{AskId, RequestId, SessionId, SlotId};
use crate::queue::PlaceId;
use crate::time::Moment;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What is due.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Timer {
    /// The request has not said what it wants for too long.
    Unanswered(RequestId),
    /// The decision takes too long.
    Decision(RequestId),
    /// The wait is longer than the door can hold.
    LongestWait(RequestId),
    /// A waiter whose last re-ask went wrong may be tried again.
    Retry(RequestId),
    /// A status batch was not answered.
    StatusAsk(AskId),
    /// A place without a connection is given up.
    Grace(PlaceId),
    /// The session has not bound its endpoint.
    Bind(SessionId),
    /// The session may have gone silent.
    Idle(SessionId),
    /// A recheck is tried again about those about whom it faulted.
    Recheck(SlotId),
    /// A question about someone who plays was not answered.
    RecheckAsk(AskId),
    /// A session that came by take-over can be taken over again.
    Rest(SessionId),
    /// A timed unit of the ledger expires.
    Units,
}

/// The timers of one core.
///
/// A heap has them in order, and what is set anew or forgotten stays in it until it comes to the front: most
/// timers are forgotten long before they are due, and to set one is then to add it at the end. The front
/// is always one that is set, and of all in the heap at least about half are.
#[derive(Default, Debug)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<Due>>,
    set: ByNumber<Timer, (Moment, u64)>,
    /// Orders timers of one moment by when they were set.
    serial: u64,
}

/// A timer in the heap. Ordered by moment, then by when it was set.
#[derive(Clone, Copy, Debug)]
struct Due {
    at: (Moment, u64),
    timer: Timer,
}

/// How many forgotten ones may be in the heap besides as many as are set.
const FORGOTTEN: usize = 64;

impl Timers {
    /// Sets a timer, in place of the one of the same kind and thing.
    pub(crate) fn set(&mut self, timer: Timer, at: Moment) {
        self.serial += 1;
        let at = (at, self.serial);
        let before = self.set.insert(timer, at);
        self.heap.push(Reverse(Due { at, timer }));
        if before.is_some() {
            self.clean();
        }
    }

    /// Forgets a timer, if it is set.
    pub(crate) fn cancel(&mut self, timer: Timer) {
        if self.set.remove(&timer).is_some() {
            self.clean();
        }
    }

    /// Takes the next timer that is due at `now`, `now` included.
    pub(crate) fn pop(&mut self, now: Moment) -> Option<(Moment, Timer)> {
        let at = self.next().filter(|at| *at <= now)?;
        let Reverse(due) = self.heap.pop()?;
        self.set.remove(&due.timer);
        self.clean();
        Some((at, due.timer))
    }

    /// When the next one is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.heap.peek().map(|Reverse(due)| due.at.0)
    }

    /// Whether one is set.
    #[cfg(test)]
    pub(crate) fn is_set(&self, timer: Timer) -> bool {
        self.set.contains_key(&timer)
    }

    /// How many are set, the ledger's own left out: a timed unit is no leak.
    pub(crate) fn len(&self) -> usize {
        self.set.len() - usize::from(self.set.contains_key(&Timer::Units))
    }

    /// Something was forgotten: it must not be at the front, and there must not be too much of it.
    fn clean(&mut self) {
        if self.heap.len() > 2 * self.set.len() + FORGOTTEN {
            let mut heap = std::mem::take(&mut self.heap).into_vec();
            heap.clear();
            heap.extend(self.set.iter().map(|(timer, at)| {
                let (timer, at) = (*timer, *at);
                Reverse(Due { at, timer })
            }));
            self.heap = heap.into();
        }
        while let Some(Reverse(due)) = self.heap.peek()
            && self.set.get(&due.timer) != Some(&due.at)
        {
            self.heap.pop();
        }
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Due) -> Ordering {
        self.at.cmp(&other.at)
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Due) -> bool {
        self.at == other.at
    }
}

impl Eq for Due {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn timers_fire_in_order_inclusively_and_once() {
        let mut timers = Timers::default();
        let at = Moment::from_millis;
        timers.set(Timer::Retry(RequestId(1)), at(20));
        timers.set(Timer::Decision(RequestId(1)), at(10));
        timers.set(Timer::Decision(RequestId(2)), at(10));
        timers.set(Timer::Retry(RequestId(1)), at(30));
        assert_eq!(timers.len(), 3);
        assert_eq!(timers.pop(at(9)), None);
        assert_eq!(
            timers.pop(at(10)),
            Some((at(10), Timer::Decision(RequestId(1))))
        );
        assert_eq!(
            timers.pop(at(10)),
            Some((at(10), Timer::Decision(RequestId(2))))
        );
        assert_eq!(timers.pop(at(20)), None);
        assert_eq!(timers.next(), Some(at(30)));
        timers.cancel(Timer::Retry(RequestId(1)));
        assert_eq!((timers.next(), timers.len()), (None, 0));
    }

    proptest! {
        #[test]
        fn timers_fire_as_a_sorted_list_of_them_would(
            steps in prop::collection::vec((0..4_u8, 0..40_u64, 0..100_u64), 1..600)
        ) {
            let mut timers = Timers::default();
            let mut model: BTreeMap<(Moment, usize), u64> = BTreeMap::new();
            let mut now = 0;
            for (serial, (step, id, wait)) in steps.into_iter().enumerate() {
                let (timer, at) = (Timer::Retry(RequestId(id)), Moment::from_millis(now + wait));
                match step {
                    0 | 1 => {
                        timers.set(timer, at);
                        model.retain(|_, other| *other != id);
                        model.insert((at, serial), id);
                    }
                    2 => {
                        timers.cancel(timer);
                        model.retain(|_, other| *other != id);
                    }
                    _ => {
                        now += wait / 8;
                        let now = Moment::from_millis(now);
                        let due = model.first_entry().filter(|it| it.key().0 <= now);
                        let due = due.map(|it| it.remove_entry());
                        let due = due.map(|((at, _), id)| (at, Timer::Retry(RequestId(id))));
                        prop_assert_eq!(timers.pop(now), due);
                    }
                }
                prop_assert_eq!(timers.len(), model.len());
                prop_assert_eq!(timers.next(), model.keys().next().map(|(at, _)| *at));
                prop_assert!(timers.heap.len() <= 2 * timers.len() + FORGOTTEN + 1);
            }
        }
    }
}
