//! Datagrams that are dropped, counted by cause.

use crate::metrics;
use std::sync::Arc;
use std::time::Duration;
use usher_core::Moment;

/// Why a datagram is dropped. One word each, for the metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Shorter than a header, another magic, or session 0.
    Stray,
    /// Names a session and is invalid, and does not come from that session's endpoint.
    Invalid,
    /// A Connect whose token is nobody's.
    UnknownToken,
    /// A Connect from an address that is limited because it guessed before.
    Limited,
    /// A Connect for a session that is bound to another endpoint.
    BoundElsewhere,
    /// A Connect that came while the one before it is being bound.
    Binding,
    /// From an endpoint that is bound to a session of another token.
    OtherToken,
    /// From an endpoint that is not bound.
    Unbound,
    /// Its number was received before.
    Duplicate,
    /// So old that nobody can tell whether it was received before.
    TooOld,
    /// Its session is about to end.
    Ending,
    /// The rules cannot keep up, or there are none.
    RulesBusy,
    /// To a player: nobody is bound there any more.
    NobodyThere,
    /// To a player: longer than the protocol carries.
    TooLong,
    /// To a player: too many datagrams wait to be sent.
    QueueFull,
    /// To a player: the system did not take it.
    SendFailed,
}

impl Cause {
    const ALL: [Cause; 16] = [
        Cause::Stray,
        Cause::Invalid,
        Cause::UnknownToken,
        Cause::Limited,
        Cause::BoundElsewhere,
        Cause::Binding,
        Cause::OtherToken,
        Cause::Unbound,
        Cause::Duplicate,
        Cause::TooOld,
        Cause::Ending,
        Cause::RulesBusy,
        Cause::NobodyThere,
        Cause::TooLong,
        Cause::QueueFull,
        Cause::SendFailed,
    ];

    fn word(self) -> &'static str {
        match self {
            Cause::Stray => "stray",
            Cause::Invalid => "invalid",
            Cause::UnknownToken => "unknown-token",
            Cause::Limited => "limited",
            Cause::BoundElsewhere => "bound-elsewhere",
            Cause::Binding => "binding",
            Cause::OtherToken => "other-token",
            Cause::Unbound => "unbound",
            Cause::Duplicate => "duplicate",
            Cause::TooOld => "too-old",
            Cause::Ending => "ending",
            Cause::RulesBusy => "rules-busy",
            Cause::NobodyThere => "nobody-there",
            Cause::TooLong => "too-long",
            Cause::QueueFull => "queue-full",
            Cause::SendFailed => "send-failed",
        }
    }
}

/// This many guesses of tokens within the window are worth a line in the log, whoever makes them: with
/// forged addresses no single one is ever limited.
const ALARM: u64 = 1_000;
const ALARM_WINDOW: Duration = Duration::from_secs(10);

/// A door's drops that the metrics do not know yet. Counting costs an addition, so that a flood does
/// not cost more; they are handed on now and then.
pub(super) struct Drops {
    door: Arc<str>,
    counts: [u64; Cause::ALL.len()],
    guesses: u64,
    window_began: Moment,
    alarmed: bool,
}

impl Drops {
    pub(super) fn new(door: Arc<str>, now: Moment) -> Drops {
        Drops {
            door,
            counts: [0; Cause::ALL.len()],
            guesses: 0,
            window_began: now,
            alarmed: false,
        }
    }

    pub(super) fn count(&mut self, cause: Cause) {
        self.count_many(cause, 1);
    }

    pub(super) fn count_many(&mut self, cause: Cause, how_many: u64) {
        self.counts[cause as usize] += how_many;
    }

    pub(super) fn any(&self) -> bool {
        self.counts.iter().any(|count| *count > 0)
    }

    /// Hands on what was counted.
    pub(super) fn flush(&mut self, now: Moment) {
        self.watch_guesses(now);
        for cause in Cause::ALL {
            let count = std::mem::take(&mut self.counts[cause as usize]);
            if count > 0 {
                metrics::datagrams_dropped(&self.door, cause.word(), count);
            }
        }
    }

    fn watch_guesses(&mut self, now: Moment) {
        if now >= self.window_began.after(ALARM_WINDOW) {
            self.alarmed &= self.guesses >= ALARM;
            self.guesses = 0;
            self.window_began = now;
        }
        let of = |cause: Cause| self.counts[cause as usize];
        self.guesses += of(Cause::UnknownToken) + of(Cause::Limited);
        if self.guesses >= ALARM && !self.alarmed {
            self.alarmed = true;
            tracing::warn!(
                door = &*self.door,
                guesses = self.guesses,
                "someone guesses session tokens over UDP; none of it is answered, and sessions are \
                 safe unless it goes on at far higher rates"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_a_place_and_a_word_of_its_own() {
        for (place, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, place);
            let same = Cause::ALL
                .iter()
                .filter(|other| other.word() == cause.word());
            assert_eq!(same.count(), 1, "{cause:?}");
        }
    }

    #[test]
    fn what_was_handed_on_is_not_counted_again() {
        let mut drops = Drops::new("main".into(), Moment::ZERO);
        assert!(!drops.any());
        drops.count(Cause::Stray);
        assert!(drops.any());
        drops.flush(Moment::ZERO);
        assert!(!drops.any());
    }

    #[test]
    fn a_storm_of_guesses_alarms_once_until_it_is_over() {
        let mut drops = Drops::new("main".into(), Moment::ZERO);
        let mut storm = |from: u64, guesses: u64| {
            for _ in 0..guesses {
                drops.count(Cause::UnknownToken);
            }
            drops.flush(Moment::from_millis(from));
            drops.alarmed
        };
        assert!(!storm(0, 999));
        assert!(storm(1, 1));
        assert!(storm(10_001, 1_000), "it goes on");
        assert!(storm(20_001, 0), "the window before was one of storm");
        assert!(!storm(30_001, 0));
    }
}
