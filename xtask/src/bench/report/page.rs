//! The page as Markdown.

use std::fmt::Write as _;

use super::super::figure::{Figure, others};
use super::super::judge::{Verdict, judge, ratio, value};
use super::super::machine::Machine;
use super::super::record::About;
use super::super::table;
use super::super::unit::Unit;
use super::date::day;
use super::newest::Measured;

/// How figures come about; the same for all rows.
const METHOD: &str = include_str!("method.md");

/// A chart that is in a file beside the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) file: String,
}

/// What the page says of a row.
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) measured: Option<Measured>,
    pub(super) pictures: Vec<Picture>,
    /// What is written by hand.
    pub(super) note: Option<String>,
}

impl Section {
    fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.measured.iter().flat_map(|measured| &measured.figures)
    }

    /// Whether it misses a line and nobody says why.
    pub(super) fn lacks_a_note(&self) -> bool {
        let mut verdicts = self.figures().flat_map(judge);
        self.note.is_none() && verdicts.any(|it| !it.reached)
    }
}

/// The whole page; nothing where nothing was measured. The newest run is the one that it is about.
pub(super) fn render(sections: &[Section]) -> Option<String> {
    let runs = sections
        .iter()
        .filter_map(|section| section.measured.as_ref());
    let run = &runs.max_by_key(|measured| measured.run.at)?.run;
    let mut page = String::from(
        "# Benchmarks\n\n\
         What Usher takes, measured beside what one would take in its place. `cargo xtask bench` measures the same on \
         your\nmachine, and `cargo xtask bench --report` writes this page; what is said by hand about a row is in \
         `docs/benchmarks/notes`.\n\n",
    );
    page.push_str(&of_the_run(run));
    page.push_str("\n## How it is measured\n\n");
    page.push_str(METHOD);
    page.push_str("\n## All lines\n\n");
    page.push_str(&summary(sections));
    for section in sections {
        page.push_str(&of_a_row(section, run));
    }
    Some(page)
}

fn of_the_run(run: &About) -> String {
    let Machine {
        cpu,
        cores,
        memory,
        kernel,
    } = &run.machine;
    let versions: Vec<_> = run
        .versions
        .iter()
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    let memory = Unit::Bytes.show(*memory as f64);
    let rows = [
        (
            "measured",
            format!("{}, sources at {}", day(run.at), run.commit),
        ),
        ("processor", format!("{cpu}, {cores} of them")),
        ("memory", memory),
        ("kernel", format!("Linux {kernel}")),
        ("versions", versions.join(", ")),
    ];
    let mut text = "| | |\n|---|---|\n".to_owned();
    for (what, is) in rows {
        line(&mut text, &[what.to_owned(), is]);
    }
    text
}

/// A line for each line to reach, and for each comparison that has none.
fn summary(sections: &[Section]) -> String {
    let heads = ["", "", "usher", "beside", "", "ours / theirs", "line", ""];
    let mut text = String::new();
    line(&mut text, &heads.map(str::to_owned));
    text.push_str("|---|---|--:|---|--:|--:|---|---|\n");
    for section in sections {
        let link = format!("[`{0}`](#{0})", section.name);
        if section.measured.is_none() {
            let mut cells = [const { String::new() }; 8];
            cells[0] = link;
            "not measured yet".clone_into(&mut cells[1]);
            line(&mut text, &cells);
            continue;
        }
        for figure in section.figures() {
            let verdicts = judge(figure);
            for verdict in &verdicts {
                line(&mut text, &of_a_line(&link, figure, Some(verdict)));
            }
            if verdicts.is_empty() && figure.sides.len() > 1 {
                line(&mut text, &of_a_line(&link, figure, None));
            }
        }
    }
    text
}

fn of_a_line(row: &str, figure: &Figure, verdict: Option<&Verdict>) -> [String; 8] {
    let ours = figure.sides.first();
    let named = verdict.and_then(|it| it.beside.as_deref());
    let theirs = match named {
        Some(name) => figure.sides.iter().find(|side| side.name == name),
        None => figure.sides.get(1),
    };
    let shown = |value: Option<f64>| value.map_or(String::new(), |it| figure.unit.show(it));
    let word = match verdict {
        None => "",
        Some(verdict) if verdict.reached => "yes",
        Some(_) => "**no**",
    };
    [
        row.to_owned(),
        figure.what.clone(),
        shown(ours.and_then(value)),
        theirs.map_or(String::new(), |side| side.name.clone()),
        shown(theirs.and_then(value)),
        ours.zip(theirs)
            .and_then(|(ours, theirs)| ratio(ours, theirs))
            .map_or(String::new(), |it| Unit::Ratio.show(it)),
        verdict.map_or(String::new(), |it| it.line.clone()),
        word.to_owned(),
    ]
}

fn of_a_row(section: &Section, run: &About) -> String {
    let mut text = format!("\n## {}\n\n{}.\n", section.name, capital(section.about));
    let Some(measured) = &section.measured else {
        text.push_str("\nNot measured yet.\n");
        return text;
    };
    if measured.run.at != run.at {
        let About { at, commit, .. } = &measured.run;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\nMeasured in another run than the newest: {}, sources at {commit}.\n",
            day(*at)
        );
    }
    for group in groups(&measured.figures) {
        let (title, rows) = match &group[0].plot {
            Some(plot) => (&plot.chart, table::rows_along(&plot.along, &group)),
            None => (&group[0].what, table::rows(group[0])),
        };
        let _ = write!(text, "\n**{}**\n\n{}", capital(title), markdown(&rows));
        let said: Vec<_> = group.iter().flat_map(|figure| said_of(figure)).collect();
        if !said.is_empty() {
            text.push('\n');
        }
        for line in said {
            let _ = writeln!(text, "* {line}");
        }
    }
    let behind = table::behind(&measured.figures);
    if !behind.is_empty() {
        text.push_str("\nWhere the generator was the bottleneck:\n\n");
    }
    for what in behind {
        let _ = writeln!(text, "* {what}");
    }
    if let Some(busiest) = others(&measured.figures) {
        let _ = write!(
            text,
            "\nWhat is not part of this kept up to {busiest:.1} processors busy meanwhile.\n"
        );
    }
    for picture in &section.pictures {
        let Picture { title, file } = picture;
        let _ = write!(text, "\n![{}](benchmarks/{file})\n", escaped(title));
    }
    if let Some(note) = &section.note {
        let _ = write!(text, "\n{note}\n");
    }
    text
}

/// Figures of one chart stand together, where the first of them is.
fn groups(figures: &[Figure]) -> Vec<Vec<&Figure>> {
    let mut groups: Vec<Vec<&Figure>> = Vec::new();
    for figure in figures {
        let chart = |it: &Figure| it.plot.as_ref().map(|plot| plot.chart.clone());
        let own = chart(figure);
        let same = groups
            .iter_mut()
            .find(|group| own.is_some() && chart(group[0]) == own);
        match same {
            Some(group) => group.push(figure),
            None => groups.push(vec![figure]),
        }
    }
    groups
}

/// What becomes of the figure's lines.
fn said_of(figure: &Figure) -> Vec<String> {
    let place = figure.plot.as_ref().map_or(String::new(), |plot| {
        format!("{} {}: ", capital(&plot.along), Unit::Count.show(plot.at))
    });
    let verdicts = judge(figure).into_iter().map(|verdict| {
        let word = if verdict.reached {
            "reached"
        } else {
            "**missed**"
        };
        let got = verdict.measured.as_deref().unwrap_or("not measured");
        format!("{place}{got}; the line is {}: {word}.", verdict.line)
    });
    verdicts.collect()
}

fn markdown(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        line(&mut text, row);
        if place == 0 {
            let marks = (0..row.len()).map(|column| if column == 0 { "---" } else { "--:" });
            let marks: Vec<_> = marks.collect();
            let _ = writeln!(text, "|{}|", marks.join("|"));
        }
    }
    text
}

fn line(text: &mut String, cells: &[String]) {
    let cells: Vec<_> = cells.iter().map(|cell| escaped(cell)).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::figure::{Line, Side};
    use super::*;

    fn section(at: u64, note: Option<&str>) -> Section {
        let sides = vec![Side::of("usher", &[8.0, 6.0]), Side::of("a|b", &[4.0, 3.0])];
        let mut figure = Figure::new("waits", Unit::Nanoseconds, sides)
            .line(Line::AtMost(9.0))
            .line(Line::TimesAtMost {
                side: "a|b".to_owned(),
                times: 1.5,
            });
        figure.sides[0].rounds[0].behind = vec!["3 ms late".to_owned()];
        Section {
            name: "start",
            about: "how it starts",
            measured: Some(Measured {
                row: "start".to_owned(),
                about: "how it starts",
                run: About {
                    at,
                    commit: "abc".to_owned(),
                    ..About::default()
                },
                figures: vec![figure],
            }),
            pictures: vec![Picture {
                title: "waits".to_owned(),
                file: "start-1.svg".to_owned(),
            }],
            note: note.map(str::to_owned),
        }
    }

    #[test]
    fn every_line_is_in_the_summary_with_what_is_beside_it() {
        let page = render(&[section(86_400, None)]).unwrap();
        let row = "| [`start`](#start) | waits | 7 ns | a\\|b | 3.50 ns | 2.00x |";
        assert!(
            page.contains(&format!("{row} at most 9 ns | yes |")),
            "{page}"
        );
        assert!(
            page.contains(&format!("{row} at most 1.5 times a\\|b | **no** |")),
            "{page}"
        );
        assert!(page.contains("1970-01-02, sources at abc"), "{page}");
        assert!(page.contains("![waits](benchmarks/start-1.svg)"), "{page}");
        assert!(page.contains("3 ms late"), "{page}");
        assert!(!page.contains("another run"), "{page}");
    }

    #[test]
    fn figures_of_one_chart_are_one_table_with_where_they_were_measured() {
        let figure = |what: &str, value: f64, chart: &str, at: f64| {
            let figure = Figure::new(what, Unit::Count, vec![Side::of("usher", &[value])]);
            figure.line(Line::AtMost(5.0)).plotted(chart, "sockets", at)
        };
        let mut section = section(1, None);
        section.measured.as_mut().unwrap().figures = vec![
            figure("a at 1", 3.0, "a", 1.0),
            figure("b at 1", 4.0, "b", 1.0),
            figure("a at 2", 6.0, "a", 2.0),
        ];
        let page = render(&[section]).unwrap();
        let table = "**A**\n\n| sockets |  | median | min | max |\n|---|--:|--:|--:|--:|\n\
                     | 1 | usher | 3 | 3 | 3 |\n| 2 | usher | 6 | 6 | 6 |\n\n\
                     * Sockets 1: 3; the line is at most 5: reached.\n\
                     * Sockets 2: 6; the line is at most 5: **missed**.\n\n**B**";
        assert!(page.contains(table), "{page}");
    }

    #[test]
    fn what_is_said_by_hand_stands_in_the_rows_section() {
        let without = section(1, None);
        assert!(without.lacks_a_note());
        let with = section(1, Some("The kernel bounds it."));
        assert!(!with.lacks_a_note());
        let page = render(&[with]).unwrap();
        assert!(page.ends_with("\nThe kernel bounds it.\n"), "{page}");
    }

    #[test]
    fn rows_of_other_runs_and_unmeasured_ones_say_so() {
        let unmeasured = Section {
            measured: None,
            pictures: Vec::new(),
            ..section(1, None)
        };
        let page = render(&[section(1, None), section(86_400, None), unmeasured]).unwrap();
        assert!(
            page.contains("another run than the newest: 1970-01-01"),
            "{page}"
        );
        assert!(page.contains("not measured yet") && page.contains("Not measured yet."));
        assert_eq!(render(&[]), None);
        // The same figures make the same page.
        assert_eq!(
            render(&[section(1, None)]).unwrap(),
            render(&[section(1, None)]).unwrap()
        );
    }
}
