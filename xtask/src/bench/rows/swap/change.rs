//! One change: from the rename that puts another file in the module's place to the first verdict of it; and the
//! same change by a restart of the host.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::super::super::figure::{Sample, Spread};
use super::super::super::host::{Host, serve};
use super::super::super::login::refusal;
use super::super::super::meter;
use super::super::super::run::Run;
use super::super::super::site::Site;
use super::marked::{Marked, answer};
use crate::process::{self, Outcome};
use crate::running::Running;

/// Somebody who is refused with the number of the module that decided.
const WHO: &str = "who";

/// How long a change may take before something is wrong.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long who waits for a module's answer pauses before asking again: a hundredth of what is measured, and asking
/// without a pause would take a processor from the compiler.
pub(super) const OFTEN: Duration = Duration::from_micros(200);

/// The modules of the row: a small one and one of a megabyte.
pub(super) struct Modules {
    pub(super) small: Marked,
    pub(super) large: Marked,
}

/// The kinds of a change, in the order of the figures: of the small module and of the large one, each of bytes
/// that were never seen before and of bytes whose compiled code is kept.
const KINDS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// The large module takes a second to compile, which is no matter of a quick run.
pub(super) fn kinds(run: &Run<'_>) -> &'static [(bool, bool)] {
    match run.quick {
        true => &KINDS[..2],
        false => &KINDS,
    }
}

impl Modules {
    fn of(&mut self, large: bool) -> &mut Marked {
        match large {
            true => &mut self.large,
            false => &mut self.small,
        }
    }
}

/// How long each of `times` changes of each kind takes while the host runs.
pub(super) fn changes(
    run: &Run<'_>,
    site: &Site,
    modules: &mut Modules,
    config: &str,
    times: u32,
) -> Outcome<Vec<Sample>> {
    let first = modules.small.fresh();
    modules.small.put(first)?;
    let mut host = run.start_host(site, config)?;
    let mut samples = Vec::new();
    for &(large, kept) in kinds(run) {
        let module = modules.of(large);
        let known = [module.fresh(), module.fresh()];
        if kept {
            for number in known {
                module.put(number)?;
                until_answered(site, number, OFTEN)?;
            }
        }
        // They take long, and each is like the others.
        let times = if large { times.div_ceil(5) } else { times };
        let mut took = Vec::new();
        for time in 0..times {
            let number = match kept {
                true => known[time as usize % 2],
                false => module.fresh(),
            };
            let begun = module.put(number)?;
            until_answered(site, number, OFTEN)?;
            took.push(begun.elapsed().as_nanos() as f64);
        }
        samples.push(sample(&mut took, host.id())?);
    }
    // Each generation that can be gone back to keeps a file of its memory's beginning.
    host.settled()?;
    host.ends()?;
    Ok(samples)
}

/// How long nobody is let in while the host is stopped, and started with another module.
pub(super) fn restarts(
    run: &Run<'_>,
    site: &Site,
    modules: &mut Modules,
    config: &str,
) -> Outcome<Vec<Sample>> {
    site.write("usher.toml", config)?;
    let first = modules.small.fresh();
    modules.small.put(first)?;
    let start = || Running::start("serve", &mut serve(&run.usher()?, site)?);
    let mut running = start()?;
    until_answered(site, first, OFTEN)?;
    let mut samples = Vec::new();
    for &(large, kept) in kinds(run) {
        let module = modules.of(large);
        let number = module.fresh();
        if kept {
            module.put(number)?;
            // It has seen these bytes, and others since.
            until_answered(site, number, OFTEN)?;
            let other = module.fresh();
            module.put(other)?;
            until_answered(site, other, OFTEN)?;
        }
        // Nobody is in: what has to end is the host alone.
        let begun = Instant::now();
        let id = running.child.id().to_string();
        process::run(Command::new("kill").args(["-TERM", &id]))?;
        let ended = running.child.wait();
        ended.map_err(|error| format!("cannot wait for the host: {error}"))?;
        module.put(number)?;
        running = start()?;
        until_answered(site, number, OFTEN)?;
        let mut took = vec![begun.elapsed().as_nanos() as f64];
        samples.push(sample(&mut took, running.child.id())?);
    }
    Host::new(running, site, &run.hosts)?.ends()?;
    Ok(samples)
}

/// Asks until the module with this number answers, with a pause before it asks again.
pub(super) fn until_answered(site: &Site, number: u32, pause: Duration) -> Outcome {
    let begun = Instant::now();
    while refusal(site.tcp, WHO)? != Some(answer(number)) {
        if begun.elapsed() > PATIENCE {
            return Err(format!("module {number} does not answer"));
        }
        thread::sleep(pause);
    }
    Ok(())
}

fn sample(took: &mut [f64], host: u32) -> Outcome<Sample> {
    took.sort_by(f64::total_cmp);
    // Nobody asks for none.
    let last = took.len().saturating_sub(1);
    let at = |share: f64| {
        took.get((last as f64 * share).round() as usize)
            .copied()
            .unwrap_or(0.0)
    };
    Ok(Sample {
        rss: Some(meter::memory(host)?),
        operations: Some(took.len() as u64),
        spread: Some(Spread {
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: at(1.0),
        }),
        ..Sample::of(at(0.5))
    })
}
