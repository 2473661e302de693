//! Timers: at most one of each kind for each thing, fired in order.

use crate::by_number::ByNumber;
use crate::id::{AskId, RequestId, SessionId, SlotId};
use crate::queue::PlaceId;
use crate::time::Moment;
use std::collections::BTreeMap;

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
#[derive(Default, Debug)]
pub(crate) struct Timers {
    due: BTreeMap<(Moment, u64), Timer>,
    set: ByNumber<Timer, (Moment, u64)>,
    /// Orders timers of one moment by when they were set.
    serial: u64,
}

impl Timers {
    /// Sets a timer, in place of the one of the same kind and thing.
    pub(crate) fn set(&mut self, timer: Timer, at: Moment) {
        self.cancel(timer);
        self.serial += 1;
        self.due.insert((at, self.serial), timer);
        self.set.insert(timer, (at, self.serial));
    }

    /// Forgets a timer, if it is set.
    pub(crate) fn cancel(&mut self, timer: Timer) {
        if let Some(slot) = self.set.remove(&timer) {
            self.due.remove(&slot);
        }
    }

    /// Takes the next timer that is due at `now`, `now` included.
    pub(crate) fn pop(&mut self, now: Moment) -> Option<(Moment, Timer)> {
        let entry = self.due.first_entry()?;
        let at = entry.key().0;
        if at > now {
            return None;
        }
        let timer = entry.remove();
        self.set.remove(&timer);
        Some((at, timer))
    }

    /// When the next one is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    /// Whether one is set.
    #[cfg(test)]
    pub(crate) fn is_set(&self, timer: Timer) -> bool {
        self.set.contains_key(&timer)
    }

    /// How many are set, the ledger's own left out: a timed unit is no leak.
    pub(crate) fn len(&self) -> usize {
        self.due.len() - usize::from(self.set.contains_key(&Timer::Units))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
