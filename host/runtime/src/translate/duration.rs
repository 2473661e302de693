//! Durations, which the contract has in whole milliseconds.

use std::time::Duration;

/// A duration in whole milliseconds; the most there can be if it is longer.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
