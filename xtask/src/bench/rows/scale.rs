//! What an operation costs the core at many sessions, waiters and keys of its ledger, beside at ten.

use std::process::Command;

use serde_json::Value;

use super::super::figure::{Figure, Line, Sample, Side};
use super::super::row::Row;
use super::super::run::Run;
use super::super::unit::Unit;
use crate::process::{self, Outcome};

/// With what all sizes are compared.
const FEW: u32 = 10;
/// The most of which the line is, and how many times as long it may take.
const MANY: u32 = 50_000;
const TIMES: f64 = 1.3;

const SIZES: [u32; 5] = [FEW, 100, 1_000, 10_000, MANY];
const QUICK: [u32; 2] = [FEW, 1_000];

pub(super) const ROW: Row = Row {
    name: "scale",
    about: "what an operation costs the core at 10 to 50,000 sessions, waiters and keys of its ledger",
    settings: &[],
    seconds: 20,
    run,
};

/// What the program calls an operation, and what a person does.
const OPERATIONS: [(&str, &str); 8] = [
    ("life", "let in, endpoint bound, one of all leaves"),
    ("refused", "refused for a name that plays"),
    ("seen", "a session heard of"),
    ("spent", "a ticket spent, one of all forgotten"),
    ("looked-up", "units of a key looked up"),
    ("waits", "comes, waits behind all, goes"),
    ("served", "a seat free, the first who waits let in"),
    ("status", "a status of one who waits"),
];

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let program = run.example("usher-core", "scale")?;
    let sizes: &[u32] = if run.quick { &QUICK } else { &SIZES };
    // The program has all sizes take turns in every round.
    let mut command = Command::new(program);
    command
        .args(["--rounds", &run.rounds.to_string()])
        .args(sizes.iter().map(u32::to_string));
    let said = process::output(&mut command)?;
    let lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}")))
        .collect::<Outcome<_>>()?;
    let mut figures = Vec::new();
    for (operation, about) in OPERATIONS {
        let few = side(&lines, operation, FEW, "10")?;
        for size in sizes {
            let ours = side(&lines, operation, *size, "usher")?;
            let sides = match *size {
                FEW => vec![ours],
                _ => vec![ours, few.clone()],
            };
            let what = format!("{about}, at {size}");
            let at = f64::from(*size);
            let mut figure =
                Figure::new(what, Unit::Nanoseconds, sides).plotted(about, "there are", at);
            if *size == MANY {
                let side = "10".to_owned();
                figure = figure.line(Line::TimesAtMost { side, times: TIMES });
            }
            figures.push(figure);
        }
    }
    Ok(figures)
}

/// An operation at one size.
fn side(lines: &[Value], operation: &str, size: u32, name: &str) -> Outcome<Side> {
    let of = |line: &&Value| line["operation"] == operation && line["size"] == size;
    let values = lines
        .iter()
        .filter(of)
        .map(|line| line["nanoseconds"].as_f64());
    let rounds: Option<Vec<_>> = values.map(|value| value.map(Sample::of)).collect();
    match rounds {
        Some(rounds) if !rounds.is_empty() => Ok(Side {
            name: name.to_owned(),
            rounds,
        }),
        _ => Err(format!("the core was not measured at {size}: {operation}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_round_of_an_operation_at_its_size_is_a_sample() {
        let line = |operation: &str, size: u32, ns: f64| json!({"operation": operation, "size": size, "nanoseconds": ns});
        let lines = [
            line("life", 10, 5.0),
            line("life", 100, 6.0),
            line("seen", 10, 1.0),
            line("life", 10, 7.0),
        ];
        let found = side(&lines, "life", 10, "usher").unwrap();
        let values: Vec<_> = found.rounds.iter().map(|it| it.value).collect();
        assert_eq!(values, [5.0, 7.0]);
        assert!(
            side(&lines, "seen", 100, "usher")
                .unwrap_err()
                .contains("seen")
        );
    }
}
