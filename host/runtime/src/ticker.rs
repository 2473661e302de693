//! The ticker: a thread that moves the epoch on, by which running calls are stopped.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The time between two ticks.
const TICK: Duration = Duration::from_millis(1);

/// A deadline in ticks, rounded up.
pub(crate) fn ticks(deadline: Duration) -> u64 {
    u64::try_from(deadline.as_nanos().div_ceil(TICK.as_nanos())).unwrap_or(u64::MAX)
}

/// Ticks until it is dropped. An operating-system thread of its own: a busy runtime must not be able to
/// hold up what stops it.
pub(crate) struct Ticker(Arc<AtomicBool>);

impl Ticker {
    /// Starts ticking.
    pub(crate) fn start(engine: &wasmtime::Engine) -> io::Result<Ticker> {
        let stop = Arc::new(AtomicBool::new(false));
        let (engine, stopped) = (engine.clone(), Arc::clone(&stop));
        thread::Builder::new()
            .name("usher-ticker".to_owned())
            .spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    thread::sleep(TICK);
                    engine.increment_epoch();
                }
            })?;
        Ok(Ticker(stop))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_rounded_up_to_whole_ticks() {
        for (deadline, expected) in [
            (Duration::ZERO, 0),
            (Duration::from_micros(1), 1),
            (Duration::from_millis(20), 20),
            (Duration::from_micros(20_001), 21),
            (Duration::MAX, u64::MAX),
        ] {
            assert_eq!(ticks(deadline), expected, "{deadline:?}");
        }
    }
}
