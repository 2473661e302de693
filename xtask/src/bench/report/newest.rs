//! The newest figures of each row, out of the files of all runs.

use std::fs;
use std::path::Path;

use super::super::figure::Figure;
use super::super::record::{self, About, Entry};
use super::super::site::cannot_use;
use crate::process::Outcome;

/// A row as it was measured last.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) row: String,
    pub(super) about: &'static str,
    pub(super) run: About,
    pub(super) figures: Vec<Figure>,
}

/// The newest whole measurement of a row: none that was quick, of another host, or set otherwise.
pub(super) fn of(folder: &Path, row: &str, about: &'static str) -> Outcome<Option<Measured>> {
    let file = record::file(folder, row);
    match fs::read_to_string(&file) {
        Ok(text) => Ok(newest(&text, row, about)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_use(&file, &error)),
    }
}

fn newest(lines: &str, row: &str, about: &'static str) -> Option<Measured> {
    // What an older form of this tool wrote is not read any more.
    let entries = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Entry>(line).ok());
    let whole = |entry: &Entry| {
        let run = &entry.run;
        entry.row == row && !run.quick && run.host.is_none() && run.with.is_empty()
    };
    let entries: Vec<_> = entries.filter(whole).collect();
    let run = entries
        .iter()
        .map(|entry| &entry.run)
        .max_by_key(|run| run.at)?
        .clone();
    let figures = entries.into_iter().filter(|entry| entry.run.at == run.at);
    Some(Measured {
        row: row.to_owned(),
        about,
        figures: figures.map(|entry| entry.figure).collect(),
        run,
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::unit::Unit;
    use super::*;

    fn line(at: u64, what: &str, change: impl FnOnce(&mut About)) -> String {
        let mut run = About {
            at,
            ..About::default()
        };
        change(&mut run);
        let entry = Entry {
            run,
            row: "start".to_owned(),
            figure: Figure::new(what, Unit::Count, Vec::new()),
        };
        serde_json::to_string(&entry).unwrap() + "\n"
    }

    #[test]
    fn the_newest_whole_run_counts_and_all_of_its_figures() {
        let lines = [
            line(1, "old", |_| ()),
            line(2, "a", |_| ()),
            line(2, "b", |_| ()),
            line(3, "quick", |run| run.quick = true),
            line(3, "other", |run| run.host = Some("/usr/bin/usher".into())),
            line(3, "set", |run| run.with = vec![("waiting".to_owned(), 7)]),
            "{\"phase\":\"of another form\"}\n".to_owned(),
        ];
        let measured = newest(&lines.concat(), "start", "").unwrap();
        let names: Vec<_> = measured.figures.iter().map(|it| it.what.as_str()).collect();
        assert_eq!((measured.run.at, names), (2, vec!["a", "b"]));
        assert_eq!(newest(&lines.concat(), "stop", ""), None);
        assert_eq!(newest(&lines[3], "start", ""), None);
    }
}
