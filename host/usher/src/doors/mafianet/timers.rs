//! When each peer has to be looked at again.
//!
//! A peer has one time at most. One that moves back is left where it is: looking too early once costs less
//! than moving it at every datagram.

use std::collections::BTreeSet;
use std::time::Duration;

/// A peer's place among the peers, and which of its tenants is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Slot {
    pub(super) place: u32,
    pub(super) tenant: u32,
}

/// The times.
#[derive(Default)]
pub(super) struct Timers(BTreeSet<(u64, Slot)>);

/// A peer's own time, in nanoseconds, as the table has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Due(u64);

/// How far apart the times are at which those who wait are looked at.
const TOGETHER: Duration = Duration::from_millis(50);

/// The time at which someone who waits is looked at that would be due then: many at once, so that the door does not
/// wake up for each. They wait for seconds, and do not notice.
pub(super) fn together(due: Duration) -> Duration {
    let step = TOGETHER.as_nanos() as u64;
    let due = u64::try_from(due.as_nanos()).unwrap_or(NEVER);
    // The last times of all have nothing behind them.
    Duration::from_nanos(due.checked_next_multiple_of(step).unwrap_or(due))
}

/// No time.
const NEVER: u64 = u64::MAX;

impl Timers {
    /// Has a peer looked at then, or earlier.
    pub(super) fn set(&mut self, slot: Slot, due: Duration, set: &mut Due) {
        // 584 years.
        let due = u64::try_from(due.as_nanos()).unwrap_or(NEVER - 1);
        if due < set.0 {
            self.unset(slot, set);
            self.0.insert((due, slot));
            set.0 = due;
        }
    }

    /// Has a peer looked at no more.
    pub(super) fn unset(&mut self, slot: Slot, set: &mut Due) {
        let due = std::mem::replace(&mut set.0, NEVER);
        if due != NEVER {
            self.0.remove(&(due, slot));
        }
    }

    /// The next time.
    pub(super) fn next(&self) -> Option<Duration> {
        self.0.first().map(|(due, _)| Duration::from_nanos(*due))
    }

    /// Whose time has come; it has none then.
    pub(super) fn pop(&mut self, now: Duration) -> Option<Slot> {
        if self.next()? > now {
            return None;
        }
        self.0.pop_first().map(|(_, slot)| slot)
    }
}

impl Default for Due {
    fn default() -> Due {
        Due(NEVER)
    }
}

impl Due {
    /// After [`Timers::pop`].
    pub(super) fn was_popped(&mut self) {
        self.0 = NEVER;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_looked_at_with_others_and_never_too_early() {
        let millis = Duration::from_millis;
        assert_eq!(together(millis(51)), together(millis(99)));
        for due in [millis(51), millis(100), Duration::ZERO, Duration::MAX] {
            let looked = together(due.min(Duration::from_nanos(NEVER)));
            assert!(looked >= due.min(Duration::from_nanos(NEVER)));
            assert!(looked < due.saturating_add(TOGETHER));
        }
    }

    #[test]
    fn each_peer_has_one_time_which_moves_only_forward() {
        let secs = Duration::from_secs;
        let slot = |place| Slot { place, tenant: 0 };
        let mut timers = Timers::default();
        let (mut one, mut two) = (Due::default(), Due::default());
        timers.set(slot(1), secs(5), &mut one);
        timers.set(slot(2), secs(3), &mut two);
        timers.set(slot(2), secs(4), &mut two);
        timers.set(slot(1), secs(1), &mut one);
        assert_eq!(timers.0.len(), 2);
        assert_eq!(timers.next(), Some(secs(1)));
        assert_eq!(timers.pop(secs(0)), None);
        let popped: Vec<_> = std::iter::from_fn(|| timers.pop(secs(4))).collect();
        assert_eq!(popped, [slot(1), slot(2)]);
        timers.set(slot(1), secs(9), &mut Due::default());
        timers.unset(slot(1), &mut Due(9_000_000_000));
        assert!(timers.0.is_empty());
    }
}
