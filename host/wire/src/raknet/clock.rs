//! How far the peer's clock is ahead of ours, by the fastest of the last pings.

use super::timestamp::{clock_ahead, our_time};

/// Pings that are remembered.
const PINGS: usize = 5;

/// What answered pings say about the peer's clock.
#[derive(Debug, Default)]
pub(super) struct PeerClock {
    /// A ring; made with the second ping, since most peers that wait answer only one.
    pings: Option<Box<[Ping; PINGS]>>,
    last: Ping,
    count: u8,
}

#[derive(Debug, Default, Clone, Copy)]
struct Ping {
    trip: u64,
    ahead: u64,
}

impl PeerClock {
    /// Takes note of an answer: when we asked, what the peer's clock said, and when it came, in milliseconds.
    /// One to a ping of the future is ignored: the peer made up when we asked.
    pub(super) fn answered(&mut self, sent: u64, theirs: u64, now: u64) {
        let Some(trip) = now.checked_sub(sent) else {
            return;
        };
        let ping = Ping {
            trip,
            ahead: clock_ahead(sent, theirs, now),
        };
        if self.count > 0 {
            let last = self.last;
            let pings = self.pings.get_or_insert_with(|| Box::new([last; PINGS]));
            pings[usize::from(self.count) % PINGS] = ping;
        }
        self.last = ping;
        // Counts on from where the ring is full, at the same place in it.
        self.count = match self.count {
            full if usize::from(full) == 2 * PINGS - 1 => PINGS as u8,
            count => count + 1,
        };
    }

    /// A time of the peer's clock on ours; as it is while nothing is known.
    pub(super) fn ours(&self, theirs: u64) -> u64 {
        let pings = self.pings.as_deref();
        let known = pings.map_or(std::slice::from_ref(&self.last), |pings| &pings[..]);
        let fastest = known.iter().min_by_key(|ping| ping.trip);
        our_time(theirs, fastest.map_or(0, |ping| ping.ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer that took this long, by a clock that seems to be this far ahead.
    fn ping(clock: &mut PeerClock, trip: u64, ahead: u64) {
        let sent = 1_000_000;
        clock.answered(sent, sent + trip / 2 + ahead, sent + trip);
    }

    #[test]
    fn the_fastest_of_the_last_five_pings_counts() {
        let mut clock = PeerClock::default();
        assert_eq!(clock.ours(777), 777, "nothing is known");
        ping(&mut clock, 40, 500);
        assert_eq!(clock.ours(777), 277);
        ping(&mut clock, 10, 510);
        assert_eq!(clock.ours(777), 267);
        for _ in 0..4 {
            ping(&mut clock, 20, 600);
            assert_eq!(clock.ours(777), 267);
        }
        ping(&mut clock, 20, 600);
        assert_eq!(clock.ours(777), 177, "the fast one was too long ago");
        for step in 0..20 {
            ping(&mut clock, 30, 700 + step);
        }
        assert!((58..=62).contains(&clock.ours(777)), "only new ones count");
    }

    #[test]
    fn an_answer_to_a_ping_of_the_future_is_ignored() {
        let mut clock = PeerClock::default();
        clock.answered(10, 5, 9);
        assert_eq!(clock.ours(777), 777);
    }
}
