//! The ticker: a thread that moves the epoch on, by which running calls are stopped. It sleeps while there are none.

use crate::pulse::Pulse;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The time between two ticks.
const TICK: Duration = Duration::from_millis(1);

/// While a call overruns, the epoch moves on after so long too: whoever waits behind it waits no longer.
const PART: Duration = Duration::from_micros(200);

/// After so many ticks without a call it sleeps: to be woken costs whoever calls more than the call itself.
const LINGER: u32 = 100;

/// A deadline in ticks, rounded up.
pub(crate) fn ticks(deadline: Duration) -> u64 {
    u64::try_from(deadline.as_nanos().div_ceil(TICK.as_nanos())).unwrap_or(u64::MAX)
}

/// Ticks until it is dropped. An operating-system thread of its own: a busy runtime must not be able to
/// hold up what stops it.
pub(crate) struct Ticker(Arc<Pulse>);

impl Ticker {
    /// Starts ticking.
    pub(crate) fn start(engine: &wasmtime::Engine) -> io::Result<Ticker> {
        let pulse = Arc::new(Pulse::default());
        let (engine, ours) = (engine.clone(), Arc::clone(&pulse));
        thread::Builder::new()
            .name("usher-ticker".to_owned())
            .spawn(move || run(&engine, &ours))?;
        Ok(Ticker(pulse))
    }

    /// What calls tell it by that they need it.
    pub(crate) fn pulse(&self) -> &Arc<Pulse> {
        &self.0
    }
}

fn run(engine: &wasmtime::Engine, pulse: &Pulse) {
    let (mut seen, mut quiet) = (0, 0);
    while !pulse.is_stopped() {
        let last = Instant::now();
        if pulse.overran() {
            // In between, so that it steps aside more often; these are no ticks.
            thread::sleep(PART);
            while last.elapsed() + PART / 2 < TICK {
                engine.increment_epoch();
                thread::sleep(PART);
            }
        } else {
            thread::sleep(TICK);
        }
        // Counted first: who is stopped by the epoch finds that its time is over.
        pulse.tick();
        engine.increment_epoch();
        let (begun, under_way) = pulse.calls();
        let used = under_way || begun != seen;
        (seen, quiet) = (begun, if used { 0 } else { quiet + 1 });
        if quiet == LINGER {
            quiet = 0;
            if !pulse.rest() {
                return;
            }
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.stop();
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
