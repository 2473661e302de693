//! How fast a player may be.

use std::time::Duration;
use tokio::time::Instant;

/// So much a second, and what was saved up within one second at once.
#[derive(Debug)]
pub(super) struct Rate {
    /// What one unit costs.
    each: Duration,
    /// What may be had at once beyond a second's worth.
    slack: Duration,
    /// When everything that was had is paid for.
    paid: Instant,
}

impl Rate {
    /// `slack` is what may be had at once, besides what a second gives.
    pub(super) fn new(per_second: u32, slack: u32, now: Instant) -> Rate {
        let each = Duration::from_secs(1) / per_second.max(1);
        Rate {
            each,
            slack: each.saturating_mul(slack),
            paid: now,
        }
    }

    /// Takes so many units; false if that is too fast.
    pub(super) fn take(&mut self, units: u32, now: Instant) -> bool {
        let from = self.paid.max(now);
        let paid = from + self.each.saturating_mul(units);
        let fits = paid <= now + Duration::from_secs(1) + self.slack;
        if fits {
            self.paid = paid;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seconds_worth_may_come_at_once_and_then_as_fast_as_time_goes() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut rate = Rate::new(10, 0, start);
        for _ in 0..10 {
            assert!(rate.take(1, at(0)));
        }
        assert!(!rate.take(1, at(0)));
        assert!(!rate.take(1, at(99)));
        assert!(rate.take(1, at(100)));
        assert!(!rate.take(1, at(100)));
        assert!(rate.take(10, at(60_000)), "a second's worth is saved up");
        assert!(!rate.take(1, at(60_000)), "and no more than that");
    }

    #[test]
    fn what_is_longer_than_a_second_gives_needs_slack() {
        let now = Instant::now();
        assert!(!Rate::new(100, 0, now).take(101, now));
        assert!(Rate::new(100, 5, now).take(105, now));
        assert!(!Rate::new(100, 5, now).take(106, now));
        assert!(!Rate::new(100, 5, now).take(u32::MAX, now));
    }
}
