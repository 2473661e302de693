//! Whole lives at an `rtyp` door: a login over TCP, a UDP endpoint bound, a goodbye, each from an address of
//! its own. Either so many live at once, and each that ends is followed by the next (a closed loop), or they
//! come when they are due, whatever became of those before (an open loop).

mod life;
mod lives;
mod names;
mod tally;

use crate::args::Logins;
use crate::lines::{PATIENCE, say};
use crate::logins::lives::{Coming, Lives};
use crate::work::Report;
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddrV4;
use std::time::{Duration, Instant};

/// Runs all of it.
///
/// # Errors
///
/// The names are none, the system gives no ports, or nobody may read what we say.
pub(crate) fn run(load: &Logins) -> io::Result<()> {
    let coming = match (load.at_once, load.rate) {
        (Some(at_once), _) => Coming::AtOnce(at_once),
        (None, Some(rate)) => Coming::Rate(rate),
        (None, None) => return Err(io::Error::other("say --at-once or --rate")),
    };
    let zero = Instant::now();
    let mut lives = Lives::new(load, zero)?;
    if load.warm_up > 0 {
        phase(&mut lives, "warm-up", coming, load.warm_up)?;
    }
    phase(&mut lives, "logins", coming, load.seconds)
}

/// Has so many come in a second, for so long, and says what came of them.
///
/// # Errors
///
/// The system gives no ports.
pub(crate) fn at_rate(door: SocketAddrV4, rate: u32, lasts: Duration) -> io::Result<Report> {
    let load = Logins {
        door,
        at_once: None,
        rate: Some(rate),
        seconds: 0,
        warm_up: 0,
        names: "player-#".to_owned(),
        bad_every: 0,
        bad_names: "trap-#".to_owned(),
    };
    let mut lives = Lives::new(&load, Instant::now())?;
    lives.begin(Coming::Rate(rate));
    lives.run_for(lasts)?;
    let busy = lives.pause();
    lives.drain(PATIENCE)?;
    let report = lives.report(busy);
    let figures = report.figures["logins"].as_object().cloned();
    Ok(Report {
        figures: figures.unwrap_or_default(),
        behind: report.behind,
    })
}

fn phase(lives: &mut Lives, name: &str, coming: Coming, seconds: u32) -> io::Result<()> {
    say(&json!({"event": "begin", "phase": name}))?;
    lives.begin(coming);
    lives.run_for(Duration::from_secs(seconds.into()))?;
    // The meters are read at this line: what follows is the end of those who are still under way.
    let busy = lives.pause();
    lives.drain(PATIENCE)?;
    let report = lives.report(busy);
    let mut line = report.figures;
    line.insert("event".to_owned(), "end".into());
    line.insert("phase".to_owned(), name.into());
    line.insert("at_s".to_owned(), json!(lives.since_zero().as_secs_f64()));
    line.insert("behind".to_owned(), report.behind.into());
    say(&Value::Object(line))
}

#[cfg(test)]
mod tests;
