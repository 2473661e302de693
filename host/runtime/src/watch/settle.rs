//! Waits until a file has settled: one that is still being written is not worth a look.

use super::stamp::Stamp;
use std::time::{Duration, Instant};

/// How long a file must stay the same. Also far longer than the grain of file times, so that what is
/// written after it was told has another time.
const QUIET: Duration = Duration::from_millis(100);

/// One file.
pub(super) struct Settle {
    seen: Stamp,
    since: Instant,
    changing: bool,
}

impl Settle {
    /// A file that nobody needs to be told of.
    pub(super) fn new(stamp: Stamp, now: Instant) -> Settle {
        Settle {
            seen: stamp,
            since: now,
            changing: false,
        }
    }

    /// Whether it is worth a look: it changed, and has been quiet since, or is known to be whole. Said once for
    /// each change.
    pub(super) fn look(&mut self, stamp: Stamp, whole: bool, now: Instant) -> bool {
        if stamp != self.seen {
            *self = Settle {
                seen: stamp,
                since: now,
                changing: true,
            };
        }
        let quiet = whole || now.duration_since(self.since) >= QUIET;
        let settled = self.changing && quiet;
        self.changing &= !settled;
        settled
    }

    /// Whether it changed and has not been quiet since.
    pub(super) fn is_changing(&self) -> bool {
        self.changing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(length: u64) -> Stamp {
        Stamp::There {
            identity: (1, 1),
            length,
            modified: None,
        }
    }

    #[test]
    fn a_change_is_told_once_when_it_is_over() {
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        let mut settle = Settle::new(stamp(1), begun);
        for (millis, seen, told) in [
            (0, stamp(1), false),
            (500, stamp(1), false),
            (600, stamp(2), false),
            (690, stamp(3), false),
            (780, stamp(3), false),
            (790, stamp(3), true),
            (800, stamp(3), false),
            (900, Stamp::Missing, false),
            (950, stamp(3), false),
            (1_049, stamp(3), false),
            (1_050, stamp(3), true),
            (2_000, stamp(3), false),
        ] {
            assert_eq!(settle.look(seen, false, at(millis)), told, "at {millis}");
        }
    }

    #[test]
    fn what_is_whole_is_told_at_once_and_once() {
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        let mut settle = Settle::new(stamp(1), begun);
        for (millis, seen, whole, told) in [
            // Something else was put in its place.
            (10, stamp(1), true, false),
            (20, stamp(2), true, true),
            (30, stamp(2), true, false),
            (200, stamp(2), false, false),
            // It is written to after it was put there.
            (210, stamp(3), true, true),
            (215, stamp(4), false, false),
            (315, stamp(4), false, true),
            (400, Stamp::Missing, false, false),
            (410, stamp(5), true, true),
        ] {
            assert_eq!(settle.look(seen, whole, at(millis)), told, "at {millis}");
        }
    }
}
