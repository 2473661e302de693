//! Five players play while thousands wait, thousands come and go, and somebody floods the door.

use std::path::Path;

use serde_json::Value;

use super::super::figure::{Figure, Line, Sample, Side, Spread};
use super::super::load::{Phase, load};
use super::super::meter;
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;

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

/// The phases, as the generator calls them; each goes on with what was in the one before.
const PHASES: [&str; 4] = ["idle", "waiting", "arriving", "flooded"];

pub(super) const ROW: Row = Row {
    name: "pending",
    about: "players' round trips and the host's memory while thousands wait and others flood the door",
    settings: &[
        Setting {
            name: "waiting",
            about: "how many wait",
            value: 9_500,
            quick: 950,
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
            about: "how long each phase is measured",
            value: 10,
            quick: 1,
        },
    ],
    seconds: 330,
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
    let rounds: Outcome<Vec<_>> = (0..run.rounds).map(|_| measure(run, &echo)).collect();
    figures(&rounds?)
}

fn measure(run: &Run<'_>, echo: &Path) -> Outcome<Round> {
    let site = run.site()?;
    site.write("bans.txt", BANNED)?;
    let mut host = run.start_host(&site, &config(run, &site, echo))?;
    let mut generator = run.generator("pending")?;
    generator.arg(format!("mafianet://{}", site.udp));
    for name in ["waiting", "arrivals", "flood", "players", "seconds"] {
        let value = run.setting(name).to_string();
        generator.arg(format!("--{name}")).arg(value);
    }
    let ramp = (run.setting("waiting") / 8).clamp(500, 1_500);
    generator.arg("--ramp").arg(ramp.to_string());
    let mut payload = 0.0;
    let mut dropped = meter::dropped(site.udp.port());
    let phases = load(&mut host.running, &mut generator, |said| {
        payload = said["bytes"].as_f64().unwrap_or(payload);
        let now = meter::dropped(site.udp.port());
        if said["event"] == "end" {
            println!("  {}", sentence(said, now - dropped));
        }
        dropped = now;
        Ok(())
    })?;
    host.ends()?;
    Ok(Round { phases, payload })
}

/// A room for the players, a pool for the others and a little more.
fn config(run: &Run<'_>, site: &Site, echo: &Path) -> String {
    let Site { udp, control, .. } = site;
    let players = run.setting("players");
    let waiting = run.setting("waiting");
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

fn figures(rounds: &[Round]) -> Outcome<Vec<Figure>> {
    let echo = |phase: &str| side(phase, rounds, |round| echo(round, phase));
    let one =
        |of: fn(&Round) -> Outcome<Sample>| Ok(vec![side("usher", rounds, of)?]) as Outcome<_>;
    let [idle, waiting, arriving, flooded] = PHASES;
    Ok(vec![
        Figure::new(
            "players' echo, p99, while thousands wait and others come and go",
            Unit::Nanoseconds,
            vec![echo(arriving)?, echo(idle)?, echo(waiting)?],
        )
        .line(Line::AtMost(ROUND_TRIP)),
        Figure::new(
            "players' echo, p99, under a flood",
            Unit::Nanoseconds,
            vec![echo(flooded)?, echo(arriving)?],
        )
        .line(Line::TimesAtMost {
            side: arriving.to_owned(),
            times: FLOOD,
        }),
        Figure::new(
            "memory of one who waits, beyond its payload",
            Unit::Bytes,
            one(memory)?,
        )
        .line(Line::AtMost(MEMORY)),
        Figure::new(
            "processor time of one who waits, a second",
            Unit::Nanoseconds,
            one(processor)?,
        )
        .line(Line::AtMost(PROCESSOR)),
        Figure::new(
            "longest silence to one who waits",
            Unit::Nanoseconds,
            one(silence)?,
        )
        .line(Line::AtMost(SILENCE))
        .always(),
        Figure::new("waited, and lost", Unit::Count, one(lost)?)
            .line(Line::AtMost(0.0))
            .always(),
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
    let (idle, waiting) = (named(round, PHASES[0])?, named(round, PHASES[1])?);
    let grown = waiting.rss as f64 - idle.rss as f64;
    let each = grown / waiting.figure("/crowd/waiting")?;
    Ok(waiting.sample(each - round.payload))
}

/// What the host was busier by while they waited, over all of them.
fn processor(round: &Round) -> Outcome<Sample> {
    let (idle, waiting) = (named(round, PHASES[0])?, named(round, PHASES[1])?);
    let busy = |phase: &Phase| phase.host_cpu_s / phase.seconds;
    let each = (busy(waiting) - busy(idle)) / waiting.figure("/crowd/waiting")?;
    Ok(waiting.sample(each * 1e9))
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
        let round = Round {
            phases,
            payload: 16.0,
        };
        let figures = figures(&[round]).unwrap();
        figures
            .iter()
            .flat_map(judge)
            .map(|it| it.reached)
            .collect()
    }

    #[test]
    fn a_line_is_missed_by_what_is_slow_fat_or_busy() {
        assert_eq!(held(good()), [true; 6]);
        let mut bad = good();
        bad[1].rss += 100;
        bad[1].host_cpu_s = 0.503;
        bad[2] = phase("arriving", 10_001, 0);
        bad[3] = phase("flooded", 20_003, 0);
        assert_eq!(held(bad), [false, false, false, false, true, true]);
    }

    #[test]
    fn who_waits_is_neither_lost_nor_left_in_silence() {
        let mut silent = good();
        silent[1].said["crowd"]["status_interval_us"]["max"] = 8_000_001.into();
        silent[1].said["crowd"]["waiters_ended"]["SessionTimeout"] = 1.into();
        assert_eq!(held(silent), [true, true, true, true, false, false]);
    }

    #[test]
    fn a_phase_or_figure_that_is_missing_is_an_error() {
        let figures = |phases| {
            let round = Round {
                phases,
                payload: 16.0,
            };
            super::figures(&[round]).unwrap_err()
        };
        let mut without = good();
        without.remove(3);
        assert!(figures(without).contains("no phase `flooded`"));
        let mut deaf = good();
        deaf[0].said["players"]["round_trip_us"] = json!(null);
        assert!(figures(deaf).contains("no player heard anything in `idle`"));
    }
}
