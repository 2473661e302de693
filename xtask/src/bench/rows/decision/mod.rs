//! What a decision of a policy costs, warm and on a fresh instance, beside the same rule as a Rust function, in
//! Lua, in rhai and as a plug-in of Extism.

mod peers;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::super::alternate::Contender;
use super::super::figure::{Figure, Line, Sample, Spread};
use super::super::instructions::Counted;
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::unit::Unit;
use crate::process::{self, Outcome};
use peers::Peer;

/// The package that measures the host's side and the Rust function.
const PACKAGE: &str = "usher-bench-decision";
/// The rule, as a module.
const MODULE: &str = "decision";

const OURS: &str = "usher";
const NATIVE: &str = "native, owned request";

/// The longest that a decision may take, in nanoseconds, and how many times as long as natively.
const LONGEST: f64 = 2_000.0;
const TIMES_NATIVE: f64 = 5.0;
/// How many times the median the slowest of a hundred may take.
const TIMES_MEDIAN: f64 = 3.0;
/// Batches are all the requests of the rule once.
const BATCH: u32 = 256;

const MILLISECONDS: &str = "milliseconds";

pub(super) const ROW: Row = Row {
    name: "decision",
    about: "name check, ban list, free seat, 200 bytes of payload: one decision of a policy worker",
    settings: &[Setting {
        name: MILLISECONDS,
        about: "how long each side decides in a round",
        value: 1_000,
        quick: 200,
    }],
    seconds: 70,
    run,
};

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let program = run.release(PACKAGE)?;
    let module = run.module(MODULE)?;
    let milliseconds = run.setting(MILLISECONDS).to_string();
    let ours = |side: &str| {
        let mut command = Command::new(&program);
        command.arg(side);
        if side.starts_with(OURS) {
            command.arg(&module);
        }
        command.args(["--milliseconds", &milliseconds]);
        command
    };
    // Peers take long to build the first time, and what is smoke-tested is the row.
    let peers = match run.quick {
        true => {
            println!("  without LuaJIT, Lua, rhai and Extism, which take minutes to build");
            Vec::new()
        }
        false => peers::build(run),
    };
    let mut warm = vec![
        contender(OURS, ours("usher")),
        contender(NATIVE, ours("native-owned")),
        contender("native", ours("native")),
    ];
    let built: Vec<_> = peers.iter().map(|peer| peer.name).collect();
    for Peer { name, mut command } in peers {
        command.args(["--milliseconds", &milliseconds]);
        warm.push(contender(name, command));
    }
    let mut warm = run.alternate(&mut warm)?.into_iter();
    let mut fresh = [
        contender("usher, a fresh instance", ours("usher-fresh")),
        contender("usher, warm", ours("usher")),
    ];
    let fresh = run.alternate(&mut fresh)?.into_iter().next();
    let (Some(batches), Some(tails), Some(fresh)) = (warm.next(), warm.next(), fresh) else {
        return Err("a side came to no figures".into());
    };
    let faster = |side: &str, times| Line::FasterThan {
        side: side.to_owned(),
        times,
    };
    let mut warm = Figure::new(
        format!("a decision, warm, of batches of {BATCH}"),
        Unit::Nanoseconds,
        batches,
    )
    .line(Line::AtMost(LONGEST))
    .line(Line::TimesAtMost {
        side: NATIVE.to_owned(),
        times: TIMES_NATIVE,
    });
    for (side, times) in peers::LINES {
        if built.contains(&side) {
            warm = warm.line(faster(side, times));
        }
    }
    Ok(vec![
        warm,
        Figure::new(
            "p99 of single decisions, beside their median",
            Unit::Ratio,
            tails,
        )
        .line(Line::AtMost(TIMES_MEDIAN)),
        Figure::new(
            "a decision, each on a fresh instance",
            Unit::Nanoseconds,
            fresh,
        ),
    ])
}

/// What callgrind counts.
pub(super) fn counted(run: &Run<'_>) -> Outcome<Vec<Counted>> {
    let program = run.release(PACKAGE)?;
    let module = run.module(MODULE)?;
    let side = |name: &str, side: &str, module: Option<&Path>| {
        let mut program = Command::new(&program);
        program.arg(side).args(module).args(["--batches", "4"]);
        Counted {
            side: name.to_owned(),
            program,
        }
    };
    Ok(vec![
        side(OURS, "usher", Some(&module)),
        side(NATIVE, "native-owned", None),
        side("native", "native", None),
    ])
}

fn contender<'a>(name: &'static str, mut command: Command) -> Contender<'a> {
    Contender::new(name, move |_| {
        let said = process::output(&mut command)?;
        let said = serde_json::from_str(said.trim())
            .map_err(|error| format!("{name} said what is not JSON: {error}: {said}"))?;
        samples(&said).ok_or_else(|| format!("{name} left out a figure: {said}"))
    })
}

/// One for each figure of the row: the time of a decision, and how far apart they are.
fn samples(said: &Value) -> Option<Vec<Sample>> {
    let (batch, single) = (spread(&said["batch_ns"])?, spread(&said["single_ns"])?);
    let of = |value: f64, spread: Spread| Sample {
        host_cpu_s: said["cpu_s"].as_f64(),
        operations: said["decisions"].as_u64(),
        rss: said["rss"].as_u64(),
        ..Sample::of(value).spread(Some(spread))
    };
    let far = single.p99 / single.p50.max(f64::MIN_POSITIVE);
    Some(vec![of(batch.p50, batch), of(far, single)])
}

fn spread(said: &Value) -> Option<Spread> {
    let nanos = |key: &str| said[key].as_f64();
    Some(Spread {
        p50: nanos("p50")?,
        p99: nanos("p99")?,
        p999: nanos("p999")?,
        max: nanos("max")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_side_comes_to_its_time_and_its_tail() {
        let times =
            |p50: f64| json!({"samples": 2, "p50": p50, "p99": 900.0, "p999": 1e3, "max": 2e3});
        let said = json!({"decisions": 7, "batch_ns": times(250.0), "single_ns": times(300.0), "cpu_s": null});
        let samples = samples(&said).unwrap();
        assert_eq!((samples[0].value, samples[1].value), (250.0, 3.0));
        assert_eq!(samples[0].operations, Some(7));
        assert_eq!(samples[0].host_cpu_s, None);
        assert_eq!(super::samples(&json!({"batch_ns": times(1.0)})), None);
    }
}
