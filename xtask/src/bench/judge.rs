//! Whether a figure reaches its lines.

use super::figure::{Figure, Line, Side};
use super::stats::median;
use super::unit::Unit;

/// One line and what was measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Verdict {
    /// The line, for people: `at most 2.00 µs`.
    pub(crate) line: String,
    /// What was measured, likewise; `None` where it was not.
    pub(crate) measured: Option<String>,
    pub(crate) reached: bool,
    /// The side that the line is about, beside ours.
    pub(crate) beside: Option<String>,
}

impl Verdict {
    fn new(line: String, measured: Option<(String, bool)>) -> Verdict {
        let reached = measured.as_ref().is_some_and(|(_, reached)| *reached);
        Verdict {
            line,
            measured: measured.map(|(shown, _)| shown),
            reached,
            beside: None,
        }
    }

    fn beside(mut self, side: &str) -> Verdict {
        self.beside = Some(side.to_owned());
        self
    }

    /// For people.
    pub(crate) fn sentence(&self) -> String {
        let word = if self.reached { "ok" } else { "MISSED" };
        let measured = self.measured.as_deref().unwrap_or("not measured");
        format!("{word:>6}  {measured} ({})", self.line)
    }
}

/// Judges every line of a figure.
pub(crate) fn judge(figure: &Figure) -> Vec<Verdict> {
    let unit = figure.unit;
    let ours = figure.sides.first();
    let value = ours.and_then(value);
    let against = |side: &str| ratio(ours?, figure.sides.iter().find(|it| it.name == side)?);
    let times = |it: f64, side: &str| format!("{} of {side}", Unit::Ratio.show(it));
    let verdict = |line: &Line| match line {
        Line::AtMost(most) => Verdict::new(
            format!("at most {}", unit.show(*most)),
            value.map(|value| (unit.show(value), value <= *most)),
        ),
        Line::AtLeast(least) => Verdict::new(
            format!("at least {}", unit.show(*least)),
            value.map(|value| (unit.show(value), value >= *least)),
        ),
        Line::TimesAtMost { side, times: most } => Verdict::new(
            format!("at most {most} times {side}"),
            against(side).map(|it| (times(it, side), it <= *most)),
        )
        .beside(side),
        Line::TimesAtLeast { side, times: least } => Verdict::new(
            format!("at least {least} times {side}"),
            against(side).map(|it| (times(it, side), it >= *least)),
        )
        .beside(side),
        Line::FasterThan { side, times } => Verdict::new(
            format!("at least {times} times faster than {side}"),
            against(side).map(|it| {
                let faster = 1.0 / it;
                let shown = format!("{} faster than {side}", Unit::Ratio.show(faster));
                (shown, faster >= *times)
            }),
        )
        .beside(side),
    };
    figure.lines.iter().map(verdict).collect()
}

/// The median over all rounds.
pub(crate) fn value(side: &Side) -> Option<f64> {
    median(side.rounds.iter().map(|round| round.value))
}

/// The median over the rounds of what ours is to theirs in the same round. A round of which one is missing
/// says nothing.
pub(crate) fn ratio(ours: &Side, theirs: &Side) -> Option<f64> {
    let pairs = ours.rounds.iter().zip(&theirs.rounds);
    let ratios = pairs.map(|(ours, theirs)| ours.value / theirs.value);
    median(ratios.filter(|ratio| ratio.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(figure: Figure, line: Line) -> bool {
        let verdicts = judge(&figure.line(line));
        assert_eq!(verdicts.len(), 1);
        verdicts[0].reached
    }

    fn times(side: &str, times: f64) -> (Line, Line, Line) {
        let side = side.to_owned();
        (
            Line::TimesAtMost {
                side: side.clone(),
                times,
            },
            Line::TimesAtLeast {
                side: side.clone(),
                times,
            },
            Line::FasterThan { side, times },
        )
    }

    #[test]
    fn the_median_has_to_reach_the_line_and_may_touch_it() {
        let figure = || Figure::new("x", Unit::Count, vec![Side::of("usher", &[9.0, 2.0, 3.0])]);
        assert!(reached(figure(), Line::AtMost(3.0)));
        assert!(!reached(figure(), Line::AtMost(2.9)));
        assert!(reached(figure(), Line::AtLeast(3.0)));
        assert!(!reached(figure(), Line::AtLeast(3.1)));
    }

    #[test]
    fn sides_are_compared_within_each_round() {
        // The machine became ten times slower for both: what counts is that ours is twice theirs.
        let sides = || {
            vec![
                Side::of("usher", &[2.0, 20.0, 200.0]),
                Side::of("floor", &[1.0, 10.0, 100.0]),
            ]
        };
        let figure = || Figure::new("x", Unit::Nanoseconds, sides());
        let (most, least, _) = times("floor", 2.0);
        assert!(reached(figure(), most));
        assert!(reached(figure(), least));
        let (most, ..) = times("floor", 1.9);
        let (_, least, _) = times("floor", 2.1);
        assert!(!reached(figure(), most));
        assert!(!reached(figure(), least));
        let (.., faster) = times("floor", 0.5);
        assert!(reached(figure(), faster));
        let (.., faster) = times("floor", 0.6);
        assert!(!reached(figure(), faster));
    }

    #[test]
    fn what_was_not_measured_is_missed() {
        let figure = || Figure::new("x", Unit::Count, vec![Side::of("usher", &[1.0])]);
        let (most, least, faster) = times("nobody", 1.0);
        for line in [most, least, faster] {
            assert!(!reached(figure(), line));
        }
        let empty = Figure::new("x", Unit::Count, Vec::new()).line(Line::AtMost(1.0));
        let verdicts = judge(&empty);
        assert!(
            verdicts[0].sentence().contains("not measured"),
            "{verdicts:?}"
        );
        let none = [Side::of("usher", &[1.0]), Side::of("floor", &[0.0])];
        assert_eq!(ratio(&none[0], &none[1]), None);
    }
}
