//! Messages of players, as many as come back: each has so many under way at any time (a closed loop), or all of
//! them together send so many a second, whatever comes back (an open loop).

mod enter;
mod player;
mod speech;
mod talk;
mod wire;

use crate::args::Messages;
use crate::lines::say;
use serde_json::{Value, json};
use std::io;
use std::time::{Duration, Instant};
use talk::Talk;

/// Runs all of it.
///
/// # Errors
///
/// The players are not let in, the system gives no sockets, or nobody may read what we say.
pub(crate) fn run(load: &Messages) -> io::Result<()> {
    let zero = Instant::now();
    let mut talk = Talk::enter(load, zero)?;
    let seconds = Duration::from_secs(load.seconds.into());
    for (name, lasts) in [("warm-up", load.warm_up), ("messages", seconds)] {
        if lasts.is_zero() {
            continue;
        }
        say(&json!({"event": "begin", "phase": name}))?;
        let mut report = talk.run_for(lasts)?;
        report.set("event", "end");
        report.set("phase", name);
        report.set("at_s", zero.elapsed().as_secs_f64());
        let behind = std::mem::take(&mut report.behind);
        report.set("behind", behind);
        say(&Value::Object(report.figures))?;
    }
    talk.leave()
}

#[cfg(test)]
mod tests;
