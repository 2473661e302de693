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

/// The timers of one core. Those that are over soon, mostly without being due, are apart from those of who
/// stays: however many stay, the timers of a decision are few and at hand.
#[derive(Default, Debug)]
pub(crate) struct Timers {
    soon: Lot,
    late: Lot,
    /// Orders timers of one moment by when they were set.
    serial: u64,
}

/// Some timers.
///
/// A heap has them in order, and what is set anew or forgotten stays in it until it comes to the front: to set
/// one is to add it at the end. The front is always one that is set, and of all in the heap at least about
/// half are.
#[derive(Default, Debug)]
struct Lot {
    heap: BinaryHeap<Reverse<Due>>,
    set: ByNumber<Timer, (Moment, u64)>,
}

/// A timer in the heap. Ordered by moment, then by when it was set.
#[derive(Clone, Copy, Debug)]
struct Due {
    at: (Moment, u64),
    timer: Timer,
}

/// How many forgotten ones may be in a heap besides as many as are set.
const FORGOTTEN: usize = 64;

impl Timers {
    /// Sets a timer, in place of the one of the same kind and thing.
    pub(crate) fn set(&mut self, timer: Timer, at: Moment) {
        self.serial += 1;
        let at = (at, self.serial);
        self.lot_mut(timer).set(timer, at);
    }

    /// Forgets a timer, if it is set.
    pub(crate) fn cancel(&mut self, timer: Timer) {
        self.lot_mut(timer).cancel(timer);
    }

    /// Takes the next timer that is due at `now`, `now` included.
    pub(crate) fn pop(&mut self, now: Moment) -> Option<(Moment, Timer)> {
        let Timers { soon, late, .. } = self;
        let lots = [soon, late].into_iter();
        let first = lots.filter_map(|lot| Some((lot.next()?, lot)));
        let (at, lot) = first.min_by_key(|(at, _)| *at)?;
        if at.0 > now {
            return None;
        }
        Some((at.0, lot.pop()?))
    }

    /// When the next one is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        let lots = [&self.soon, &self.late].into_iter();
        lots.filter_map(Lot::next).min().map(|(at, _)| at)
    }

    /// Whether one is set.
    #[cfg(test)]
    pub(crate) fn is_set(&self, timer: Timer) -> bool {
        self.lot(timer).set.contains_key(&timer)
    }

    /// How many are set, the ledger's own left out: a timed unit is no leak.
    pub(crate) fn len(&self) -> usize {
        let units = self.lot(Timer::Units).set.contains_key(&Timer::Units);
        self.soon.set.len() + self.late.set.len() - usize::from(units)
    }

    fn lot(&self, timer: Timer) -> &Lot {
        if timer.stays() {
            &self.late
        } else {
            &self.soon
        }
    }

    fn lot_mut(&mut self, timer: Timer) -> &mut Lot {
        if timer.stays() {
            &mut self.late
        } else {
            &mut self.soon
        }
    }
}

impl Timer {
    /// Whether there is one for each who stays.
    fn stays(self) -> bool {
        match self {
            Timer::LongestWait(_) | Timer::Grace(_) | Timer::Idle(_) | Timer::Units => true,
            Timer::Unanswered(_)
            | Timer::Decision(_)
            | Timer::Retry(_)
            | Timer::StatusAsk(_)
            | Timer::Bind(_)
            | Timer::Recheck(_)
            | Timer::RecheckAsk(_)
            | Timer::Rest(_) => false,
        }
    }
}

impl Lot {
    fn set(&mut self, timer: Timer, at: (Moment, u64)) {
        let before = self.set.insert(timer, at);
        self.heap.push(Reverse(Due { at, timer }));
        if before.is_some() {
            self.clean();
        }
    }

    fn cancel(&mut self, timer: Timer) {
        if self.set.remove(&timer).is_some() {
            self.clean();
        }
    }

    fn pop(&mut self) -> Option<Timer> {
        let Reverse(due) = self.heap.pop()?;
        self.set.remove(&due.timer);
        self.clean();
        Some(due.timer)
    }

    fn next(&self) -> Option<(Moment, u64)> {
        self.heap.peek().map(|Reverse(due)| due.at)
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
                // Half of them of one kind, half of another.
                let timer = |id| match id % 2 {
                    0 => Timer::Retry(RequestId(id)),
                    _ => Timer::Idle(SessionId(id)),
                };
                let (at, set) = (Moment::from_millis(now + wait), timer(id));
                match step {
                    0 | 1 => {
                        timers.set(set, at);
                        model.retain(|_, other| *other != id);
                        model.insert((at, serial), id);
                    }
                    2 => {
                        timers.cancel(set);
                        model.retain(|_, other| *other != id);
                    }
                    _ => {
                        now += wait / 8;
                        let now = Moment::from_millis(now);
                        let due = model.first_entry().filter(|it| it.key().0 <= now);
                        let due = due.map(|it| it.remove_entry());
                        let due = due.map(|((at, _), id)| (at, timer(id)));
                        prop_assert_eq!(timers.pop(now), due);
                    }
                }
                prop_assert_eq!(timers.len(), model.len());
                prop_assert_eq!(timers.next(), model.keys().next().map(|(at, _)| *at));
                for lot in [&timers.soon, &timers.late] {
                    prop_assert!(lot.heap.len() <= 2 * lot.set.len() + FORGOTTEN + 1);
                }
            }
        }
    }
}
