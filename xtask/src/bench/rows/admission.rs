//! Whole lives at the `rtyp` door: a login over TCP, a decision, a UDP endpoint bound, a goodbye.

use std::cell::Cell;
use std::path::Path;

use super::super::alternate::Contender;
use super::super::figure::{Figure, Line, Sample, Spread};
use super::super::floor::{self, Floor};
use super::super::load::{Phase, load};
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;
use crate::running::Running;

/// As the protocol has a byte for a player's number.
const SEATS: u32 = 250;

/// Which share of the floor's lives is to be reached.
const SHARE: f64 = 0.6;

/// The longest that 99 of 100 may take from their login to the Accept at half load, in nanoseconds.
const ACCEPT: f64 = 5e6;

/// How many come in a second where nothing is judged.
const FEW: u32 = 200;

/// The name of the other side.
const FLOOR: &str = "bare tokio";

pub(super) const ROW: Row = Row {
    name: "admission",
    about: "whole lives at the rtyp door: TCP login, decision, UDP bind, logout",
    settings: &[
        Setting {
            name: "at-once",
            about: "how many live at any moment, where each that ends is followed by the next",
            value: 64,
            quick: 64,
        },
        Setting {
            name: "seconds",
            about: "for how many seconds each load is measured",
            value: 3,
            quick: 1,
        },
    ],
    seconds: 100,
    run,
};

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let site = run.site()?;
    // It gives each a number and a name of its own, as the built-in `rtyp` does for four.
    let policy = run.module("version-a")?;
    run.usher()?;
    run.release(floor::PACKAGE)?;
    // In the first round ours comes first.
    let half = Cell::new(1);
    let (ours, floors) = (&half, &half);
    let figures = run.alternate(&mut [
        Contender::new("usher", |_| {
            let mut host = run.start_host(&site, &config(&site, &policy))?;
            let closed = lives(run, &site, &mut host.running, "--at-once", None)?;
            // What comes is half of what it can do; on a machine that does other things, next to nothing.
            let each_second = closed.figure("/logins/each_second")?;
            ours.set(if run.quick {
                FEW
            } else {
                (each_second / 2.0).max(1.0) as u32
            });
            let open = lives(run, &site, &mut host.running, "--rate", Some(ours.get()))?;
            host.ends()?;
            samples(&closed, &open)
        }),
        Contender::new(FLOOR, |_| {
            let mut floor = Floor::start(run, "rtyp", &[site.tcp, site.udp])?;
            let closed = lives(run, &site, &mut floor.running, "--at-once", None)?;
            let open = lives(run, &site, &mut floor.running, "--rate", Some(floors.get()))?;
            floor.ends()?;
            samples(&closed, &open)
        }),
    ])?;
    let at_once = run.setting("at-once");
    let share = Line::TimesAtLeast {
        side: FLOOR.to_owned(),
        times: SHARE,
    };
    let kinds = [
        (
            format!("lives a second, {at_once} at once"),
            Unit::PerSecond,
            Some(share),
        ),
        (
            "the server's processor time for each of them".to_owned(),
            Unit::Nanoseconds,
            None,
        ),
        (
            "login to Accept at half of our load, p50".to_owned(),
            Unit::Nanoseconds,
            None,
        ),
        (
            "login to Accept at half of our load, p99".to_owned(),
            Unit::Nanoseconds,
            Some(Line::AtMost(ACCEPT)),
        ),
        (
            "the server's processor time for each at half load".to_owned(),
            Unit::Nanoseconds,
            None,
        ),
        (
            "lives that were refused or failed".to_owned(),
            Unit::Count,
            Some(Line::AtMost(0.0)),
        ),
    ];
    let figures = figures
        .into_iter()
        .zip(kinds)
        .map(|(sides, (what, unit, line))| {
            let figure = Figure::new(what, unit, sides);
            match line {
                Some(line) => figure.line(line),
                None => figure,
            }
        });
    Ok(figures.collect())
}

fn config(site: &Site, policy: &Path) -> String {
    let Site {
        udp, tcp, control, ..
    } = site;
    format!(
        "[limits]\nmax-players = {SEATS}\nmax-pending = {SEATS}\n\
         [[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"{tcp}\"\nudp = \"{udp}\"\n\
         [[policy]]\nname = \"seats\"\nmodule = {policy:?}\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}

/// One load, after a second of it that does not count.
fn lives(
    run: &Run<'_>,
    site: &Site,
    server: &mut Running,
    coming: &str,
    rate: Option<u32>,
) -> Outcome<Phase> {
    let how_many = rate.unwrap_or_else(|| run.setting("at-once"));
    let mut generator = run.generator("logins")?;
    generator
        .arg(format!("tcp://{}", site.tcp))
        .args([coming, &how_many.to_string()])
        .args(["--seconds", &run.setting("seconds").to_string()])
        .args(["--warm-up", "1"]);
    let phases = load(server, &mut generator, |_| Ok(()))?;
    let measured = phases.into_iter().next_back();
    measured.ok_or_else(|| "the generator ended without a phase".into())
}

/// How many lives were not whole.
fn broken(phase: &Phase) -> Outcome<f64> {
    let kinds = ["refused", "failed", "unended"].into_iter();
    let counts = kinds.map(|kind| phase.figure(&format!("/logins/{kind}")));
    counts.sum()
}

/// One of each figure.
fn samples(closed: &Phase, open: &Phase) -> Outcome<Vec<Sample>> {
    let each = |phase: &Phase| -> Outcome<(f64, f64)> {
        let count = phase.figure("/logins/came")?;
        Ok((count, phase.host_cpu_s * 1e9 / count.max(1.0)))
    };
    let sample = |phase: &Phase, value: f64, count: f64, spread: &str| {
        let spread = Spread::from_micros(&phase.said["logins"][spread]);
        phase.sample(value).spread(spread).operations(count as u64)
    };
    let ((many, cost), (half, half_cost)) = (each(closed)?, each(open)?);
    let throughput = closed.figure("/logins/each_second")?;
    let accept = |which: &str| -> Outcome<f64> {
        Ok(open.figure(&format!("/logins/accept_us/{which}"))? * 1e3)
    };
    Ok(vec![
        sample(closed, throughput, many, "life_us"),
        sample(closed, cost, many, "life_us"),
        sample(open, accept("p50")?, half, "accept_us"),
        sample(open, accept("p99")?, half, "accept_us"),
        sample(open, half_cost, half, "accept_us"),
        Sample::of(broken(closed)? + broken(open)?),
    ])
}
