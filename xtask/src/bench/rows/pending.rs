//! Five players play while up to 50,000 wait; and while 10,000 do, thousands come and go, and somebody floods the
//! door.

use std::path::Path;

use serde_json::Value;

use super::super::figure::{Figure, Line, Sample, Side, Spread};
use super::super::load::{Phase, load as measured};
use super::super::meter;
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;

/// How many wait.
const WAITING: [u32; 3] = [1_000, 10_000, 50_000];

/// How many wait while others come and go and the door is flooded, or as many as wait at most.
const CROWDED: u32 = 10_000;

/// Where every second one of those who come and go comes from.
const BANNED: &str = "127.96.0.0/11\n";

/// The slowest that 99 of 100 round trips may be while thousands wait and others come and go.
const ROUND_TRIP: f64 = 10e6;

/// How many times slower a flood may make them.
const FLOOD: f64 = 2.0;

/// What someone who waits may cost beyond what it sent, in bytes.
const MEMORY: f64 = 2048.0;

/// What it may cost a second, in nanoseconds of a processor.
const PROCESSOR: f64 = 2e3;

/// The longest that one who waits may hear nothing: a client that sets nothing gives up after 10 s.
const SILENCE: f64 = 8e9;

/// The phases, as the generator calls them; each goes on with what was in the one before. The last two are only
/// where others come and go.
const IDLE: &str = "idle";
const WAITS: &str = "waiting";
const ARRIVING: &str = "arriving";
const FLOODED: &str = "flooded";

pub(super) const ROW: Row = Row {
    name: "pending",
    about: "players' round trips and the host's memory while thousands wait and others flood the door",
    settings: &[
        Setting {
            name: "most",
            about: "how many wait at most",
            value: 50_000,
            quick: 1_000,
        },
        Setting {
            name: "arrivals",
            about: "how many come and go in a second",
            value: 2_000,
            quick: 200,
        },
        Setting {
            name: "flood",
            about: "how many open-connection requests of nobody come in a second",
            value: 20_000,
            quick: 2_000,
        },
        Setting {
            name: "players",
            about: "how many play",
            value: 5,
            quick: 5,
        },
        Setting {
            name: "seconds",
            about: "how long each phase is measured; twice as long where the fewest wait",
            value: 5,
            quick: 1,
        },
    ],
    seconds: 460,
    run,
};

/// What one round came to.
struct Round {
    phases: Vec<Phase>,
    /// What each of those who wait sent, in bytes.
    payload: f64,
}

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let echo = run.module("echo")?;
    let most = run.setting("most");
    let mut all = Vec::new();
    for waiting in WAITING.into_iter().filter(|count| *count <= most) {
        let crowded = waiting == CROWDED.min(most);
        let rounds: Outcome<Vec<_>> = (0..run.rounds)
            .map(|_| measure(run, &echo, waiting, crowded))
            .collect();
        let rounds = rounds?;
        all.extend(figures(&rounds, waiting)?);
        if crowded {
            all.extend(crowded_figures(&rounds, waiting)?);
        }
    }
    match all.is_empty() {
        true => Err(format!("--with most={most}: the fewest are {}", WAITING[0])),
        false => Ok(all),
    }
}

fn measure(run: &Run<'_>, echo: &Path, waiting: u32, crowded: bool) -> Outcome<Round> {
    let site = run.site()?;
    site.write("bans.txt", BANNED)?;
    let mut host = run.start_host(&site, &config(run, &site, echo, waiting))?;
    let mut generator = run.generator("pending")?;
    generator.arg(format!("mafianet://{}", site.udp));
    let ramp = (waiting / 8).clamp(500, 2_500);
    // Processor time is counted in hundredths of a second, which is much where few use little of it.
    let lasts = run.setting("seconds") * (1 + u32::from(waiting == WAITING[0] && !run.quick));
    let load = |name| if crowded { run.setting(name) } else { 0 };
    for (name, value) in [
        ("--waiting", waiting),
        ("--ramp", ramp),
        ("--arrivals", load("arrivals")),
        ("--flood", load("flood")),
        ("--players", run.setting("players")),
        ("--seconds", lasts),
    ] {
        generator.arg(name).arg(value.to_string());
    }
    let mut payload = 0.0;
    let mut dropped = meter::dropped(site.udp.port());
    let phases = measured(&mut host.running, &mut generator, |said| {
        payload = said["bytes"].as_f64().unwrap_or(payload);
        let now = meter::dropped(site.udp.port());
        if said["event"] == "end" {
            println!("  {}", sentence(said, now.saturating_sub(dropped)));
        }
        dropped = now;
        Ok(())
    })?;
    host.ends()?;
    Ok(Round { phases, payload })
}

/// A room for the players, a pool for the others and a little more.
fn config(run: &Run<'_>, site: &Site, echo: &Path, waiting: u32) -> String {
    let Site { udp, control, .. } = site;
    let players = run.setting("players");
    let pool = waiting + waiting / 20 + 25;
    format!(
        "[limits]\nmax-players = {players}\nmax-pending = {pool}\nmax-pending-per-address = 0\n\
         [[door]]\nname = \"bench\"\nprotocol = \"mafianet\"\nudp = \"{udp}\"\n\
         [[bucket]]\nname = \"bans\"\nfile = \"bans.txt\"\n\
         [[policy]]\nname = \"denylist\"\nmodule = \"builtin:denylist\"\n\
         [[policy]]\nname = \"queue\"\nmodule = \"builtin:queue\"\n\
         [rules]\nmodule = {echo:?}\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}

/// What a phase was, for who watches.
fn sentence(said: &Value, dropped: u64) -> String {
    let figure = |pointer: &str| said.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0);
    format!(
        "{}: {} wait, {} a second come and go, {} datagrams a second of a flood; {} of the players' messages were \
         lost, the host did not fetch {dropped} datagrams in time",
        said["phase"].as_str().unwrap_or_default(),
        figure("/crowd/waiting"),
        figure("/crowd/arrivals_each_second"),
        figure("/flood/sent_each_second"),
        figure("/players/lost"),
    )
}

/// What waiting alone comes to.
fn figures(rounds: &[Round], waiting: u32) -> Outcome<Vec<Figure>> {
    let echo = |phase: &str| side(phase, rounds, |round| echo(round, phase));
    let one =
        |of: fn(&Round) -> Outcome<Sample>| Ok(vec![side("usher", rounds, of)?]) as Outcome<_>;
    let whole = |phase: &str| side(phase, rounds, |round| named(round, phase).map(busy));
    let what = |what: &str| format!("{what}, {waiting} waiting");
    let (along, at) = ("waiting", f64::from(waiting));
    Ok(vec![
        Figure::new(
            what("players' echo, p99"),
            Unit::Nanoseconds,
            vec![echo(WAITS)?, echo(IDLE)?],
        )
        .line(Line::AtMost(ROUND_TRIP))
        .plotted("players' echo, p99", along, at),
        Figure::new(
            what("memory of one who waits, beyond its payload"),
            Unit::Bytes,
            one(memory)?,
        )
        .line(Line::AtMost(MEMORY))
        .plotted("memory of one who waits", along, at),
        Figure::new(
            what("processor time of one who waits, a second"),
            Unit::Nanoseconds,
            one(processor)?,
        )
        .line(Line::AtMost(PROCESSOR))
        .plotted("processor time of one who waits, a second", along, at),
        Figure::new(
            what("processor time of the whole host, a second"),
            Unit::Nanoseconds,
            vec![whole(WAITS)?, whole(IDLE)?],
        ),
        Figure::new(
            what("longest silence to one who waits"),
            Unit::Nanoseconds,
            one(silence)?,
        )
        .line(Line::AtMost(SILENCE))
        .always(),
        Figure::new(what("waited, and lost"), Unit::Count, one(lost)?)
            .line(Line::AtMost(0.0))
            .always(),
    ])
}

/// What others who come and go, and a flood, come to.
fn crowded_figures(rounds: &[Round], waiting: u32) -> Outcome<Vec<Figure>> {
    let echo = |phase: &str| side(phase, rounds, |round| echo(round, phase));
    Ok(vec![
        Figure::new(
            format!("players' echo, p99, {waiting} waiting and others who come and go"),
            Unit::Nanoseconds,
            vec![echo(ARRIVING)?, echo(IDLE)?],
        )
        .line(Line::AtMost(ROUND_TRIP)),
        Figure::new(
            format!("players' echo, p99, {waiting} waiting, others who come and go, and a flood"),
            Unit::Nanoseconds,
            vec![echo(FLOODED)?, echo(ARRIVING)?],
        )
        .line(Line::TimesAtMost {
            side: ARRIVING.to_owned(),
            times: FLOOD,
        }),
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

fn echo(round: &Round, phase: &str) -> Outcome<Sample> {
    let phase = named(round, phase)?;
    let spread = Spread::from_micros(&phase.said["players"]["round_trip_us"]);
    let spread = spread.ok_or_else(|| format!("no player heard anything in `{}`", phase.name))?;
    Ok(phase.sample(spread.p99).spread(Some(spread)))
}

/// What the process grew by while they came, over all of them: what it holds for them, and what it got ready
/// for more of them.
fn memory(round: &Round) -> Outcome<Sample> {
    let (idle, waiting) = (named(round, IDLE)?, named(round, WAITS)?);
    let grown = waiting.rss as f64 - idle.rss as f64;
    let each = grown / waiting.figure("/crowd/waiting")?;
    Ok(waiting.sample(each - round.payload))
}

/// Processor time of the host in a second of a phase, in nanoseconds.
fn busy(phase: &Phase) -> Sample {
    phase.sample(phase.host_cpu_s / phase.seconds * 1e9)
}

/// What the host was busier by while they waited, over all of them.
fn processor(round: &Round) -> Outcome<Sample> {
    let (idle, waiting) = (named(round, IDLE)?, named(round, WAITS)?);
    let each = (busy(waiting).value - busy(idle).value) / waiting.figure("/crowd/waiting")?;
    Ok(waiting.sample(each))
}

fn silence(round: &Round) -> Outcome<Sample> {
    let longest = round
        .phases
        .iter()
        .filter_map(|phase| phase.figure("/crowd/status_interval_us/max").ok());
    let longest = longest.reduce(f64::max);
    longest
        .map(|micros| Sample::of(micros * 1e3))
        .ok_or_else(|| "nobody who waited was told a second time that it does".to_owned())
}

/// Those who waited and whose wait ended, although there was no seat for them.
fn lost(round: &Round) -> Outcome<Sample> {
    let ended = round.phases.iter().map(|phase| {
        let ended = phase.said.pointer("/crowd/waiters_ended");
        let ended = ended.and_then(Value::as_object);
        let ended =
            ended.ok_or_else(|| format!("nobody counted who was lost in `{}`", phase.name))?;
        Ok(ended.values().filter_map(Value::as_u64).sum::<u64>())
    });
    Ok(Sample::of(ended.sum::<Outcome<u64>>()? as f64))
}

#[cfg(test)]
mod tests {
    use super::super::super::judge::judge;
    use super::*;
    use serde_json::json;

    fn phase(name: &str, p99_us: u32, rss: u64) -> Phase {
        Phase {
            name: name.to_owned(),
            said: json!({
                "players": {"round_trip_us": {"p50": 200, "p99": p99_us, "p999": 900, "max": 950}, "lost": 0},
                "crowd": {
                    "waiting": 100,
                    "waiters_ended": {},
                    "status_interval_us": {"max": 5_000_000},
                },
                "behind": [],
            }),
            seconds: 10.0,
            host_cpu_s: if name == "idle" { 0.5 } else { 0.501 },
            generator_cpu_s: 0.25,
            others_busy: 0.0,
            rss,
        }
    }

    fn good() -> Vec<Phase> {
        vec![
            phase("idle", 300, 10_000_000),
            phase("waiting", 300, 10_000_000 + 100 * 2064),
            phase("arriving", 5_000, 0),
            phase("flooded", 10_000, 0),
        ]
    }

    fn held(phases: Vec<Phase>) -> Vec<bool> {
        let rounds = [Round {
            phases,
            payload: 16.0,
        }];
        let mut figures = super::figures(&rounds, 100).unwrap();
        figures.extend(crowded_figures(&rounds, 100).unwrap());
        let judged = figures.iter().flat_map(judge);
        judged.map(|it| it.reached).collect()
    }

    #[test]
    fn a_line_is_missed_by_what_is_slow_fat_or_busy() {
        assert_eq!(held(good()), [true; 7]);
        let mut bad = good();
        bad[1] = phase(WAITS, 10_001, bad[1].rss + 100);
        bad[1].host_cpu_s = 0.503;
        bad[2] = phase(ARRIVING, 10_001, 0);
        bad[3] = phase(FLOODED, 20_003, 0);
        let missed = [false, false, false, true, true, false, false];
        assert_eq!(held(bad), missed);
    }

    #[test]
    fn who_waits_is_neither_lost_nor_left_in_silence() {
        let mut silent = good();
        silent[1].said["crowd"]["status_interval_us"]["max"] = 8_000_001.into();
        silent[1].said["crowd"]["waiters_ended"]["SessionTimeout"] = 1.into();
        assert_eq!(held(silent)[3..5], [false, false]);
    }

    #[test]
    fn a_phase_or_figure_that_is_missing_is_an_error() {
        let round = |phases| {
            [Round {
                phases,
                payload: 16.0,
            }]
        };
        let mut without = good();
        without.remove(3);
        let missing = crowded_figures(&round(without), 100).unwrap_err();
        assert!(missing.contains("no phase `flooded`"));
        let mut deaf = good();
        deaf[0].said["players"]["round_trip_us"] = json!(null);
        let missing = figures(&round(deaf), 100).unwrap_err();
        assert!(missing.contains("no player heard anything in `idle`"));
    }
}
