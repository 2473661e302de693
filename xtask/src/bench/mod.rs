//! Measurements that anyone can repeat: release builds, generators of load in processes of their own, sides that
//! take turns, and figures with the lines that they have to reach.

mod alternate;
mod figure;
mod floor;
mod host;
mod instructions;
mod judge;
mod load;
mod login;
mod machine;
mod measure;
mod meter;
mod record;
mod report;
mod row;
mod rows;
mod run;
mod settings;
mod site;
mod stats;
mod table;
mod unit;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::process::{self, Outcome};
use crate::workspace::Workspace;
use machine::Machine;
use measure::Plan;
use record::About;
use row::{ROUNDS, Row};
use settings::Setting;

/// What is measured, and how.
#[derive(Args)]
pub(crate) struct Options {
    /// Which rows; without names all of them
    names: Vec<String>,
    /// One short round of each, to see that they run; nothing is judged
    #[arg(long)]
    quick: bool,
    /// Fail where a line is missed
    #[arg(long, conflicts_with = "quick")]
    strict: bool,
    /// How often each side is measured
    #[arg(long)]
    rounds: Option<usize>,
    /// Sets a number of a row, as --list names them
    #[arg(long, value_name = "NAME=NUMBER")]
    with: Vec<String>,
    /// Measures this host in place of that of the workspace
    #[arg(long, value_name = "PROGRAM")]
    host: Option<PathBuf>,
    /// Counts instructions with valgrind, and says how far two counts agree, in place of measuring
    #[arg(long, conflicts_with_all = ["quick", "strict", "rounds", "with", "host", "list"])]
    instructions: bool,
    /// Only writes docs/benchmarks.md and its charts, of what was measured last
    #[arg(long, conflicts_with_all = ["names", "quick", "strict", "rounds", "with", "host", "instructions"])]
    report: bool,
    /// Only says which rows there are and what can be set of them
    #[arg(long)]
    list: bool,
}

/// Measures, or says what there is.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Outcome {
    if options.report {
        return report::write(workspace, rows::ALL);
    }
    let names = match options.instructions && options.names.is_empty() {
        true => rows::COUNTED
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect(),
        false => options.names.clone(),
    };
    let rows = choose(rows::ALL, &names)?;
    if options.list {
        list(&rows);
        return Ok(());
    }
    let known: Vec<Setting> = rows.iter().flat_map(|row| row.settings).copied().collect();
    let rounds = match (options.rounds, options.quick) {
        (Some(rounds), _) => rounds.max(1),
        (None, true) => 1,
        (None, false) => ROUNDS,
    };
    let about = About {
        at: site::now(),
        commit: commit(&workspace.root),
        machine: Machine::read(),
        versions: machine::versions(&workspace.root),
        quick: options.quick,
        host: options.host.clone(),
        with: settings::parse(&options.with, &known)?,
    };
    let instructions = options.instructions.then_some(rows::COUNTED);
    if instructions.is_none() {
        announce(&rows, options.quick, rounds);
    }
    let strict = options.strict;
    measure::run(
        workspace,
        &Plan {
            rows,
            rounds,
            strict,
            instructions,
            about,
        },
    )
}

fn choose<'a>(all: &'a [Row], names: &[String]) -> Outcome<Vec<&'a Row>> {
    for name in names {
        if !all.iter().any(|row| row.name == name) {
            let known: Vec<_> = all.iter().map(|row| row.name).collect();
            return Err(format!(
                "there is no row `{name}`: there are {}",
                known.join(", ")
            ));
        }
    }
    let wanted = |row: &&Row| names.is_empty() || names.iter().any(|name| name == row.name);
    Ok(all.iter().filter(wanted).collect())
}

fn list(rows: &[&Row]) {
    for row in rows {
        println!("{}: {} (about {} s)", row.name, row.about, row.seconds);
        for Setting {
            name,
            about,
            value,
            quick,
        } in row.settings
        {
            println!("    --with {name}={value}  {about} ({quick} with --quick)");
        }
    }
}

fn announce(rows: &[&Row], quick: bool, rounds: usize) {
    let names: Vec<_> = rows.iter().map(|row| row.name).collect();
    println!("rows: {}", names.join(", "));
    if quick {
        println!("one short round of each; nothing is judged");
        return;
    }
    println!(
        "this takes about {} min once everything is built; nothing else should run meanwhile",
        row::minutes(row::seconds(rows, rounds))
    );
}

/// Which sources are measured, for who reads the figures later.
fn commit(root: &Path) -> String {
    let git = |words: &[&str]| {
        let mut command = std::process::Command::new("git");
        process::output(command.arg("-C").arg(root).args(words))
    };
    let Ok(commit) = git(&["rev-parse", "--short=10", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let changes = git(&["status", "--porcelain", "--untracked-files=no"]);
    let mark = if changes.is_ok_and(|text| text.trim().is_empty()) {
        ""
    } else {
        "+"
    };
    format!("{}{mark}", commit.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_chosen_by_name_in_the_tables_order() {
        let names = |chosen: Vec<&Row>| chosen.iter().map(|row| row.name).collect::<Vec<_>>();
        let all = names(choose(rows::ALL, &[]).unwrap());
        assert_eq!(all.len(), rows::ALL.len());
        let two = ["start".to_owned(), "pending".to_owned()];
        assert_eq!(
            names(choose(rows::ALL, &two).unwrap()),
            ["pending", "start"]
        );
        let problem = choose(rows::ALL, &["stop".to_owned()])
            .map(|_| ())
            .unwrap_err();
        assert!(
            problem.contains("`stop`") && problem.contains("start"),
            "{problem}"
        );
    }

    #[test]
    fn all_rows_take_half_an_hour_at_most() {
        let rows: Vec<_> = rows::ALL.iter().collect();
        assert!(row::minutes(row::seconds(&rows, ROUNDS)) <= 30);
        // The announcement must not say nothing of a single round.
        assert!(row::minutes(row::seconds(&rows[..1], 1)) > 0);
    }

    #[test]
    fn rows_and_their_settings_have_names_of_their_own() {
        let mut names: Vec<_> = rows::ALL.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rows::ALL.len());
        for row in rows::ALL {
            let mut names: Vec<_> = row.settings.iter().map(|it| it.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), row.settings.len(), "{}", row.name);
        }
    }
}
