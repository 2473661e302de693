//! Log lines that anyone can cause, at any rate: said now and then, with how many were not said.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Says when such a line may be logged.
#[derive(Debug)]
pub struct Seldom {
    apart: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    said: Option<Instant>,
    unsaid: u64,
}

impl Seldom {
    /// At most one line in this time.
    pub fn new(apart: Duration) -> Seldom {
        let state = Mutex::default();
        Seldom { apart, state }
    }

    /// Whether the line may be logged now: then, how many were not since the last one that was.
    pub fn may_say(&self, now: Instant) -> Option<u64> {
        // Nothing panics between two steps that belong together.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let too_soon = |said| now.saturating_duration_since(said) < self.apart;
        if state.said.is_some_and(too_soon) {
            state.unsaid += 1;
            return None;
        }
        state.said = Some(now);
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
}
