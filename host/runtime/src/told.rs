//! How often something may be told: a policy that faults at every request must not fill the log.

use std::time::Duration;
use usher_core::Moment;

/// So many lines in so long.
const LINES: u32 = 20;
const WINDOW: Duration = Duration::from_secs(10);

/// Counts what was told lately, and what was left out.
#[derive(Default)]
pub(crate) struct Told {
    since: Moment,
    lines: u32,
    unsaid: u64,
}

impl Told {
    /// Whether one more may be told now; if so, how many were left out since the last.
    pub(crate) fn admits(&mut self, now: Moment) -> Option<u64> {
        if now.since(self.since) >= WINDOW {
            self.since = now;
            self.lines = 0;
        }
        if self.lines < LINES {
            self.lines += 1;
            Some(std::mem::take(&mut self.unsaid))
        } else {
            self.unsaid += 1;
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted_and_told_with_the_next() {
        let at = Moment::from_millis;
        let mut told = Told::default();
        let begun = 1_000_000;
        let first = (0..25).filter(|_| told.admits(at(begun)).is_some()).count();
        assert_eq!(first, 20);
        assert_eq!(told.admits(at(begun + 9_999)), None);
        assert_eq!(told.admits(at(begun + 10_000)), Some(6));
        assert_eq!(told.admits(at(begun + 10_000)), Some(0));
    }
}
