//! Players with join tickets: a steady stream of them, after a warm-up in four quarters, and then the answers that are still
//! under way.

use crate::args::{Mint, Tickets};
use crate::joiners::Joiners;
use crate::lines::{PATIENCE, PAUSE, end, say};
use crate::work::{Phase, Worker};
use serde_json::json;
use std::fs;
use std::io::{self, Write as _};
use std::thread::sleep;
use std::time::{Duration, Instant};
use usher_ticket::{ReservationId, TicketId};

/// The phases in which they come.
const QUARTERS: [&str; 4] = [
    "first quarter",
    "second quarter",
    "third quarter",
    "last quarter",
];

/// Runs all of it.
///
/// # Errors
///
/// The file cannot be read, has too few ids or such that are none, the system gives no ports or threads, or
/// nobody may read what we say.
pub(crate) fn run(load: &Tickets) -> io::Result<()> {
    let ids = reservations(load)?;
    let zero = Instant::now();
    let joiners = Joiners::new(load.door, load.protocol_version, ids, load.seed)?;
    let worker = Worker::start("joiners", joiners, zero)?;
    let coming = Phase {
        arrivals: load.rate,
        ..Phase::default()
    };
    if load.warm_up > 0 {
        let lasts = Duration::from_secs(load.warm_up.into());
        phase(&worker, zero, "warm-up", coming, || sleep(lasts))?;
    }
    let lasts = Duration::from_secs(load.seconds.into()) / 4;
    for quarter in QUARTERS {
        phase(&worker, zero, quarter, coming, || sleep(lasts))?;
    }
    let answered = || {
        let until = Instant::now() + PATIENCE;
        // A thread has to have had its turn with the phase.
        sleep(2 * PAUSE);
        while !worker.settled() && Instant::now() < until {
            sleep(PAUSE);
        }
    };
    phase(&worker, zero, "last answers", Phase::default(), answered)?;
    worker.leave();
    worker.join()
}

/// Writes ids.
///
/// # Errors
///
/// The system has no random numbers, or nobody may read what we say.
pub(crate) fn mint(load: &Mint) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for _ in 0..load.count {
        let id = TicketId::mint().map_err(io::Error::other)?;
        writeln!(out, "{}", id.expose())?;
    }
    out.flush()
}

fn phase(
    worker: &Worker,
    zero: Instant,
    name: &str,
    phase: Phase,
    passes: impl FnOnce(),
) -> io::Result<()> {
    say(&json!({"event": "begin", "phase": name}))?;
    worker.begin(phase);
    passes();
    end(name, zero, std::iter::once(("joiners", worker.report())))
}

/// Enough of them for all who come.
fn reservations(load: &Tickets) -> io::Result<Vec<ReservationId>> {
    let text = fs::read_to_string(&load.reservations)?;
    let ids = text.lines().map(|line| {
        let number = |error| io::Error::other(format!("a line is no reservation id: {error}"));
        ReservationId::new(line).map_err(number)
    });
    let ids: Vec<_> = ids.collect::<io::Result<_>>()?;
    let needed = u64::from(load.rate) * (u64::from(load.warm_up) + u64::from(load.seconds));
    match ids.len() as u64 >= needed {
        true => Ok(ids),
        false => Err(io::Error::other(format!(
            "{needed} reservations are needed, and there are {}",
            ids.len()
        ))),
    }
}
