//! How far the server's clock is ahead of ours, by the pings that it answered.

use super::super::timestamp::{clock_ahead, our_time};

/// Answers that count: the fastest of them is the best guess.
const REMEMBERED: usize = 5;

/// The server's clock, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// Round trip and how far ahead, of the last pings; the next one goes to `next`.
    pings: [Option<(u64, u64)>; REMEMBERED],
    next: usize,
}

impl Clock {
    /// Takes note of an answer: when we asked, what the server's clock said, and when it came. All of them in
    /// milliseconds.
    pub(super) fn answered(&mut self, asked: u64, theirs: u64, now: u64) {
        // The server made up when we asked.
        let Some(trip) = now.checked_sub(asked) else {
            return;
        };
        self.pings[self.next % REMEMBERED] = Some((trip, clock_ahead(asked, theirs, now)));
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// A moment of the server's clock on ours. The same while no ping was answered.
    pub(super) fn ours(&self, theirs: u64) -> u64 {
        let fastest = self.pings.iter().flatten().min_by_key(|(trip, _)| *trip);
        our_time(theirs, fastest.map_or(0, |(_, ahead)| *ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_of_the_last_five_pings_counts() {
        let mut clock = Clock::default();
        assert_eq!(clock.ours(777), 777);
        clock.answered(100, 1_110, 120);
        // Slow, and most of it on one way.
        clock.answered(200, 1_290, 300);
        assert_eq!(clock.ours(2_000), 1_000);
        for ping in 0..5 {
            let asked = 10_000 + ping * 1_000;
            clock.answered(asked, asked + 520, asked + 40);
        }
        assert_eq!(clock.ours(2_000), 1_500);
    }

    #[test]
    fn an_answer_to_a_ping_of_the_future_is_ignored() {
        let mut clock = Clock::default();
        clock.answered(500, 1, 499);
        assert_eq!(clock.ours(42), 42);
    }
}
