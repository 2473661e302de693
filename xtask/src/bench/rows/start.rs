//! From the start of the process to the first login that it accepts, with the built-in modules: the first start,
//! which compiles them, and the second, which finds them compiled.

use std::net::SocketAddr;
use std::time::Instant;

use super::super::figure::{Figure, Line, Sample};
use super::super::floor::{self, Floor};
use super::super::host::{Host, forget_compiled, serve};
use super::super::login::log_in;
use super::super::meter;
use super::super::row::Row;
use super::super::run::Run;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;
use crate::running::Running;

use super::super::alternate::Contender;

/// The longest that a second start may take, in nanoseconds.
const LINE: f64 = 150e6;

pub(super) const ROW: Row = Row {
    name: "start",
    about: "process start to first accepted login, built-in modules; the first start compiles them",
    settings: &[],
    seconds: 20,
    run,
};

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let site = run.site()?;
    site.write("usher.toml", &config(&site))?;
    // So that the first measured one does not read the program from the disk.
    start(run, &site)?;
    let mut second = vec![Contender::new("usher", |_| Ok(vec![start(run, &site)?]))];
    if run.has(floor::PACKAGE) {
        run.release(floor::PACKAGE)?;
        second.push(Contender::new("bare tokio", |_| {
            Ok(vec![start_floor(run, site.beside, site.udp)?])
        }));
    }
    let second = run.alternate(&mut second)?;
    let mut first = [Contender::new("usher", |_| {
        forget_compiled(&site)?;
        Ok(vec![start(run, &site)?])
    })];
    let first = run.alternate(&mut first)?;
    let figure = |what: &str, sides| Figure::new(what, Unit::Nanoseconds, sides);
    let second = second.into_iter().map(|sides| {
        figure("second start to first accepted login", sides).line(Line::AtMost(LINE))
    });
    let first = first
        .into_iter()
        .map(|sides| figure("first start, with nothing compiled yet", sides));
    Ok(second.chain(first).collect())
}

/// What `usher serve` does without a configuration, on ports of the site's.
fn config(site: &Site) -> String {
    let Site {
        udp, tcp, control, ..
    } = site;
    format!(
        "[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"{tcp}\"\nudp = \"{udp}\"\n\
         [[policy]]\nname = \"rtyp\"\nmodule = \"builtin:rtyp\"\n\
         [rules]\nmodule = \"builtin:arena\"\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}

fn start(run: &Run<'_>, site: &Site) -> Outcome<Sample> {
    let mut command = serve(&run.usher()?, site)?;
    let begun = Instant::now();
    let running = Running::start("serve", &mut command)?;
    let player = log_in(site.tcp, "first")?;
    let took = begun.elapsed();
    let id = running.child.id();
    let sample = sample(id, took.as_nanos() as f64)?;
    drop(player);
    Host::new(running, site, &run.hosts)?.ends()?;
    Ok(sample)
}

fn start_floor(run: &Run<'_>, tcp: SocketAddr, udp: SocketAddr) -> Outcome<Sample> {
    let begun = Instant::now();
    let floor = Floor::start(run, "rtyp", &[tcp, udp])?;
    let player = log_in(tcp, "first")?;
    let took = begun.elapsed();
    let sample = sample(floor.running.child.id(), took.as_nanos() as f64)?;
    drop(player);
    floor.ends()?;
    Ok(sample)
}

/// What the process used until now is what its start took.
fn sample(process: u32, value: f64) -> Outcome<Sample> {
    Ok(Sample {
        host_cpu_s: Some(meter::cpu_seconds(process)?),
        rss: Some(meter::memory(process)?),
        ..Sample::of(value)
    })
}
