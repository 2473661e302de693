//! What figures are counted in, and how they read.

use serde::{Deserialize, Serialize};

/// What a figure is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Unit {
    /// Something a second: more is better.
    PerSecond,
    /// Shown in what suits: ns, µs, ms or s.
    Nanoseconds,
    /// Shown in what suits: bytes, KiB, MiB.
    Bytes,
    /// One thing beside another.
    Ratio,
    /// Just a number.
    Count,
    /// Of a hundred.
    Percent,
    /// As callgrind counts them.
    Instructions,
}

impl Unit {
    /// For people: three digits that matter, and the unit.
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Unit::PerSecond => format!("{}/s", grouped(value)),
            Unit::Nanoseconds => {
                scaled(value, &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")])
            }
            Unit::Bytes => scaled(
                value,
                &[
                    (1.0, "bytes"),
                    (1024.0, "KiB"),
                    (1_048_576.0, "MiB"),
                    (1_073_741_824.0, "GiB"),
                ],
            ),
            Unit::Ratio if value.abs() < 0.1 => format!("{value:.3}x"),
            Unit::Ratio => format!("{value:.2}x"),
            Unit::Count | Unit::Instructions => grouped(value),
            Unit::Percent => format!("{value:.1} %"),
        }
    }
}

/// In the largest unit of which it is at least one.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let (size, name) = units
        .iter()
        .rev()
        .find(|(size, _)| value.abs() >= *size)
        .or(units.first())
        .copied()
        .unwrap_or((1.0, ""));
    format!("{} {name}", digits(value / size))
}

/// With as many decimals as leave three digits, and none where they would be noughts.
fn digits(value: f64) -> String {
    // A sum of nothing is -0, which nobody calls so.
    let value = value + 0.0;
    match value.abs() {
        it if it >= 100.0 || it == it.trunc() => format!("{value:.0}"),
        it if it >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Thousands apart; small ones with decimals.
fn grouped(value: f64) -> String {
    if value.abs() < 1000.0 {
        return digits(value);
    }
    let whole = format!("{:.0}", value.abs());
    let first = whole.len() % 3;
    let mut parts: Vec<&str> = Vec::new();
    if first > 0 {
        parts.push(&whole[..first]);
    }
    let mut rest = &whole[first..];
    while let Some((part, behind)) = rest
        .split_at_checked(3)
        .filter(|(part, _)| !part.is_empty())
    {
        parts.push(part);
        rest = behind;
    }
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", parts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_shown_in_what_suits() {
        assert_eq!(Unit::Nanoseconds.show(440.0), "440 ns");
        assert_eq!(Unit::Nanoseconds.show(1_999.0), "2.00 µs");
        assert_eq!(Unit::Nanoseconds.show(60e6), "60 ms");
        assert_eq!(Unit::Nanoseconds.show(0.27), "0.27 ns");
        assert_eq!(Unit::Bytes.show(2048.0), "2 KiB");
        assert_eq!(Unit::Bytes.show(-3.5 * 1_048_576.0), "-3.50 MiB");
    }

    #[test]
    fn large_counts_have_their_thousands_apart() {
        assert_eq!(Unit::Count.show(7.0), "7");
        assert_eq!(Unit::Count.show(-0.0), "0");
        assert_eq!(Unit::Count.show(999.5), "1000");
        assert_eq!(Unit::PerSecond.show(10_800.0), "10,800/s");
        assert_eq!(Unit::Instructions.show(-1_234_567.0), "-1,234,567");
        assert_eq!(Unit::Count.show(0.25), "0.25");
    }
}
