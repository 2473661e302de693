//! Players who are in no session, for they were let in while this host ended it: a request decides by what is
//! known when it asks, and the end may begin before it gets in. No IO.

use super::backoff::Backoff;
use std::time::Duration;
use tokio::time::Instant;

/// How long after the end of a session someone may come in who takes it for open. A ticket is decided within
/// 10 s, and telling the endpoint takes 5 s at most.
const DECIDED_WITHIN: Duration = Duration::from_secs(15);

/// What is to be done for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    /// Whether this is the first that is seen of them.
    pub(super) first: bool,
    /// Whether their session was claimed, so that another may be.
    pub(super) claim: bool,
}

/// Who came late to the session that was ended last, while there is none.
#[derive(Default)]
pub(super) struct Late {
    /// Whether it was claimed by this host, and when it was over.
    ended: Option<(bool, Instant)>,
    /// When they are to be seen to.
    due: Option<Instant>,
    seen: bool,
    backoff: Backoff,
}

impl Late {
    /// A session was ended by this host.
    pub(super) fn ended(&mut self, ours: bool, now: Instant) {
        self.ended = Some((ours, now));
    }

    /// Someone is in who was not when the end began.
    pub(super) fn came(&mut self, now: Instant) {
        let late = |(_, at)| now.saturating_duration_since(at) <= DECIDED_WITHIN;
        if !self.seen && self.ended.is_some_and(late) {
            self.due = Some(now);
        }
    }

    /// Nobody is in any more.
    pub(super) fn left(&mut self) {
        let ended = self.ended;
        *self = Late {
            ended,
            ..Late::default()
        };
    }

    /// When they are to be seen to.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// What is to be done for them now.
    pub(super) fn take(&mut self, now: Instant) -> Option<Seen> {
        if self.due? > now {
            return None;
        }
        let first = !std::mem::replace(&mut self.seen, true);
        let (claim, _) = self.ended?;
        // Again after a while, should no session come of it.
        self.due = claim.then(|| now + self.backoff.next());
        Some(Seen { first, claim })
    }
}
