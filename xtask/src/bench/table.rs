//! Figures as text in columns.

use super::figure::{Figure, Sample, Side, Spread};
use super::judge::{judge, ratio, value};
use super::stats::{median, range};
use super::unit::Unit;

/// The columns that every figure may have; those in which nothing is known are left out.
const HEADS: [&str; 12] = [
    "",
    "median",
    "min",
    "max",
    "ours / theirs",
    "p50",
    "p99",
    "p99.9",
    "host cpu",
    "each",
    "load cpu",
    "memory",
];

/// A figure with all of its sides, and what becomes of its lines.
pub(crate) fn figure(figure: &Figure, judged: bool) -> String {
    let mut text = format!("{}\n{}\n", figure.what, indented(&rows(figure)));
    if judged {
        for verdict in judge(figure) {
            text.push_str(&format!("  {}\n", verdict.sentence()));
        }
    }
    text
}

/// Where the generators of a row could not keep up, in words; once, however many figures a round came to.
pub(crate) fn behind(figures: &[Figure]) -> Vec<String> {
    let mut said = Vec::new();
    for figure in figures {
        let place = figure.plot.as_ref().map_or(String::new(), |plot| {
            format!(", {} {}", plot.along, Unit::Count.show(plot.at))
        });
        for side in &figure.sides {
            for (round, sample) in (1..).zip(&side.rounds) {
                for what in &sample.behind {
                    let name = &side.name;
                    let line = format!("{name}{place}, round {round}: {what}");
                    if !said.contains(&line) {
                        said.push(line);
                    }
                }
            }
        }
    }
    said
}

fn indented(rows: &[Vec<String>]) -> String {
    let text = columns(rows);
    let lines: Vec<_> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// The head and a row a side.
pub(crate) fn rows(figure: &Figure) -> Vec<Vec<String>> {
    trimmed(HEADS.map(str::to_owned).into(), sides(figure), 1)
}

/// The same of figures that were measured along something: each row begins with where.
pub(crate) fn rows_along(along: &str, figures: &[&Figure]) -> Vec<Vec<String>> {
    let mut head = vec![along.to_owned()];
    head.extend(HEADS.map(str::to_owned));
    let rows = figures.iter().flat_map(|figure| {
        let at = figure.plot.as_ref().map_or(f64::NAN, |plot| plot.at);
        sides(figure).into_iter().map(move |mut row| {
            row.insert(0, Unit::Count.show(at));
            row
        })
    });
    trimmed(head, rows.collect(), 2)
}

fn sides(figure: &Figure) -> Vec<Vec<String>> {
    let ours = figure.sides.first();
    let sides = figure.sides.iter().enumerate().map(|(place, side)| {
        let against = ours.filter(|_| place > 0);
        cells(figure.unit, side, against)
    });
    sides.collect()
}

/// Without the columns in which nothing is known, but for the first ones.
fn trimmed(head: Vec<String>, rows: Vec<Vec<String>>, first: usize) -> Vec<Vec<String>> {
    let says = |column: usize| column < first || rows.iter().any(|row| row[column] != "-");
    let keep: Vec<_> = (0..head.len()).map(says).collect();
    let all = std::iter::once(head).chain(rows);
    let kept = all.map(|row| {
        let cells = row.into_iter().zip(&keep).filter(|(_, keep)| **keep);
        cells.map(|(cell, _)| cell).collect()
    });
    kept.collect()
}

fn cells(unit: Unit, side: &Side, ours: Option<&Side>) -> Vec<String> {
    let dash = || "-".to_owned();
    let shown = |value: Option<f64>| value.map_or_else(dash, |value| unit.show(value));
    let range = range(side.rounds.iter().map(|round| round.value));
    let of = |get: fn(&Sample) -> Option<f64>| median(side.rounds.iter().filter_map(get));
    let time = |get: fn(&Spread) -> f64| {
        let spreads = side.rounds.iter().filter_map(|round| round.spread);
        let middle = median(spreads.map(|spread| get(&spread)));
        middle.map_or_else(dash, |it| Unit::Nanoseconds.show(it))
    };
    let cpu = |value: Option<f64>| value.map_or_else(dash, |it| format!("{it:.2} s"));
    vec![
        side.name.clone(),
        shown(value(side)),
        shown(range.map(|(min, _)| min)),
        shown(range.map(|(_, max)| max)),
        ours.and_then(|ours| ratio(ours, side))
            .map_or_else(dash, |it| Unit::Ratio.show(it)),
        time(|spread| spread.p50),
        time(|spread| spread.p99),
        time(|spread| spread.p999),
        cpu(of(|sample| sample.host_cpu_s)),
        of(|sample| Some(sample.host_cpu_s? / sample.operations.filter(|it| *it > 0)? as f64))
            .map_or_else(dash, |it| Unit::Nanoseconds.show(it * 1e9)),
        cpu(of(|sample| sample.generator_cpu_s)),
        of(|sample| sample.rss.map(|rss| rss as f64)).map_or_else(dash, |it| Unit::Bytes.show(it)),
    ]
}

/// Cells below each other; the first column to the left, the others to the right.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(place, (cell, width))| match place {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::figure::Line;
    use super::*;

    #[test]
    fn a_figure_shows_its_sides_the_ratio_and_only_columns_that_say_something() {
        let mut usher = Side::of("usher", &[2e6, 4e6, 3e6]);
        usher.rounds[1].behind = vec!["late by 3 ms".to_owned()];
        let sides = vec![usher, Side::of("a floor", &[1e6, 2e6, 1.5e6])];
        let what = Figure::new("first login", Unit::Nanoseconds, sides).line(Line::AtMost(2.5e6));
        let text = figure(&what, true);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "first login");
        let words = |line: &str| {
            line.split("  ")
                .map(str::trim)
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(lines[1]), ["median", "min", "max", "ours / theirs"]);
        assert_eq!(words(lines[2]), ["usher", "3 ms", "2 ms", "4 ms", "-"]);
        assert_eq!(
            words(lines[3]),
            ["a floor", "1.50 ms", "1 ms", "2 ms", "2.00x"]
        );
        assert!(lines[4].contains("MISSED") && lines[4].contains("at most 2.50 ms"));
        let twice = [what.clone(), what.clone()];
        assert_eq!(behind(&twice), ["usher, round 2: late by 3 ms"]);
        let plotted = what.clone().plotted("c", "sockets", 512.0);
        assert_eq!(
            behind(&[plotted]),
            ["usher, sockets 512, round 2: late by 3 ms"]
        );
        assert!(!figure(&what, false).contains("MISSED"));
    }

    #[test]
    fn columns_line_up_whatever_letters_are_in_them() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let text = columns(&[row(["a", "1 µs"]), row(["longer", "10 ms"])]);
        assert_eq!(text, "a        1 µs\nlonger  10 ms");
    }
}
