//! A flood at the `mafianet` door, noise that can only be dropped, and connections that stay half open at the
//! `rtyp` door: what players, newcomers and the host's memory notice of it.

use std::path::Path;

use super::super::figure::{Figure, Line, Sample, Side, Spread};
use super::super::load::{Phase, load};
use super::super::meter;
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;

/// How many times slower players may get.
const SLOWER: f64 = 2.0;

/// The longest that 99 of 100 logins may take.
const LOGIN: f64 = 20e6;

/// By how much memory may grow, in bytes: what the allocator does not give back at once.
const FLAT: f64 = 4.0 * 1_048_576.0;

/// How many datagrams a core is to be able to drop in a second.
const DROPPED: f64 = 500_000.0;

/// The phases, as the generator calls them.
const IDLE: &str = "idle";
const FLOODED: &str = "flooded";
const NOISE: &str = "noise";
const HALF_OPEN: &str = "half-open";

/// What can be set, but for one by the names that the generator knows too.
const SETTINGS: &[Setting] = &[
    Setting {
        name: "rate",
        about: "how many datagrams of nobody come in a second; half of them are noise",
        value: 100_000,
        quick: 20_000,
    },
    Setting {
        name: "noise",
        about: "how many come where all of them are noise",
        value: 150_000,
        quick: 50_000,
    },
    Setting {
        name: "half-open",
        about: "how many connections stay half open",
        value: 10_000,
        quick: 1_000,
    },
    Setting {
        name: "seconds",
        about: "for how many seconds the door is flooded in the first round, which tells how memory grows",
        value: 30,
        quick: 1,
    },
    Setting {
        name: AGAIN,
        about: "for how many in the others",
        value: 10,
        quick: 1,
    },
];

/// The setting of all rounds but the first, which the generator does not know.
const AGAIN: &str = "again";

pub(super) const ROW: Row = Row {
    name: "flood",
    about: "players' round trips, logins and memory while datagrams of nobody flood a door, and half-open connections",
    settings: SETTINGS,
    seconds: 230,
    run,
};

/// What one round came to.
struct Round {
    phases: Vec<Phase>,
    /// Datagrams that the host did not fetch in time while there was noise.
    unfetched: u64,
}

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let echo = run.module("echo")?;
    let policy = run.module("version-a")?;
    let rounds: Outcome<Vec<_>> = (0..run.rounds)
        .map(|round| measure(run, &echo, &policy, round))
        .collect();
    figures(&rounds?)
}

fn measure(run: &Run<'_>, echo: &Path, policy: &Path, round: usize) -> Outcome<Round> {
    let site = run.site()?;
    let mut host = run.start_host(&site, &config(&site, echo, policy))?;
    let mut generator = run.generator("flood")?;
    generator
        .arg(format!("mafianet://{}", site.udp))
        .arg(format!("tcp://{}", site.tcp));
    for setting in SETTINGS.iter().filter(|it| it.name != AGAIN) {
        let value = match (setting.name, round) {
            ("seconds", 1..) => run.setting(AGAIN),
            (name, _) => run.setting(name),
        };
        generator
            .arg(format!("--{}", setting.name))
            .arg(value.to_string());
    }
    let mut before = 0;
    let mut unfetched = 0;
    let phases = load(&mut host.running, &mut generator, |said| {
        let dropped = meter::dropped(site.udp.port());
        if said["phase"] == NOISE && said["event"] == "end" {
            unfetched = dropped.saturating_sub(before);
        }
        before = dropped;
        Ok(())
    })?;
    host.ends()?;
    Ok(Round { phases, unfetched })
}

/// Seats for players and newcomers at both doors.
fn config(site: &Site, echo: &Path, policy: &Path) -> String {
    let Site {
        udp,
        tcp,
        control,
        beside,
        ..
    } = site;
    format!(
        "[limits]\nmax-players = 250\nmax-pending = 2000\nmax-pending-per-address = 0\n\
         [[door]]\nname = \"bench\"\nprotocol = \"mafianet\"\nudp = \"{udp}\"\npolicies = [\"open\"]\n\
         [[door]]\nname = \"login\"\nprotocol = \"rtyp\"\ntcp = \"{tcp}\"\nudp = \"{beside}\"\n\
         policies = [\"names\"]\n\
         [[policy]]\nname = \"open\"\nmodule = \"builtin:open\"\n\
         [[policy]]\nname = \"names\"\nmodule = {policy:?}\n\
         [rules]\nmodule = {echo:?}\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}

fn figures(rounds: &[Round]) -> Outcome<Vec<Figure>> {
    let players = |phase| {
        side(phase, rounds, |round| {
            spread(round, phase, "/players/round_trip_us")
        })
    };
    let newcomers = |phase| {
        side(phase, rounds, |round| {
            spread(round, phase, "/crowd/admitted_us")
        })
    };
    let logins = |phase| {
        side(phase, rounds, |round| {
            spread(round, phase, "/logins/accept_us")
        })
    };
    let nanos = |what, sides| Figure::new(what, Unit::Nanoseconds, sides);
    let twice = || Line::TimesAtMost {
        side: IDLE.to_owned(),
        times: SLOWER,
    };
    Ok(vec![
        nanos(
            "players' echo, p99, under a flood",
            vec![players(FLOODED)?, players(IDLE)?],
        )
        .line(twice()),
        nanos(
            "players' echo, p99, under noise",
            vec![players(NOISE)?, players(IDLE)?],
        )
        .line(twice()),
        nanos(
            "logins at the flooded door, p99",
            vec![newcomers(FLOODED)?, newcomers(IDLE)?],
        )
        .line(Line::AtMost(LOGIN)),
        nanos(
            "logins at the door with half-open connections, p99",
            vec![logins(HALF_OPEN)?, logins(IDLE)?],
        )
        .line(Line::AtMost(LOGIN)),
        Figure::new(
            "growth of memory by the flood",
            Unit::Bytes,
            vec![growth(rounds)?],
        )
        .line(Line::AtMost(FLAT)),
        Figure::new(
            "noise dropped a second of one core",
            Unit::PerSecond,
            vec![side("usher", rounds, dropped)?],
        )
        .line(Line::AtLeast(DROPPED)),
    ])
}

fn side(name: &str, rounds: &[Round], of: impl Fn(&Round) -> Outcome<Sample>) -> Outcome<Side> {
    Ok(Side {
        name: name.to_owned(),
        rounds: rounds.iter().map(of).collect::<Outcome<_>>()?,
    })
}

fn named<'a>(round: &'a Round, name: &str) -> Outcome<&'a Phase> {
    let phase = round.phases.iter().find(|phase| phase.name == name);
    phase.ok_or_else(|| format!("the generator had no phase `{name}`"))
}

fn spread(round: &Round, phase: &str, pointer: &str) -> Outcome<Sample> {
    let phase = named(round, phase)?;
    let said = phase.said.pointer(pointer);
    let spread = said.and_then(Spread::from_micros);
    let spread =
        spread.ok_or_else(|| format!("the generator did not say {pointer} of `{}`", phase.name))?;
    Ok(phase.sample(spread.p99).spread(Some(spread)))
}

/// Of the first round, whose flood is the longest: shorter ones would only hide it.
fn growth(rounds: &[Round]) -> Outcome<Side> {
    let first = rounds.first().ok_or("there was no round")?;
    let (idle, flooded) = (named(first, IDLE)?, named(first, FLOODED)?);
    let grown = flooded.sample(flooded.rss as f64 - idle.rss as f64);
    Ok(Side {
        name: "usher".to_owned(),
        rounds: vec![grown; rounds.len()],
    })
}

/// How much noise the host fetched and dropped, by the processor time that it took beyond that of the same phase
/// without.
fn dropped(round: &Round) -> Outcome<Sample> {
    let (idle, noise) = (named(round, IDLE)?, named(round, NOISE)?);
    let fetched = noise.figure("/flood/noise_sent")? - round.unfetched as f64;
    let quiet = idle.host_cpu_s / idle.seconds * noise.seconds;
    // What is counted in hundredths of a second may come to nothing.
    let took = (noise.host_cpu_s - quiet).max(0.01);
    Ok(noise.sample(fetched / took).operations(fetched as u64))
}

#[cfg(test)]
mod tests {
    use super::super::super::judge::judge;
    use super::*;
    use serde_json::json;

    fn phase(name: &str, p99_us: u32, host_cpu_s: f64) -> Phase {
        let spread = json!({"p50": 200, "p99": p99_us, "p999": 900, "max": 950});
        Phase {
            name: name.to_owned(),
            said: json!({
                "players": {"round_trip_us": spread},
                "crowd": {"admitted_us": spread},
                "logins": {"accept_us": spread},
                "flood": {"noise_sent": 1_000_100},
                "behind": [],
            }),
            seconds: 10.0,
            host_cpu_s,
            generator_cpu_s: 0.25,
            others_busy: 0.0,
            rss: 10_000_000,
        }
    }

    fn good() -> Vec<Phase> {
        vec![
            phase(IDLE, 300, 0.5),
            phase(FLOODED, 600, 3.0),
            phase(NOISE, 600, 2.5),
            phase(HALF_OPEN, 300, 0.5),
        ]
    }

    fn held(phases: Vec<Phase>) -> Vec<bool> {
        let round = Round {
            phases,
            unfetched: 100,
        };
        let figures = figures(&[round]).unwrap();
        let judged = figures.iter().flat_map(judge);
        judged.map(|it| it.reached).collect()
    }

    #[test]
    fn a_line_is_missed_by_what_is_slow_fat_or_busy() {
        assert_eq!(held(good()), [true; 6]);
        let mut bad = good();
        bad[1] = phase(FLOODED, 20_001, 3.0);
        bad[1].rss += 5 << 20;
        bad[2] = phase(NOISE, 601, 2.51);
        bad[3] = phase(HALF_OPEN, 20_001, 0.5);
        assert_eq!(held(bad), [false; 6]);
    }
}
