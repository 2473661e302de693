//! Log lines that anyone can cause, at any rate: said now and then, with how many were not said.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Says when such a line may be logged.
#[derive(Debug)]
pub struct Seldom {
    lines: u32,
    apart: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the first of the lines was said that count now, and how many were.
    since: Option<Instant>,
    said: u32,
    unsaid: u64,
}

impl Seldom {
    /// At most one line in this time.
    pub fn new(apart: Duration) -> Seldom {
        Seldom::several(1, apart)
    }

    /// At most so many lines in this time: for what is worth a line each time, unless it comes in thousands.
    pub fn several(lines: u32, apart: Duration) -> Seldom {
        let state = Mutex::default();
        Seldom {
            lines,
            apart,
            state,
        }
    }

    /// Whether the line may be logged now: then, how many were not since the last one that was.
    pub fn may_say(&self, now: Instant) -> Option<u64> {
        // Nothing panics between two steps that belong together.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let too_soon = |since| now.saturating_duration_since(since) < self.apart;
        if !state.since.is_some_and(too_soon) {
            (state.since, state.said) = (Some(now), 0);
        }
        if state.said == self.lines {
            state.unsaid += 1;
            return None;
        }
        state.said += 1;
        Some(std::mem::take(&mut state.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_said_once_in_a_while_and_none_goes_uncounted() {
        let seldom = Seldom::new(Duration::from_secs(1));
        let start = Instant::now();
        let say = |millis| seldom.may_say(start + Duration::from_millis(millis));
        assert_eq!(say(0), Some(0));
        assert_eq!((say(0), say(999)), (None, None));
        assert_eq!(say(1000), Some(2));
        assert_eq!(say(1001), None);
        assert_eq!(say(9000), Some(1));
    }

    #[test]
    fn several_lines_are_said_one_by_one_until_they_are_too_many() {
        let seldom = Seldom::several(2, Duration::from_secs(1));
        let start = Instant::now();
        let say = |millis| seldom.may_say(start + Duration::from_millis(millis));
        assert_eq!((say(0), say(900)), (Some(0), Some(0)));
        assert_eq!((say(950), say(999)), (None, None));
        assert_eq!((say(1000), say(1001), say(1002)), (Some(2), Some(0), None));
    }
}
