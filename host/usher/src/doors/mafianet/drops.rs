//! What is dropped, counted by cause.

use crate::metrics;
use std::sync::Arc;

/// Why something is dropped. One word each, for the metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// For no connection, or nothing of this protocol.
    Stray,
    /// Of this protocol, but cannot be read.
    Malformed,
    /// A first request that is too short to make the answer to it harmless.
    Short,
    /// A cookie that is not of this address, or is too old.
    Cookie,
    /// A ping to which no answer may be sent.
    Limited,
    /// A ping that wants an answer only from a server that would admit a newcomer.
    Full,
    /// A request to connect that is being handled.
    Repeated,
    /// A message of the game from someone who is not in.
    Early,
    /// A message that its sender has no business to send.
    Ignored,
    /// What a peer has begun and does not end; the peer is given up.
    Unfinished,
    /// From a player whose session is over.
    Ending,
    /// From a player: longer than the operator allows.
    TooLong,
    /// The rules cannot keep up, or there are none.
    RulesBusy,
    /// To a player: nobody is there any more.
    NobodyThere,
    /// To a player: an id or a channel that is not for messages of the game.
    NotTheGames,
    /// To a player: too much waits for it already, or at the door.
    QueueFull,
    /// To anyone: the system did not take it.
    SendFailed,
}

const ALL: [(Cause, &str); 17] = [
    (Cause::Stray, "stray"),
    (Cause::Malformed, "malformed"),
    (Cause::Short, "short"),
    (Cause::Cookie, "cookie"),
    (Cause::Limited, "limited"),
    (Cause::Full, "full"),
    (Cause::Repeated, "repeated"),
    (Cause::Early, "early"),
    (Cause::Ignored, "ignored"),
    (Cause::Unfinished, "unfinished"),
    (Cause::Ending, "ending"),
    (Cause::TooLong, "too-long"),
    (Cause::RulesBusy, "rules-busy"),
    (Cause::NobodyThere, "nobody-there"),
    (Cause::NotTheGames, "not-the-games"),
    (Cause::QueueFull, "queue-full"),
    (Cause::SendFailed, "send-failed"),
];

/// A door's drops that the metrics do not know yet. Counting costs an addition, so that a flood does not
/// cost more; they are handed on now and then.
pub(super) struct Drops {
    door: Arc<str>,
    counts: [u64; ALL.len()],
}

impl Drops {
    pub(super) fn new(door: Arc<str>) -> Drops {
        Drops {
            door,
            counts: [0; ALL.len()],
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
    pub(super) fn flush(&mut self) {
        for (cause, word) in ALL {
            let count = std::mem::take(&mut self.counts[cause as usize]);
            if count > 0 {
                metrics::datagrams_dropped(&self.door, word, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_a_place_and_a_word_of_its_own() {
        for (place, (cause, word)) in ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, place);
            let same = ALL.iter().filter(|(_, other)| *other == word);
            assert_eq!(same.count(), 1, "{cause:?}");
        }
    }

    #[test]
    fn what_was_handed_on_is_not_counted_again() {
        let mut drops = Drops::new("main".into());
        assert!(!drops.any());
        drops.count(Cause::Stray);
        assert!(drops.any());
        drops.flush();
        assert!(!drops.any());
    }
}
