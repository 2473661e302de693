//! How much of the time the generator's thread had something to do: one that always has is what was measured.

use std::fs;
use std::time::Duration;

/// For how long this thread has run so far. Nothing where the system does not say.
pub(crate) fn busy() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().map(str::parse);
    Duration::from_nanos(nanos.and_then(Result::ok).unwrap_or(0))
}
