//! Whole lives at the `mafianet` door, from the first request to the config and the goodbye, beside a bare server
//! that answers each datagram from a table.

use super::super::alternate::Contender;
use super::super::figure::{Figure, Line, Sample, Side, Spread};
use super::super::floor::{self, Floor};
use super::super::load::{Phase, load};
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;
use crate::running::Running;
use serde_json::Value;

/// How many are on their way in or out at any time. The second is the one that the others are compared with.
const AT_ONCE: [u32; 4] = [256, 512, 2_000, 10_000];

/// How many lives a second of one processor's time is to be enough for.
const EACH_CORE: f64 = 30_000.0;

/// The share of that which is to be left with more at once.
const KEPT: f64 = 0.9;

/// The most processor time that a life may cost, in nanoseconds.
const EACH: f64 = 25e3;

pub(super) const ROW: Row = Row {
    name: "admission-mafianet",
    about: "whole lives at the mafianet door, from the first request to the config and the acknowledged goodbye",
    settings: &[
        Setting {
            name: "seconds",
            about: "how long each is measured",
            value: 2,
            quick: 1,
        },
        Setting {
            name: "most",
            about: "the most lives at once",
            value: 10_000,
            quick: 256,
        },
    ],
    seconds: 165,
    run,
};

/// The figures of one side at one number of lives at once, in the order in which they are shown.
const FIGURES: usize = 4;

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    run.release(floor::PACKAGE)?;
    let most = run.setting("most");
    let mut figures = Vec::new();
    let mut at_512 = None;
    for at_once in AT_ONCE.into_iter().filter(|count| *count <= most) {
        let mut sides = [
            Contender::new("usher", |_| host(run, at_once)),
            Contender::new("floor", |_| bare(run, at_once)),
        ];
        let sides = run.alternate(&mut sides)?;
        let [rate, core, each, refused] = <[Vec<Side>; FIGURES]>::try_from(sides)
            .map_err(|_| "a side has not all of its figures".to_owned())?;
        let line = line(at_once, at_512);
        if at_once == 512 {
            at_512 = core.first().map(median);
        }
        let along = "lives at once";
        let at = f64::from(at_once);
        let what = |what: &str| format!("{what}, {at_once} at once");
        figures.push(
            Figure::new(what("lives a second"), Unit::PerSecond, rate).plotted(
                "lives a second",
                along,
                at,
            ),
        );
        let core = Figure::new(what("lives a second of one core"), Unit::PerSecond, core).plotted(
            "lives a second of one core",
            along,
            at,
        );
        figures.push(match line {
            Some(line) => core.line(Line::AtLeast(line)),
            None => core,
        });
        figures.push(
            Figure::new(what("processor time of a life"), Unit::Nanoseconds, each)
                .line(Line::AtMost(EACH))
                .plotted("processor time of a life", along, at),
        );
        figures
            .push(Figure::new(what("lives refused"), Unit::Count, refused).line(Line::AtMost(0.0)));
    }
    Ok(figures)
}

/// How many lives a core is to manage with so many at once, after it was measured how many it does with 512.
fn line(at_once: u32, at_512: Option<f64>) -> Option<f64> {
    match at_once {
        512 => Some(EACH_CORE),
        more if more > 512 => at_512.map(|measured| measured * KEPT),
        _ => None,
    }
}

fn median(side: &Side) -> f64 {
    let mut values: Vec<f64> = side.rounds.iter().map(|sample| sample.value).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn host(run: &Run<'_>, at_once: u32) -> Outcome<Vec<Sample>> {
    let site = run.site()?;
    let mut host = run.start_host(&site, &config(&site, at_once))?;
    let phase = lives(run, &site, at_once, &mut host.running)?;
    host.ends()?;
    samples(&phase)
}

fn bare(run: &Run<'_>, at_once: u32) -> Outcome<Vec<Sample>> {
    let site = run.site()?;
    let mut floor = Floor::start(run, "mafianet", &[site.udp])?;
    let phase = lives(run, &site, at_once, &mut floor.running)?;
    floor.ends()?;
    samples(&phase)
}

/// Seats and places for all of them at any stage, and for those whose goodbye is still kept.
fn config(site: &Site, at_once: u32) -> String {
    let Site { udp, control, .. } = site;
    let places = 2 * at_once;
    format!(
        "[limits]\nmax-players = {places}\nmax-pending = {places}\nmax-pending-per-address = 0\n\
         [[door]]\nname = \"bench\"\nprotocol = \"mafianet\"\nudp = \"{udp}\"\n\
         [[policy]]\nname = \"open\"\nmodule = \"builtin:open\"\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}

fn lives(run: &Run<'_>, site: &Site, at_once: u32, server: &mut Running) -> Outcome<Phase> {
    let mut generator = run.generator("admissions")?;
    generator
        .arg(format!("mafianet://{}", site.udp))
        .args(["--at-once", &at_once.to_string()])
        .args(["--seconds", &run.setting("seconds").to_string()]);
    let mut phases = load(server, &mut generator, |_| Ok(()))?;
    phases
        .pop()
        .ok_or_else(|| "the generator measured nothing".to_owned())
}

/// Lives a second, how many a core would have managed, what each cost, and how many were refused beside them.
fn samples(phase: &Phase) -> Outcome<Vec<Sample>> {
    let lives = phase.figure("/admissions/lives")?;
    if lives < 1.0 {
        return Err(format!("nobody was let in: {}", phase.said));
    }
    let lost = phase.figure("/admissions/lost")?;
    if lost > 0.0 {
        return Err(format!("{lost} lives came to nothing: {}", phase.said));
    }
    let refused = refused(phase)?;
    let spread = Spread::from_micros(&phase.said["admissions"]["admitted_us"]);
    let rate = phase.sample(lives / phase.seconds).spread(spread);
    let used = phase.host_cpu_s.max(f64::MIN_POSITIVE);
    let all = [
        rate,
        phase.sample(lives / used),
        phase.sample(used / lives * 1e9),
        phase.sample(refused),
    ];
    Ok(all.map(|one| one.operations(lives as u64)).into())
}

/// How many were turned away, for whatever reason.
fn refused(phase: &Phase) -> Outcome<f64> {
    let by_reason = phase.said["admissions"]["refused"].as_object();
    let by_reason =
        by_reason.ok_or_else(|| format!("nothing is said of refusals: {}", phase.said))?;
    Ok(by_reason.values().filter_map(Value::as_f64).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn phase(lives: u32, lost: u32) -> Phase {
        Phase {
            name: "admissions".to_owned(),
            said: json!({"admissions": {
                "lives": lives,
                "lost": lost,
                "refused": {"full": 2, "banned": 1},
                "admitted_us": {"p50": 1, "p99": 2, "p999": 3, "max": 4},
            }}),
            seconds: 2.0,
            host_cpu_s: 0.5,
            generator_cpu_s: 0.25,
            others_busy: 0.0,
            rss: 1,
        }
    }

    #[test]
    fn a_life_costs_what_the_host_used_over_all_of_them() {
        let values: Vec<f64> = samples(&phase(20_000, 0))
            .unwrap()
            .iter()
            .map(|sample| sample.value)
            .collect();
        assert_eq!(values, [10_000.0, 40_000.0, 25_000.0, 3.0]);
        assert!(samples(&phase(0, 0)).unwrap_err().contains("nobody"));
        assert!(samples(&phase(9, 1)).unwrap_err().contains("nothing"));
    }

    #[test]
    fn many_at_once_are_compared_with_512() {
        let lines = [256, 512, 2_000].map(|at_once| line(at_once, Some(40_000.0)));
        assert_eq!(lines, [None, Some(30_000.0), Some(36_000.0)]);
        let side = Side {
            name: "usher".to_owned(),
            rounds: [3.0, 1.0, 2.0].map(Sample::of).into(),
        };
        assert!((median(&side) - 2.0).abs() < f64::EPSILON);
    }
}
