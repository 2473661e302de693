//! Faults of a policy beside good decisions: one of a hundred requests traps, one loops until its deadline.

use std::path::Path;

use super::super::alternate::Contender;
use super::super::figure::{Figure, Line, Sample, Spread};
use super::super::load::load;
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;

/// How many times as long the good ones may take, 99 of 100 of them.
const TIMES: f64 = 2.0;
/// How many good decisions there have to be, of those without faults.
const SHARE: f64 = 0.9;

/// The name of the other side.
const NONE: &str = "no faults";

pub(super) const ROW: Row = Row {
    name: "fault",
    about: "decisions beside requests that trap or loop, open loop at the rtyp door",
    settings: &[
        Setting {
            name: "logins",
            about: "how many come in a second",
            value: 500,
            quick: 500,
        },
        Setting {
            name: "fault-every",
            about: "every how many one is bad: they trap and loop in turns",
            value: 50,
            quick: 50,
        },
        Setting {
            name: "fault-seconds",
            about: "for how many seconds they come",
            value: 7,
            quick: 1,
        },
    ],
    seconds: 95,
    run,
};

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let site = run.site()?;
    let policy = run.module("marked")?;
    run.usher()?;
    let figures = run.alternate(&mut [
        Contender::new("usher", |_| {
            logins(run, &site, &policy, run.setting("fault-every"))
        }),
        Contender::new(NONE, |_| logins(run, &site, &policy, 0)),
    ])?;
    let side = || NONE.to_owned();
    let lines = [
        (
            "login to its answer, those that are good, p99",
            Unit::Nanoseconds,
            Some(Line::TimesAtMost {
                side: side(),
                times: TIMES,
            }),
        ),
        (
            "good decisions a second",
            Unit::PerSecond,
            Some(Line::TimesAtLeast {
                side: side(),
                times: SHARE,
            }),
        ),
        ("good logins lost", Unit::Count, Some(Line::AtMost(0.0))),
        (
            "login to its answer, those that are bad, p99",
            Unit::Nanoseconds,
            None,
        ),
    ];
    let figures = figures.into_iter().zip(lines);
    let figures = figures.map(|(mut sides, (what, unit, line))| {
        if line.is_none() {
            // Nobody is bad on the other side.
            sides.truncate(1);
        }
        let figure = Figure::new(what, unit, sides);
        match line {
            Some(line) => figure.line(line),
            None => figure,
        }
    });
    Ok(figures.collect())
}

/// One round of each figure.
fn logins(run: &Run<'_>, site: &Site, policy: &Path, bad_every: u32) -> Outcome<Vec<Sample>> {
    let mut host = run.start_host(site, &config(site, policy))?;
    let mut generator = run.generator("logins")?;
    generator
        .arg(format!("tcp://{}", site.tcp))
        .args(["--rate", &run.setting("logins").to_string()])
        .args(["--seconds", &run.setting("fault-seconds").to_string()])
        .args(["--warm-up", "1"])
        .args(["--bad-every", &bad_every.to_string()])
        .args(["--bad-names", "trap-#,loop-#"]);
    let phases = load(&mut host.running, &mut generator, |_| Ok(()))?;
    host.ends()?;
    let phase = phases.into_iter().next_back();
    let phase = phase.ok_or("the generator ended without a phase")?;
    let count = |pointer: &str| phase.figure(pointer);
    let came = count("/logins/came")?;
    let lost = count("/logins/refused")? + count("/logins/failed")? + count("/logins/unended")?;
    let good = Spread::from_micros(&phase.said["logins"]["answer_us"]);
    let bad = Spread::from_micros(&phase.said["bad"]["answer_us"]);
    Ok(vec![
        phase
            .sample(count("/logins/answer_us/p99")? * 1e3)
            .spread(good)
            .operations(came as u64),
        phase
            .sample(count("/logins/each_second")?)
            .operations(came as u64),
        Sample::of(lost).operations(came as u64),
        Sample::of(bad.map_or(0.0, |bad| bad.p99)).spread(bad),
    ])
}

fn config(site: &Site, policy: &Path) -> String {
    let Site {
        udp, tcp, control, ..
    } = site;
    format!(
        "[limits]\nmax-players = 250\nmax-pending = 250\n\
         [[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"{tcp}\"\nudp = \"{udp}\"\n\
         [[policy]]\nname = \"marked\"\nmodule = {policy:?}\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}
