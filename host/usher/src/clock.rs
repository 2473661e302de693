//! The host's clock. Everything that the core is told happens at a moment of this clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use usher_core::Moment;

/// Further than any timer of ours, and near enough to be added to any instant.
const FAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The wall clock as it stood at the start, carried on by the monotonic one: a moment never runs
/// backwards, and can still be compared with an expiry that a ticket states.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    start_millis: u64,
}

impl Clock {
    /// A clock that starts now. A host has one.
    pub fn start() -> Clock {
        // A wall clock before 1970 is a machine without a clock; its moments count from its start.
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Clock {
            start: Instant::now(),
            start_millis: u64::try_from(since_epoch.as_millis()).unwrap_or(0),
        }
    }

    /// This moment.
    pub fn now(&self) -> Moment {
        self.started().after(self.elapsed())
    }

    /// The moment at which it started.
    pub fn started(&self) -> Moment {
        Moment::from_millis(self.start_millis)
    }

    /// The time since then, as exactly as the system has it.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The timer's view of a time since the start.
    pub fn instant_at(&self, elapsed: Duration) -> tokio::time::Instant {
        (self.start + elapsed.min(FAR)).into()
    }

    /// The timer's view of a moment: once it is reached, [`Clock::now`] is at least `moment`.
    pub fn instant(&self, moment: Moment) -> tokio::time::Instant {
        self.instant_at(moment.since(self.started()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_reached_when_its_instant_is() {
        let clock = Clock::start();
        let moment = clock.now().after(Duration::from_millis(3));
        let instant: Instant = clock.instant(moment).into();
        while Instant::now() < instant {
            std::thread::yield_now();
        }
        assert!(clock.now() >= moment);
    }

    #[test]
    fn no_moment_is_too_far() {
        let clock = Clock::start();
        clock.instant(Moment::from_millis(u64::MAX));
        assert!(clock.instant(Moment::ZERO) <= tokio::time::Instant::now());
    }
}
