//! What all charts have in common: size, colours, text, and axes whose numbers are in one unit.

use plotters::prelude::*;

use super::super::unit::Unit;

/// In pixels, as far as an SVG has them.
pub(super) const WIDTH: u32 = 760;

/// Colours that can be told apart, also by those who see fewer of them; ours is the first.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
    RGBColor(110, 110, 110),
];

/// The colour of a side by its place.
pub(super) fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// Text of a size.
pub(super) fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size)
        .into_font()
        .color(&RGBColor(40, 40, 40))
}

/// What every figure of a chart is divided by, and what the quotient is called.
pub(super) fn scale(unit: Unit, largest: f64) -> (f64, &'static str) {
    let steps: &[(f64, &'static str)] = match unit {
        Unit::Nanoseconds => &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")],
        Unit::Bytes => &[
            (1_073_741_824.0, "GiB"),
            (1_048_576.0, "MiB"),
            (1024.0, "KiB"),
            (1.0, "bytes"),
        ],
        Unit::PerSecond => &[(1.0, "a second")],
        Unit::Ratio => &[(1.0, "times")],
        Unit::Percent => &[(1.0, "%")],
        Unit::Count => &[(1.0, "count")],
        Unit::Instructions => &[(1.0, "instructions")],
    };
    let fits = steps.iter().find(|(size, _)| largest >= *size);
    // Every list has an entry.
    *fits.or(steps.last()).unwrap_or(&(1.0, ""))
}

/// A number at an axis: short, whatever its size.
pub(super) fn tick(value: f64) -> String {
    let size = value.abs();
    let short = |value: f64, mark: &str| {
        let text = format!("{value:.1}");
        format!("{}{mark}", text.strip_suffix(".0").unwrap_or(&text))
    };
    match size {
        _ if size >= 1e6 => short(value / 1e6, "M"),
        _ if size >= 1e4 => short(value / 1e3, "k"),
        _ if size >= 10.0 || value == value.trunc() => format!("{value:.0}"),
        _ if size >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_an_axis_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (1.5, "1.5"),
            (512.0, "512"),
            (10_000.0, "10k"),
            (12_500.0, "12.5k"),
            (2e6, "2M"),
        ] {
            assert_eq!(tick(value), text);
        }
    }

    #[test]
    fn a_chart_is_in_the_unit_of_its_largest_figure() {
        assert_eq!(scale(Unit::Nanoseconds, 2.5e6), (1e6, "ms"));
        assert_eq!(scale(Unit::Nanoseconds, 0.0), (1.0, "ns"));
        assert_eq!(scale(Unit::PerSecond, 9e9), (1.0, "a second"));
    }
}
