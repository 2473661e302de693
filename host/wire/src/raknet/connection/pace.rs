//! How much may be under way at once, and how long to wait for an acknowledgement.

/// Datagrams that may be unacknowledged: at first, after single losses at least if it was more, after silence,
/// and at most.
///
/// The least is more than a game has under way that sends small updates 60 times a second around the world:
/// losses of its own datagrams must not make it slower than that.
const FIRST_WINDOW: u16 = 16;
const LEAST_WINDOW: u16 = 32;
const SILENT_WINDOW: u16 = 4;
const MAX_WINDOW: u16 = 256;

/// Waits, in nanoseconds: before anything is known, the shortest and the longest.
const FIRST_WAIT: u64 = 500_000_000;
const MIN_WAIT: u64 = 300_000_000;
const MAX_WAIT: u64 = 2_000_000_000;

/// What the peer may hold an acknowledgement back for.
const PEER_DELAY: u64 = 30_000_000;

/// The round trip and the window of one direction.
#[derive(Debug)]
pub(super) struct Pace {
    /// Smoothed round trip and its deviation, 0 before the first acknowledgement.
    trip: u64,
    deviation: u64,
    /// How often the wait was doubled.
    doubled: u8,
    window: u16,
    /// Below it the window grows by each acknowledgement, above it once a window.
    threshold: u16,
    /// Acknowledgements towards the next growth above the threshold.
    credit: u16,
    /// Losses of datagrams below this number were answered already.
    answered: u64,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            trip: 0,
            deviation: 0,
            doubled: 0,
            window: FIRST_WINDOW,
            threshold: MAX_WINDOW,
            credit: 0,
            answered: 0,
        }
    }

    /// Datagrams that may be unacknowledged.
    pub(super) fn window(&self) -> u16 {
        self.window
    }

    /// The smoothed round trip in nanoseconds, once one was measured.
    pub(super) fn trip(&self) -> Option<u64> {
        (self.trip > 0).then_some(self.trip)
    }

    /// How long to wait for an acknowledgement, in nanoseconds.
    pub(super) fn wait(&self) -> u64 {
        let wait = if self.trip == 0 {
            FIRST_WAIT
        } else {
            self.trip
                .saturating_add(4 * self.deviation)
                .saturating_add(PEER_DELAY)
                .clamp(MIN_WAIT, MAX_WAIT)
        };
        (wait << self.doubled).min(MAX_WAIT)
    }

    /// Datagrams were acknowledged, the newest of them after this long.
    pub(super) fn acknowledged(&mut self, datagrams: u16, trip: u64, window_was_used: bool) {
        self.doubled = 0;
        let trip = trip.clamp(1, MAX_WAIT);
        if self.trip == 0 {
            self.trip = trip;
            self.deviation = trip / 2;
        } else {
            self.deviation = (3 * self.deviation + self.trip.abs_diff(trip)) / 4;
            self.trip = (7 * self.trip + trip) / 8;
        }
        if !window_was_used {
            return;
        }
        if self.window < self.threshold {
            self.window = (self.window + datagrams).min(self.threshold);
        } else {
            self.credit += datagrams;
            if self.credit >= self.window {
                self.credit -= self.window;
                self.window += 1;
            }
        }
        self.window = self.window.min(MAX_WINDOW);
    }

    /// The peer misses this datagram. One step back a round trip, however many it misses.
    pub(super) fn missed(&mut self, datagram: u64, next: u64) {
        if datagram >= self.answered {
            self.answered = next;
            self.threshold = (self.window / 2).max(LEAST_WINDOW);
            self.window = self.window.min(self.threshold);
            self.credit = 0;
        }
    }

    /// Nothing was heard of what is under way.
    pub(super) fn timed_out(&mut self, next: u64) {
        // Doubled three times, the shortest wait is above the longest.
        self.doubled = (self.doubled + 1).min(3);
        self.answered = next;
        self.threshold = (self.window / 2).max(LEAST_WINDOW);
        self.window = SILENT_WINDOW;
        self.credit = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_wait_doubles_up_to_two_seconds_and_an_acknowledgement_ends_that() {
        let mut pace = Pace::new();
        let mut waits = vec![pace.wait() / MS];
        for _ in 0..4 {
            pace.timed_out(0);
            waits.push(pace.wait() / MS);
        }
        assert_eq!(waits, [500, 1000, 2000, 2000, 2000]);
        pace.acknowledged(1, 20 * MS, false);
        assert_eq!(pace.wait() / MS, 300);
        pace.timed_out(0);
        assert_eq!(pace.wait() / MS, 600);
    }

    #[test]
    fn a_slow_peer_is_waited_for() {
        let mut pace = Pace::new();
        for _ in 0..100 {
            pace.acknowledged(1, 600 * MS, false);
        }
        assert_eq!(pace.trip().map(|trip| trip / MS), Some(600));
        assert!((630..700).contains(&(pace.wait() / MS)), "{}", pace.wait());
        pace.acknowledged(1, u64::MAX, false);
        assert!(pace.wait() <= MAX_WAIT);
    }

    #[test]
    fn the_window_grows_while_it_is_used_and_never_above_its_most() {
        let mut pace = Pace::new();
        pace.acknowledged(16, MS, false);
        assert_eq!(pace.window(), 16);
        pace.acknowledged(16, MS, true);
        assert_eq!(pace.window(), 32);
        for _ in 0..1000 {
            pace.acknowledged(pace.window(), MS, true);
        }
        assert_eq!(pace.window(), 256);
    }

    #[test]
    fn a_loss_halves_the_window_once_a_round_trip() {
        let mut pace = Pace::new();
        pace.acknowledged(112, MS, true);
        assert_eq!(pace.window(), 128);
        pace.missed(100, 228);
        pace.missed(101, 228);
        assert_eq!(pace.window(), 64);
        pace.missed(228, 292);
        assert_eq!(pace.window(), 32);
        // And grows by one a window from there.
        pace.acknowledged(31, MS, true);
        assert_eq!(pace.window(), 32);
        pace.acknowledged(1, MS, true);
        assert_eq!(pace.window(), 33);
        for datagram in 0..20 {
            pace.missed(1000 + datagram, 1001 + datagram);
        }
        assert_eq!(pace.window(), 32, "never less");
    }

    #[test]
    fn losses_at_the_start_leave_the_window_as_it_is() {
        let mut pace = Pace::new();
        pace.missed(3, 16);
        assert_eq!(pace.window(), 16);
        pace.acknowledged(15, MS, true);
        assert_eq!(pace.window(), 31);
    }

    #[test]
    fn silence_leaves_four_and_an_answer_brings_the_window_back() {
        let mut pace = Pace::new();
        pace.timed_out(10);
        assert_eq!(pace.window(), 4);
        pace.missed(20, 21);
        assert_eq!(pace.window(), 4);
        for _ in 0..7 {
            pace.acknowledged(4, MS, true);
        }
        assert_eq!(pace.window(), 32);
        pace.acknowledged(31, MS, true);
        assert_eq!(pace.window(), 32, "by one a window from there");
    }
}
