//! The timeline: players alone, then those who wait, then those who come and go, then a flood.

use crate::args::Pending;
use crate::crew::Crew;
use crate::crowd::{Crowd, PAYLOAD};
use crate::flood::Flood;
use crate::lines::say;
use crate::players::Players;
use crate::work::{Phase, Worker};
use serde_json::json;
use std::io;
use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How many come and go in a second before anything is measured, at least.
const WARM_UP: u32 = 200;

struct Timeline(Crew);

/// Runs all of it.
///
/// # Errors
///
/// Nobody answers at the door, the system gives no ports or threads, or nobody may read what we say.
pub(crate) fn run(load: Pending) -> io::Result<()> {
    let door = load.door;
    let zero = Instant::now();
    let start = |seed: u64| load.seed.wrapping_add(seed);
    let players = Players::new(load.players, door, start(0), zero.elapsed())?;
    let timeline = Timeline(Crew {
        workers: [
            ("players", Worker::start("players", players, zero)?),
            (
                "crowd",
                Worker::start("crowd", Crowd::new(door, start(1))?, zero)?,
            ),
            (
                "flood",
                Worker::start("flood", Flood::new(SocketAddr::V4(door), start(2))?, zero)?,
            ),
        ],
        zero,
    });
    say(&json!({"event": "payload", "bytes": PAYLOAD}))?;
    timeline
        .0
        .settle(Duration::ZERO, "the players are not let in")?;
    let seconds = Duration::from_secs(load.seconds.into());
    let idle = Phase::default();
    // What the host makes once for all who come is made before anything is measured.
    timeline.0.begin(Phase {
        arrivals: load.arrivals.max(WARM_UP),
        ..idle
    });
    sleep(Duration::from_secs(2));
    timeline.0.begin(idle);
    sleep(Duration::from_secs(1));
    timeline.phase("idle", idle, seconds)?;

    let waiting = Phase {
        waiting: load.waiting,
        ramp: load.ramp,
        ..idle
    };
    let ramp = Duration::from_secs((load.waiting / load.ramp.max(1)).into());
    timeline.ramp(waiting, ramp)?;
    timeline.phase("waiting", waiting, seconds)?;
    if load.arrivals == 0 {
        return timeline.0.leave();
    }
    let arriving = Phase {
        arrivals: load.arrivals,
        ..waiting
    };
    timeline.phase("arriving", arriving, seconds)?;
    let flooded = Phase {
        flood: load.flood,
        ..arriving
    };
    timeline.phase("flooded", flooded, seconds)?;
    timeline.phase("after", waiting, Duration::from_secs(2).min(seconds))?;
    timeline.0.leave()
}

impl Timeline {
    /// One phase, from its first line to its last.
    fn phase(&self, name: &str, phase: Phase, lasts: Duration) -> io::Result<()> {
        say(&json!({"event": "begin", "phase": name}))?;
        self.0.begin(phase);
        sleep(lasts);
        self.0.end(name, [])
    }

    /// The phase in which those who wait come, however long that takes.
    fn ramp(&self, phase: Phase, takes: Duration) -> io::Result<()> {
        say(&json!({"event": "begin", "phase": "ramp"}))?;
        self.0.begin(phase);
        let settled = self.0.settle(takes, "not all who should wait do");
        self.0.end("ramp", [])?;
        settled
    }
}
