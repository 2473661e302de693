//! Whether a peer is still there.

use std::time::Duration;
use tokio::time::Instant;

/// Something that waits for the system for so long does not arrive any more.
const STUCK: Duration = Duration::from_secs(5);

/// Notes when a peer was heard of, and says when it is to be asked.
#[derive(Debug)]
pub(super) struct Pulse {
    interval: Duration,
    timeout: Duration,
    heard: Instant,
    received: u64,
    asked: Option<Instant>,
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Beat {
    /// Nothing yet.
    Wait,
    /// Ask whether it is there.
    Ask,
    /// It is not.
    Gone,
}

/// How a connection is at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// How many bytes have come in all.
    pub(super) received: u64,
    /// Whether what comes is read at all.
    pub(super) reads: bool,
    /// Since when something waits for the system to take it.
    pub(super) dirty: Option<Instant>,
}

impl Pulse {
    /// Of a connection over which so many bytes have come.
    pub(super) fn new(interval: Duration, timeout: Duration, received: u64, now: Instant) -> Pulse {
        Pulse {
            interval,
            timeout,
            heard: now,
            received,
            asked: None,
        }
    }

    /// When to look next.
    pub(super) fn due(&self, dirty: Option<Instant>) -> Instant {
        let due = match self.asked {
            Some(asked) => asked + self.timeout,
            None => self.heard + self.interval,
        };
        dirty.map_or(due, |dirty| due.min(dirty + STUCK))
    }

    /// So many bytes have come by now; the last of them just did.
    pub(super) fn note(&mut self, received: u64, now: Instant) {
        self.received = received;
        self.heard = now;
        self.asked = None;
    }

    /// Looks.
    pub(super) fn beat(&mut self, state: State, now: Instant) -> Beat {
        if state.dirty.is_some_and(|dirty| now >= dirty + STUCK) {
            return Beat::Gone;
        }
        // Whoever is not listened to cannot be heard.
        if state.received != self.received || !state.reads {
            self.note(state.received, now);
        }
        match self.asked {
            Some(asked) if now >= asked + self.timeout => Beat::Gone,
            None if now >= self.heard + self.interval => {
                self.asked = Some(now);
                Beat::Ask
            }
            _ => Beat::Wait,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: State = State {
        received: 0,
        reads: true,
        dirty: None,
    };

    #[test]
    fn a_peer_is_asked_when_it_is_silent_and_given_up_when_it_does_not_answer() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let seconds = Duration::from_secs;
        let mut pulse = Pulse::new(seconds(15), seconds(10), 0, start);
        assert_eq!(pulse.due(None), at(15_000));
        assert_eq!(pulse.beat(QUIET, at(14_999)), Beat::Wait);
        assert_eq!(pulse.beat(QUIET, at(15_000)), Beat::Ask);
        assert_eq!(pulse.due(None), at(25_000));
        assert_eq!(pulse.beat(QUIET, at(24_999)), Beat::Wait);
        let heard = State {
            received: 2,
            ..QUIET
        };
        assert_eq!(pulse.beat(heard, at(25_000)), Beat::Wait, "something came");
        assert_eq!(pulse.due(None), at(40_000));
        assert_eq!(pulse.beat(heard, at(40_000)), Beat::Ask);
        assert_eq!(pulse.beat(heard, at(50_000)), Beat::Gone);
    }

    #[test]
    fn who_is_not_listened_to_is_not_missed() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut pulse = Pulse::new(Duration::from_secs(15), Duration::from_secs(10), 0, start);
        let deaf = State {
            reads: false,
            ..QUIET
        };
        assert_eq!(pulse.beat(QUIET, at(15)), Beat::Ask);
        assert_eq!(pulse.beat(deaf, at(25)), Beat::Wait);
        assert_eq!(pulse.due(None), at(40));
    }

    #[test]
    fn what_does_not_get_out_means_that_nobody_takes_it() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut pulse = Pulse::new(Duration::from_secs(15), Duration::from_secs(10), 0, start);
        let stuck = State {
            received: 9,
            dirty: Some(at(2)),
            ..QUIET
        };
        assert_eq!(pulse.due(stuck.dirty), at(7));
        assert_eq!(pulse.beat(stuck, at(6)), Beat::Wait);
        assert_eq!(pulse.beat(stuck, at(7)), Beat::Gone);
    }
}
