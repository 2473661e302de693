//! Clients that come in and leave again, one life after the other, so many at once: a closed loop that says how
//! many admissions a door manages in a second. Each life has an address of its own.

mod life;
mod lives;
mod tally;

use crate::args::Admissions as Load;
use crate::lines::{PATIENCE, PAUSE, end, say};
use crate::work::{Phase, Worker};
use lives::Lives;
use serde_json::json;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How many begin in a second, until there are enough.
const RAMP: u32 = 20_000;

/// Runs all of it.
///
/// # Errors
///
/// Nobody answers at the door, the system gives no ports or threads, or nobody may read what we say.
pub(crate) fn run(load: &Load) -> io::Result<()> {
    let zero = Instant::now();
    let lives = Lives::new(load.door, load.seed)?;
    let worker = Worker::start("admissions", lives, zero)?;
    let phase = Phase {
        waiting: load.at_once.max(1),
        ramp: RAMP,
        ..Phase::default()
    };
    worker.begin(phase);
    let until = Instant::now() + PATIENCE;
    sleep(2 * PAUSE);
    while !worker.settled() {
        if Instant::now() > until {
            return Err(io::Error::other("nobody is let in"));
        }
        sleep(PAUSE);
    }
    sleep(Duration::from_secs(load.warm_up.into()));
    say(&json!({"event": "begin", "phase": "admissions"}))?;
    worker.begin(phase);
    sleep(Duration::from_secs(load.seconds.into()));
    end(
        "admissions",
        zero,
        std::iter::once(("admissions", worker.report())),
    )?;
    worker.leave();
    worker.join()
}
