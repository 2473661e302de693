//! Durations that were measured, and what is said of them.

use serde::Serialize;
use std::time::Duration;

/// What was measured in one phase. Every sample is kept: there are some ten thousands of them, and a
/// percentile of what is kept whole is exact.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    micros: Vec<u32>,
}

/// What is said of them, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) samples: usize,
    pub(crate) p50: u32,
    pub(crate) p99: u32,
    pub(crate) p999: u32,
    pub(crate) max: u32,
}

impl Samples {
    /// Adds one; more than an hour counts as an hour.
    pub(crate) fn add(&mut self, took: Duration) {
        self.micros
            .push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.micros.len()
    }

    /// What is to be said, or nothing where nothing was measured.
    pub(crate) fn spread(mut self) -> Option<Spread> {
        self.micros.sort_unstable();
        let last = self.micros.len().checked_sub(1)?;
        // The smallest sample that at least this share of all does not exceed.
        let at = |thousandths: usize| {
            let place = (self.micros.len() * thousandths).div_ceil(1000);
            self.micros[place.clamp(1, last + 1) - 1]
        };
        Some(Spread {
            samples: self.micros.len(),
            p50: at(500),
            p99: at(990),
            p999: at(999),
            max: self.micros[last],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(micros: impl IntoIterator<Item = u64>) -> Option<Spread> {
        let mut samples = Samples::default();
        for micros in micros {
            samples.add(Duration::from_micros(micros));
        }
        samples.spread()
    }

    #[test]
    fn percentiles_are_samples_and_not_in_between() {
        let all = spread((1..=1000).rev()).expect("there are samples");
        assert_eq!((all.p50, all.p99, all.p999, all.max), (500, 990, 999, 1000));
        let few = spread([7, 3]).expect("there are samples");
        assert_eq!((few.p50, few.p99, few.max), (3, 7, 7));
    }

    #[test]
    fn nothing_measured_says_nothing() {
        assert_eq!(spread([]), None);
    }
}
