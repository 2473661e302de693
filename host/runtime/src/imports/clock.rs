//! `clock`: a moment that stands still within a call.

use crate::bindings::clock;
use usher_core::Moment;

/// The moment of the call.
#[derive(Default)]
pub(crate) struct FixedClock(Moment);

impl FixedClock {
    /// Before a call.
    pub(crate) fn begin(&mut self, now: Moment) {
        self.0 = now;
    }
}

impl clock::Host for FixedClock {
    fn now_ms(&mut self) -> u64 {
        self.0.as_millis()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clock::Host as _;

    #[test]
    fn it_stands_still() {
        let mut clock = FixedClock::default();
        clock.begin(Moment::from_millis(1_700_000_000_000));
        assert_eq!(clock.now_ms(), 1_700_000_000_000);
        assert_eq!(clock.now_ms(), 1_700_000_000_000);
    }
}
