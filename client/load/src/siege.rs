//! A host under siege: what players and newcomers notice while a door is flooded, while it has noise to drop, and
//! while thousands of connections say half of something and no more.

use crate::args::Siege;
use crate::crew::Crew;
use crate::crowd::Crowd;
use crate::flood::Flood;
use crate::halves::Halves;
use crate::lines::say;
use crate::logins;
use crate::players::Players;
use crate::work::{Phase, Worker};
use serde_json::json;
use std::io;
use std::net::SocketAddr;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// How long newcomers come before anything is measured: what the host makes once for all is made then.
const WARM_UP: Duration = Duration::from_secs(2);

/// All who are at work.
struct Timeline<'a> {
    load: &'a Siege,
    crew: Crew,
}

/// Runs all of it.
///
/// # Errors
///
/// Nobody answers at a door, the system gives no ports, files or threads, or nobody may read what we say.
pub(crate) fn run(load: &Siege) -> io::Result<()> {
    let (door, zero) = (load.door, Instant::now());
    let seed = |part: u64| load.seed.wrapping_add(part);
    let players = Players::new(load.players, door, seed(0), zero.elapsed())?;
    let crowd = Crowd::new(door, seed(1))?;
    let flood = Flood::new(SocketAddr::V4(door), seed(2))?;
    let timeline = Timeline {
        load,
        crew: Crew {
            workers: [
                ("players", Worker::start("players", players, zero)?),
                ("crowd", Worker::start("crowd", crowd, zero)?),
                ("flood", Worker::start("flood", flood, zero)?),
            ],
            zero,
        },
    };
    let crew = &timeline.crew;
    crew.settle(Duration::ZERO, "the players are not let in")?;
    let quiet = Phase {
        arrivals: load.arrivals,
        ..Phase::default()
    };
    crew.begin(quiet);
    sleep(WARM_UP);
    let seconds = Duration::from_secs(load.seconds.into());
    let short = seconds.min(Duration::from_secs(load.short.into()));
    timeline.phase("idle", quiet, short, None)?;
    let flooded = Phase {
        flood: load.rate / 2,
        noise: load.rate - load.rate / 2,
        ..quiet
    };
    timeline.phase("flooded", flooded, seconds, None)?;
    let noise = Phase {
        noise: load.noise,
        ..quiet
    };
    timeline.phase("noise", noise, short, None)?;
    let halves = Halves::new(load.tcp, load.half_open)?;
    timeline.phase("half-open", quiet, short, Some(halves))?;
    timeline.crew.leave()
}

impl Timeline<'_> {
    /// One phase, from its first line to its last, with logins at the other door all the while.
    fn phase(
        &self,
        name: &str,
        phase: Phase,
        lasts: Duration,
        halves: Option<Halves>,
    ) -> io::Result<()> {
        say(&json!({"event": "begin", "phase": name}))?;
        self.crew.begin(phase);
        let (logins, halves) = thread::scope(|scope| {
            let logins = scope.spawn(|| logins::at_rate(self.load.tcp, self.load.arrivals, lasts));
            let halves = halves.map(|halves| halves.keep(lasts));
            (logins.join(), halves)
        });
        let broken = |_| Err(io::Error::other("a thread panicked"));
        let logins = logins.unwrap_or_else(broken)?;
        let halves = halves.map(|report| ("half_open", report));
        let others = std::iter::once(("logins", logins)).chain(halves);
        self.crew.end(name, others)
    }
}
