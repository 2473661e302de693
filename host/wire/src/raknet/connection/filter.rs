//! Tells new message numbers from those that came before.

use super::super::number::{self, FIRST};

/// A number this far above the lowest missing one is not believed.
const MAX_AHEAD: u64 = 1_000_000;

/// Runs of numbers above the lowest missing one. A peer with 512 unacknowledged messages, the most that it may
/// have, makes 256 at worst.
const MAX_RUNS: usize = 256;

/// What a message number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Novelty {
    /// Not seen before.
    New(u64),
    /// A duplicate.
    Seen,
    /// Not now: too many numbers are missing below it.
    Later,
    /// Not to be believed.
    TooFar,
}

/// The message numbers that one direction has seen.
#[derive(Debug)]
pub(super) struct Filter {
    /// The lowest number that is missing.
    missing: u64,
    /// What was seen above it: first number and the one after the last, ascending, never touching.
    runs: Vec<(u64, u64)>,
}

impl Filter {
    pub(super) fn new() -> Self {
        Self {
            missing: FIRST,
            runs: Vec::new(),
        }
    }

    pub(super) fn check(&self, raw: u32) -> Novelty {
        let number = number::extend(raw, self.missing);
        if number < self.missing {
            return Novelty::Seen;
        }
        if number - self.missing > MAX_AHEAD {
            return Novelty::TooFar;
        }
        let at = self.after(number);
        let before = at.checked_sub(1).map(|before| self.runs[before].1);
        if before.is_some_and(|end| number < end) {
            return Novelty::Seen;
        }
        let joins = number == self.missing
            || before == Some(number)
            || self.runs.get(at).is_some_and(|run| run.0 == number + 1);
        if joins || self.runs.len() < MAX_RUNS {
            Novelty::New(number)
        } else {
            Novelty::Later
        }
    }

    /// Whether this is the lowest number that is missing.
    pub(super) fn is_lowest(&self, number: u64) -> bool {
        number == self.missing
    }

    /// Remembers a number that [`check`](Self::check) called new.
    pub(super) fn record(&mut self, number: u64) {
        if number == self.missing {
            self.missing += 1;
            if self.runs.first().is_some_and(|run| run.0 == self.missing) {
                self.missing = self.runs.remove(0).1;
                if self.runs.is_empty() {
                    self.runs = Vec::new();
                }
            }
            return;
        }
        let at = self.after(number);
        let joins_next = self.runs.get(at).is_some_and(|run| run.0 == number + 1);
        let joins_previous = at > 0 && self.runs[at - 1].1 == number;
        match (joins_previous, joins_next) {
            (true, true) => {
                let (_, end) = self.runs.remove(at);
                self.runs[at - 1].1 = end;
            }
            (true, false) => self.runs[at - 1].1 = number + 1,
            (false, true) => self.runs[at].0 = number,
            (false, false) => self.runs.insert(at, (number, number + 1)),
        }
    }

    /// The first run that begins above this number.
    fn after(&self, number: u64) -> usize {
        match self.runs.last() {
            Some(last) if last.0 <= number => self.runs.len(),
            _ => self.runs.partition_point(|run| run.0 <= number),
        }
    }

    /// Heap bytes.
    pub(super) fn memory(&self) -> usize {
        self.runs.capacity() * size_of::<(u64, u64)>()
    }

    /// For tests of what happens when numbers wrap.
    pub(super) fn count_from(&mut self, number: u64) {
        self.missing = number;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn see(filter: &mut Filter, raw: u32) -> bool {
        match filter.check(raw) {
            Novelty::New(number) => {
                filter.record(number);
                true
            }
            _ => false,
        }
    }

    #[test]
    fn every_number_is_new_once_in_any_order() {
        // Steps through 0..512 in an order that makes many runs; 167 and 512 have no common divisor.
        let mut filter = Filter::new();
        let mut seen = HashSet::new();
        for step in 0..512u32 {
            let number = step * 167 % 512;
            assert!(see(&mut filter, number), "{number}");
            seen.insert(number);
            for number in 0..512 {
                assert_eq!(
                    filter.check(number) == Novelty::Seen,
                    seen.contains(&number),
                    "{number} after {step}"
                );
            }
        }
        assert_eq!((filter.missing, filter.memory()), (FIRST + 512, 0));
    }

    #[test]
    fn numbers_wrap() {
        let mut filter = Filter::new();
        filter.count_from(FIRST + 0xff_fffe);
        for raw in [0xff_ffff, 1, 0xff_fffe, 0] {
            assert!(see(&mut filter, raw), "{raw:x}");
            assert!(!see(&mut filter, raw), "{raw:x}");
        }
        assert_eq!(filter.missing, 2 * FIRST + 2);
    }

    #[test]
    fn more_than_a_million_ahead_is_not_believed() {
        let filter = Filter::new();
        assert_eq!(filter.check(1_000_000), Novelty::New(FIRST + 1_000_000));
        assert_eq!(filter.check(1_000_001), Novelty::TooFar);
    }

    #[test]
    fn holes_are_bounded_and_what_fills_them_is_always_taken() {
        let mut filter = Filter::new();
        for odd in 0..MAX_RUNS as u32 {
            assert!(see(&mut filter, 2 * odd + 1));
        }
        let most = filter.memory();
        assert_eq!(filter.check(900), Novelty::Later);
        for even in 0..=MAX_RUNS as u32 {
            assert!(see(&mut filter, 2 * even));
        }
        assert!(most <= 4096 && filter.memory() == 0);
        assert!(see(&mut filter, 900));
    }
}
