//! Moments. The core never reads a clock: its caller says what time it is.

use std::fmt;
use std::time::Duration;

/// A moment: milliseconds since the Unix epoch on a clock that never runs backwards.
///
/// The host makes it from the wall clock at its start plus the monotonic time since, so that a moment
/// orders events and can also be compared with an expiry that a ticket states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(u64);

impl Moment {
    /// The epoch. Tests in virtual time start here.
    pub const ZERO: Moment = Moment(0);

    /// From milliseconds since the epoch.
    pub const fn from_millis(millis: u64) -> Moment {
        Moment(millis)
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// This much later; the last representable moment if that is nearer.
    pub fn after(self, wait: Duration) -> Moment {
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        Moment(self.0.saturating_add(millis))
    }

    /// How long since `earlier`; zero if that is not earlier.
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ms", self.0)
    }
}
