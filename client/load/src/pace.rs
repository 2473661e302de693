//! Open loop: what is due is due, however late we are or the other side is. A generator that waits for an
//! answer before it asks again measures only how fast it gives up.

use std::time::Duration;

/// The most that is made up for in one go, in seconds of the rate: who was held up longer has not sent what
/// was asked for, and says so.
const CATCH_UP: f64 = 0.25;

/// Gives out things at a rate.
#[derive(Debug)]
pub(crate) struct Pace {
    each_second: f64,
    given: f64,
    since: Duration,
}

impl Pace {
    /// From now on so many a second; 0 for none.
    pub(crate) fn new(each_second: u32, now: Duration) -> Pace {
        Pace {
            each_second: f64::from(each_second),
            given: 0.0,
            since: now,
        }
    }

    /// How many are due that were not given out yet.
    pub(crate) fn due(&mut self, now: Duration) -> u32 {
        let in_all = now.saturating_sub(self.since).as_secs_f64() * self.each_second;
        let due = (in_all - self.given).floor().max(0.0);
        self.given += due;
        let most = (self.each_second * CATCH_UP).ceil();
        // Not more than the rate, which is a u32.
        due.min(most) as u32
    }

    /// How much later than the one before it each is due; nothing where none ever is.
    pub(crate) fn interval(&self) -> Option<Duration> {
        (self.each_second > 0.0).then(|| Duration::from_secs_f64(1.0 / self.each_second))
    }

    /// When the next one is due, if ever.
    pub(crate) fn next(&self) -> Option<Duration> {
        (self.each_second > 0.0)
            .then(|| self.since + Duration::from_secs_f64((self.given + 1.0) / self.each_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_kept_however_often_one_looks() {
        for looks in [10, 333, 1000, 7777] {
            let mut pace = Pace::new(2000, Duration::from_secs(5));
            let looked = (1..=looks)
                .map(|look| Duration::from_secs(5) + Duration::from_secs(1) * look / looks);
            let given: u32 = looked.map(|now| pace.due(now)).sum();
            assert!((1999..=2000).contains(&given), "{given}");
        }
    }

    #[test]
    fn who_was_held_up_for_long_does_not_make_up_for_all_of_it() {
        let mut pace = Pace::new(1000, Duration::ZERO);
        assert_eq!(pace.due(Duration::from_secs(10)), 250);
        assert_eq!(pace.due(Duration::from_secs(10)), 0);
        assert_eq!(pace.due(Duration::from_millis(10_020)), 20);
    }

    #[test]
    fn nothing_is_ever_due_at_no_rate() {
        let mut pace = Pace::new(0, Duration::ZERO);
        assert_eq!((pace.due(Duration::from_secs(9)), pace.next()), (0, None));
    }
}
