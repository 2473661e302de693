//! When whom to wake. A wake-up that was overtaken by an earlier one comes all the same and does no harm:
//! whoever is woken looks what is due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// Wake-ups of numbered sleepers.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    due: BinaryHeap<Reverse<(Duration, usize)>>,
}

impl Timers {
    pub(crate) fn wake(&mut self, sleeper: usize, at: Duration) {
        self.due.push(Reverse((at, sleeper)));
    }

    /// The next moment at which anyone wakes.
    pub(crate) fn next(&self) -> Option<Duration> {
        self.due.peek().map(|Reverse((at, _))| *at)
    }

    /// Someone whose moment has come, with that moment.
    pub(crate) fn woken(&mut self, now: Duration) -> Option<(usize, Duration)> {
        if self.next()? > now {
            return None;
        }
        self.due.pop().map(|Reverse((at, sleeper))| (sleeper, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleepers_wake_in_order_and_not_early() {
        let at = Duration::from_millis;
        let mut timers = Timers::default();
        timers.wake(1, at(20));
        timers.wake(2, at(10));
        assert_eq!(timers.next(), Some(at(10)));
        assert_eq!(timers.woken(at(9)), None);
        assert_eq!(timers.woken(at(20)), Some((2, at(10))));
        assert_eq!(timers.woken(at(20)), Some((1, at(20))));
        assert_eq!(timers.next(), None);
    }
}
