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

    /// Whether it is worth a look: it changed, and has been quiet since. Said once for each change.
    pub(super) fn look(&mut self, stamp: Stamp, now: Instant) -> bool {
        if stamp != self.seen {
            *self = Settle {
                seen: stamp,
                since: now,
                changing: true,
            };
        }
        let settled = self.changing && now.duration_since(self.since) >= QUIET;
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
            assert_eq!(settle.look(seen, at(millis)), told, "at {millis}");
        }
    }
}
