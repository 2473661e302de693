//! Whether a module may be called at once, on the thread of whoever asks. A module whose calls are short has
//! that right. One that is given up in the midst of a call, or whose calls are not short, loses it for a while,
//! and for twice as long each time until it has behaved for long enough.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use usher_core::Moment;

/// The longest that calls may take on average.
const SHORT: Duration = Duration::from_micros(50);

/// No single call counts for more than this many times as much: a thread that has to wait for a processor in the
/// midst of a call says nothing about the module.
const OUTLIER: u32 = 4;

/// The weight of the last call in the average.
const WEIGHT: u32 = 16;

/// The first pause.
const FIRST: Duration = Duration::from_millis(100);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(60);

/// After so many short calls in a row the next pause is the first one again.
const BEHAVED: u32 = 1_000;

/// The right of one generation.
#[derive(Default)]
pub(crate) struct Right(Mutex<State>);

#[derive(Default)]
struct State {
    average: Duration,
    in_a_row: u32,
    /// How long the last pause was.
    pause: Duration,
    until: Moment,
}

impl Right {
    /// Whether a call may be made at once.
    pub(crate) fn stands(&self, now: Moment) -> bool {
        now >= self.state().until
    }

    /// A call came to its end, after so long.
    pub(crate) fn took(&self, time: Duration, now: Moment) {
        let mut state = self.state();
        let time = time.min(OUTLIER * SHORT);
        state.average = (state.average * (WEIGHT - 1) + time) / WEIGHT;
        if state.average > SHORT {
            return state.lose(now);
        }
        state.in_a_row = state.in_a_row.saturating_add(1);
        if state.in_a_row == BEHAVED {
            state.pause = Duration::ZERO;
        }
    }

    /// A call was given up.
    pub(crate) fn given_up(&self, now: Moment) {
        self.state().lose(now);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn lose(&mut self, now: Moment) {
        let pause = (2 * self.pause).clamp(FIRST, LONGEST);
        *self = State {
            pause,
            until: now.after(pause),
            ..State::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::from_millis(millis)
    }

    fn calls(right: &Right, count: u32, micros: u64, now: Moment) {
        for _ in 0..count {
            right.took(Duration::from_micros(micros), now);
        }
    }

    #[test]
    fn short_calls_keep_it_and_a_rare_long_one_does_not_cost_it() {
        let right = Right::default();
        for _ in 0..50 {
            calls(&right, 30, 10, at(0));
            calls(&right, 1, 900, at(0));
            assert!(right.stands(at(0)));
        }
    }

    #[test]
    fn calls_that_are_long_on_average_cost_it_for_a_while() {
        let right = Right::default();
        let made = (0..100).take_while(|_| {
            calls(&right, 1, 60, at(0));
            right.stands(at(0))
        });
        assert!((10..50).contains(&made.count()));
        assert!(!right.stands(at(99)));
        assert!(right.stands(at(100)));
        calls(&right, 10, 60, at(100));
        assert!(right.stands(at(100)), "the average begins anew");
    }

    #[test]
    fn each_time_costs_it_for_longer_up_to_a_minute() {
        let right = Right::default();
        let mut now = 0;
        for pause in [
            100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000, 60_000,
        ] {
            assert!(right.stands(at(now)), "{pause}");
            right.given_up(at(now));
            assert!(!right.stands(at(now + pause - 1)), "{pause}");
            now += pause;
            calls(&right, BEHAVED - 1, 10, at(now));
        }
    }

    #[test]
    fn who_behaved_for_long_begins_again_with_a_short_pause() {
        let right = Right::default();
        right.given_up(at(0));
        right.given_up(at(1_000));
        calls(&right, BEHAVED, 10, at(2_000));
        right.given_up(at(2_000));
        assert!(right.stands(at(2_100)));
    }
}
