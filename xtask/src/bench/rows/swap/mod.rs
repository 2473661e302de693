//! Replacing a policy while the host runs: how long a change takes, what decisions notice of it, and what memory
//! thousands of changes leave behind. Beside it the same change by a restart.

mod change;
mod marked;
mod traffic;

use std::cell::RefCell;
use std::time::Duration;

use super::super::alternate::Contender;
use super::super::figure::{Figure, Line, Sample, Side};
use super::super::host::forget_compiled;
use super::super::meter;
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;
use change::{Modules, changes, kinds, restarts, until_answered};
use marked::Marked;
use traffic::{AUDIT, generation, traffic};

/// The longest from the rename to the first verdict, in nanoseconds: compiled anew, and from kept code.
const COLD: f64 = 60e6;
const KEPT: f64 = 10e6;
/// How much longer 99 of 100 decisions may take while modules change.
const BUMP: f64 = 1e6;
/// How much memory may stay after all changes.
const LEFT: f64 = 5.0 * 1_048_576.0;
/// The changes before memory is measured: what is kept of older generations is there then.
const SETTLED: u32 = 200;

pub(super) const ROW: Row = Row {
    name: "swap",
    about: "a policy replaced while the host runs: time to its first verdict, decisions meanwhile, memory after",
    settings: &[
        Setting {
            name: "changes",
            about: "how many changes of each kind are timed in a round; a fifth of them of the large module",
            value: 10,
            quick: 2,
        },
        Setting {
            name: "swaps",
            about: "how many changes there are in a round of logins",
            value: 200,
            quick: 20,
        },
        Setting {
            name: "rate",
            about: "how many logins come in a second meanwhile",
            value: 500,
            quick: 200,
        },
        Setting {
            name: "seconds",
            about: "for how many seconds they come",
            value: 5,
            quick: 1,
        },
        Setting {
            name: "soak",
            about: "after how many changes memory is measured",
            value: 10_000,
            quick: 40,
        },
    ],
    seconds: 140,
    run,
};

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let site = run.site()?;
    run.usher()?;
    run.release("usher-load")?;
    let served = site.folder.join("policy.wasm");
    let modules = Modules {
        small: Marked::new(&run.module("marked")?, served.clone())?,
        large: Marked::new(&run.module("marked-large")?, served)?,
    };
    forget_compiled(&site)?;
    let sizes = (modules.small.size(), modules.large.size());
    let modules = RefCell::new(modules);
    let mut figures = timed(run, &site, &modules, sizes)?;
    figures.extend(under_load(run, &site, &modules)?);
    figures.push(soaked(run, &site, &mut modules.borrow_mut().small)?);
    Ok(figures)
}

/// How long a change takes.
fn timed(
    run: &Run<'_>,
    site: &Site,
    modules: &RefCell<Modules>,
    (small, large): (usize, usize),
) -> Outcome<Vec<Figure>> {
    let plain = config(site, false);
    let times = run.setting("changes");
    let sides = run.alternate(&mut [
        Contender::new("usher", |_| {
            changes(run, site, &mut modules.borrow_mut(), &plain, times)
        }),
        Contender::new("a restart", |_| {
            restarts(run, site, &mut modules.borrow_mut(), &plain)
        }),
    ])?;
    let figures = sides.into_iter().zip(kinds(run));
    let figures = figures.map(|(sides, &(is_large, kept))| {
        let size = if is_large { large } else { small };
        let how = if kept { "from kept code" } else { "compiled" };
        let what = format!(
            "rename to first verdict, {}, {how}",
            Unit::Bytes.show(size as f64)
        );
        let figure = Figure::new(what, Unit::Nanoseconds, sides);
        match (is_large, kept) {
            (false, false) => figure.line(Line::AtMost(COLD)),
            (false, true) => figure.line(Line::AtMost(KEPT)),
            (true, _) => figure,
        }
    });
    Ok(figures.collect())
}

/// What logins notice.
fn under_load(run: &Run<'_>, site: &Site, modules: &RefCell<Modules>) -> Outcome<Vec<Figure>> {
    let audited = config(site, true);
    let swaps = run.setting("swaps");
    let once = |swaps| traffic(run, site, &mut modules.borrow_mut(), &audited, swaps);
    let figures = run.alternate(&mut [
        Contender::new("usher", |_| once(swaps)),
        Contender::new("no swaps", |_| once(0)),
    ])?;
    let Ok([p99, mut lost, mut mixed, mut swapped]) = <[Vec<Side>; 4]>::try_from(figures) else {
        return Err("a round of logins did not come to four figures".into());
    };
    let bump = p99[0].rounds.iter().zip(&p99[1].rounds);
    let bump = bump.map(|(with, without)| Sample::of(with.value - without.value));
    let bump = Side {
        name: "usher".to_owned(),
        rounds: bump.collect(),
    };
    for sides in [&mut lost, &mut mixed, &mut swapped] {
        // Nothing changes on the other side.
        sides.truncate(1);
    }
    let swaps = f64::from(swaps);
    Ok(vec![
        Figure::new(
            "login to its answer while modules change, p99",
            Unit::Nanoseconds,
            p99,
        ),
        Figure::new(
            "how much longer than without",
            Unit::Nanoseconds,
            vec![bump],
        )
        .line(Line::AtMost(BUMP)),
        Figure::new("logins lost meanwhile", Unit::Count, lost)
            .line(Line::AtMost(0.0))
            .always(),
        Figure::new("decisions of more than one generation", Unit::Count, mixed)
            .line(Line::AtMost(0.0))
            .always(),
        Figure::new("generations that served in a round", Unit::Count, swapped)
            .line(Line::AtLeast(swaps * 0.9)),
    ])
}

/// What memory is left behind.
fn soaked(run: &Run<'_>, site: &Site, module: &mut Marked) -> Outcome<Figure> {
    let soak = run.setting("soak");
    let settled = SETTLED.min(soak / 2);
    let known = [module.fresh(), module.fresh()];
    module.put(known[1])?;
    let mut host = run.start_host(site, &config(site, false))?;
    let first = generation(site)?;
    let mut before = 0;
    for swap in 0..soak {
        if swap == settled {
            before = meter::memory(host.id())?;
        }
        let number = known[swap as usize % 2];
        module.put(number)?;
        // Not asked as quickly as can be: there are only so many ports.
        until_answered(site, number, Duration::from_millis(1))?;
    }
    let after = meter::memory(host.id())?;
    let swapped = generation(site)? - first;
    println!(
        "  {swapped} generations in one process: {}",
        Unit::Bytes.show(after as f64)
    );
    let left = Sample {
        rss: Some(after),
        operations: Some(swapped),
        ..Sample::of(after as f64 - before as f64)
    };
    host.settled()?;
    host.ends()?;
    let side = Side {
        name: "usher".to_owned(),
        // Ten thousand changes are not made five times.
        rounds: vec![left; run.rounds],
    };
    let what = format!("memory left behind by {soak} changes");
    Ok(Figure::new(what, Unit::Bytes, vec![side]).line(Line::AtMost(LEFT)))
}

fn config(site: &Site, audited: bool) -> String {
    let Site {
        udp,
        tcp,
        control,
        folder,
        ..
    } = site;
    let module = folder.join("policy.wasm");
    let audit = match audited {
        true => format!("[audit]\nfile = {:?}\n", folder.join(AUDIT)),
        false => String::new(),
    };
    format!(
        "[limits]\nmax-players = 250\nmax-pending = 250\n\
         [[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"{tcp}\"\nudp = \"{udp}\"\n\
         [[policy]]\nname = \"marked\"\nmodule = {module:?}\n\
         [admin]\nlisten = \"{control}\"\n{audit}"
    )
}
