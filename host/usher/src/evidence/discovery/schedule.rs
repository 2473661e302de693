//! When a heartbeat is due. It reads no clock and sends nothing: what happened and when goes in, when to send
//! next comes out.

use std::time::Duration;

/// Between two heartbeats, and how much earlier or later one may be.
const CADENCE: Duration = Duration::from_secs(30);
const JITTER: Duration = Duration::from_secs(3);

/// After the first, second, third and any further failure in a row.
const RETRIES: [Duration; 3] = [
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(20),
];

/// The shortest and the longest wait that the directory can ask for.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Between two heartbeats at least, however often the number of players changes.
const APART: Duration = Duration::from_secs(5);

/// What came of a heartbeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The server is listed.
    Accepted,
    /// Nothing that can be believed came.
    Failed,
    /// Not now: not before so long from now.
    NotBefore(Duration),
    /// Not so: a token or a setting is wrong, and may be put right over there.
    Refused,
    /// Never again.
    Over,
}

/// When the next heartbeat is due.
#[derive(Debug)]
pub(super) struct Schedule {
    next: Next,
    /// Failures in a row.
    failures: usize,
    /// When the last one was sent, and with how many players.
    sent: Option<(Duration, u32)>,
    players: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    /// At this time.
    At(Duration),
    /// At this time, or earlier if the number of players changes.
    ListedUntil(Duration),
    /// One is under way.
    Answer,
    /// None.
    Never,
}

impl Schedule {
    /// The first is due at once. Times are since any one moment.
    pub(super) fn new(now: Duration, players: u32) -> Schedule {
        Schedule {
            next: Next::At(now),
            failures: 0,
            sent: None,
            players,
        }
    }

    /// So many play now.
    pub(super) fn players(&mut self, players: u32) {
        self.players = players;
    }

    /// When to call [`Schedule::send`]; `None` while one is under way, and for ever once it is over.
    pub(super) fn due(&self) -> Option<Duration> {
        match (self.next, self.sent) {
            (Next::At(at), _) => Some(at),
            (Next::ListedUntil(at), Some((sent, players))) if players != self.players => {
                Some(at.min(sent + APART))
            }
            (Next::ListedUntil(at), _) => Some(at),
            (Next::Answer | Next::Never, _) => None,
        }
    }

    /// Whether there will never be another.
    pub(super) fn is_over(&self) -> bool {
        self.next == Next::Never
    }

    /// A heartbeat is sent now, with as many players as this says.
    pub(super) fn send(&mut self, now: Duration) -> u32 {
        self.next = Next::Answer;
        self.sent = Some((now, self.players));
        self.players
    }

    /// What came of the one under way; `jitter` is a number from 0 to 1 that nobody can foresee.
    pub(super) fn answered(&mut self, outcome: Outcome, now: Duration, jitter: f64) {
        let sent = self.sent.map_or(now, |(sent, _)| sent);
        let regular = CADENCE - JITTER + (JITTER * 2).mul_f64(jitter.clamp(0.0, 1.0));
        let regular = (sent + regular).max(now);
        let failures = std::mem::take(&mut self.failures);
        self.next = match outcome {
            Outcome::Accepted => Next::ListedUntil(regular),
            Outcome::Refused => Next::At(regular),
            Outcome::NotBefore(wait) => Next::At(now + wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)),
            Outcome::Over => Next::Never,
            Outcome::Failed => {
                self.failures = failures + 1;
                let last = RETRIES.len() - 1;
                // It is below their number.
                Next::At(now + RETRIES[failures.min(last)])
            }
        };
    }
}

#[cfg(test)]
mod tests;
