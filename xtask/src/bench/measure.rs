//! Measures rows one after the other: prints, judges, and keeps what was measured.

use std::fs;
use std::path::Path;
use std::time::Instant;

use super::figure::{Figure, others};
use super::host::Tally;
use super::instructions::{self, Sides};
use super::judge::judge;
use super::record::{self, About};
use super::row::{self, Row};
use super::run::{Built, Run};
use super::site;
use super::table;
use crate::process::{Outcome, seconds};
use crate::workspace::Workspace;

/// What is to be measured.
pub(crate) struct Plan<'a> {
    pub(crate) rows: Vec<&'a Row>,
    pub(crate) rounds: usize,
    /// Whether a missed line is a failure.
    pub(crate) strict: bool,
    /// How the sides of rows are found whose instructions are counted, in place of measuring them.
    pub(crate) instructions: Option<&'a [(&'static str, Sides)]>,
    pub(crate) about: About,
}

/// The lines that a row missed.
#[derive(Default)]
struct Missed {
    /// For people.
    lines: Vec<String>,
    /// How many of them have to hold whatever the machine does.
    faults: usize,
}

/// Measures all of them. One that fails does not keep the next from running: one run tells all.
pub(crate) fn run(workspace: &Workspace, plan: &Plan<'_>) -> Outcome {
    let folder = workspace.target.join("bench");
    fs::create_dir_all(&folder).map_err(|error| site::cannot_use(&folder, &error))?;
    let built = Built::default();
    let start = Instant::now();
    let mut failed = Vec::new();
    let mut missed = Missed::default();
    for (place, row) in plan.rows.iter().enumerate() {
        let timed = plan.instructions.is_none() && !plan.about.quick;
        let left = row::minutes(row::seconds(&plan.rows[place..], plan.rounds));
        let left = match timed {
            true => format!(" (about {left} min to the end of all)"),
            false => String::new(),
        };
        println!("\n=== {}: {}{left}", row.name, row.about);
        let run = Run {
            workspace,
            quick: plan.about.quick,
            rounds: plan.rounds,
            folder: folder.join(row.name),
            host: plan.about.host.as_deref(),
            settings: row.settings,
            given: &plan.about.with,
            built: &built,
            hosts: Tally::default(),
        };
        let done = match plan.instructions {
            Some(sides) => count(row, &run, sides).map(|()| Missed::default()),
            None => measure(row, &run, &folder, &plan.about),
        };
        match done {
            Ok(more) => {
                missed.lines.extend(more.lines);
                missed.faults += more.faults;
            }
            Err(problem) => {
                eprintln!("xtask: {}: {problem}", row.name);
                failed.push(row.name);
            }
        }
    }
    println!(
        "\nall of it took {}, builds included",
        seconds(start.elapsed())
    );
    conclude(plan, &failed, &missed)
}

fn conclude(plan: &Plan<'_>, failed: &[&str], missed: &Missed) -> Outcome {
    if !missed.lines.is_empty() {
        println!("\nmissed:");
        missed.lines.iter().for_each(|line| println!("  {line}"));
    }
    if !failed.is_empty() {
        return Err(format!("not measured: {}", failed.join(", ")));
    }
    match (missed.faults, missed.lines.len()) {
        (0, some) if some > 0 && plan.strict => {
            Err(format!("{some} of the lines to reach are missed"))
        }
        (0, _) => Ok(()),
        (faults, _) => Err(format!(
            "{faults} of the missed lines are faults, and no matter of speed"
        )),
    }
}

fn count(row: &Row, run: &Run<'_>, sides: &[(&str, Sides)]) -> Outcome {
    let found = sides.iter().find(|(name, _)| *name == row.name);
    let Some((_, sides)) = found else {
        let known: Vec<_> = sides.iter().map(|(name, _)| *name).collect();
        return Err(format!("instructions are counted of {}", known.join(", ")));
    };
    instructions::run(&run.folder, sides(run)?)
}

/// One row; returns what it missed. Of a quick run that is only what has to hold always.
fn measure(row: &Row, run: &Run<'_>, folder: &Path, about: &About) -> Outcome<Missed> {
    let start = Instant::now();
    let measured = (row.run)(run).and_then(|figures| {
        run.hosts.all_ended()?;
        whole(&figures, run.rounds)?;
        Ok(figures)
    });
    let figures = measured.map_err(|problem| site::explain(&run.folder, &problem))?;
    record::add(folder, row.name, about, &figures)?;
    let mut missed = Missed::default();
    for figure in &figures {
        let judged = !run.quick || figure.always;
        println!("\n{}", table::figure(figure, judged).trim_end());
        if !judged {
            continue;
        }
        for verdict in judge(figure).iter().filter(|it| !it.reached) {
            let sentence = verdict.sentence();
            let line = format!("{}: {}: {}", row.name, figure.what, sentence.trim());
            missed.lines.push(line);
            missed.faults += usize::from(figure.always);
        }
    }
    for what in table::behind(&figures) {
        println!("\nthe generator was the bottleneck: {what}");
    }
    if let Some(busiest) = others(&figures).filter(|_| !run.quick) {
        println!("\nothers kept {busiest:.1} processors busy: measure again when they do not");
    }
    println!(
        "\n{} took {}; figures are in {}",
        row.name,
        seconds(start.elapsed()),
        record::file(folder, row.name).display()
    );
    Ok(missed)
}

/// An error if a figure, or a round of it, is not there.
fn whole(figures: &[Figure], rounds: usize) -> Outcome {
    if figures.is_empty() {
        return Err("the row came to nothing".into());
    }
    for figure in figures {
        if figure.sides.is_empty() {
            return Err(format!("`{}` has no side", figure.what));
        }
        for side in &figure.sides {
            let (what, name) = (&figure.what, &side.name);
            if side.rounds.len() < rounds {
                let count = side.rounds.len();
                return Err(format!(
                    "`{what}` of {name} has {count} rounds, not {rounds}"
                ));
            }
            if side.rounds.iter().any(|round| !round.value.is_finite()) {
                return Err(format!("`{what}` of {name} is no number"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::figure::{Sample, Side};
    use super::super::unit::Unit;
    use super::*;

    fn figure(values: &[f64]) -> Figure {
        let side = Side {
            name: "usher".to_owned(),
            rounds: values.iter().copied().map(Sample::of).collect(),
        };
        Figure::new("x", Unit::Count, vec![side])
    }

    #[test]
    fn a_figure_or_round_that_is_not_there_is_an_error() {
        assert_eq!(whole(&[figure(&[1.0, 2.0])], 2), Ok(()));
        assert!(whole(&[], 1).unwrap_err().contains("nothing"));
        assert!(
            whole(&[figure(&[1.0])], 2)
                .unwrap_err()
                .contains("1 rounds")
        );
        assert!(
            whole(&[figure(&[f64::NAN])], 1)
                .unwrap_err()
                .contains("no number")
        );
        let sideless = Figure::new("x", Unit::Count, Vec::new());
        assert!(whole(&[sideless], 0).unwrap_err().contains("no side"));
    }

    #[test]
    fn a_missed_line_fails_a_strict_run_and_a_fault_any() {
        let about = About::default();
        let plan = |strict| Plan {
            rows: Vec::new(),
            rounds: 1,
            strict,
            instructions: None,
            about: about.clone(),
        };
        let missed = |faults| Missed {
            lines: vec!["slow".to_owned()],
            faults,
        };
        assert_eq!(conclude(&plan(true), &[], &Missed::default()), Ok(()));
        assert_eq!(conclude(&plan(false), &[], &missed(0)), Ok(()));
        assert!(conclude(&plan(true), &[], &missed(0)).is_err());
        assert!(conclude(&plan(false), &[], &missed(1)).is_err());
        let failed = conclude(&plan(false), &["start"], &Missed::default());
        assert!(failed.unwrap_err().contains("start"));
    }
}
