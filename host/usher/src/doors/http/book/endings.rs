//! What has ended lately, in order, for game servers that read on where they stopped.

use crate::doors::http::api::{Ended, How};
use std::collections::VecDeque;
use tokio::sync::watch;

/// How many are kept. A game server that reads so seldom that more have ended compares lists.
const KEPT: usize = 1024;

/// The most that are told at once.
const AT_ONCE: usize = 256;

/// The endings, numbered from 1.
pub(super) struct Endings {
    kept: VecDeque<Ended>,
    last: watch::Sender<u64>,
    /// Up to which they were told to someone.
    told: u64,
}

/// Some of them.
#[derive(Debug)]
pub(in crate::doors::http) struct Read {
    /// In order.
    pub(in crate::doors::http) ended: Vec<Ended>,
    /// Where to read on.
    pub(in crate::doors::http) next: u64,
    /// Some that were asked for are not kept any more.
    pub(in crate::doors::http) missed: bool,
}

impl Endings {
    pub(super) fn new() -> Endings {
        Endings {
            kept: VecDeque::new(),
            last: watch::Sender::new(0),
            told: 0,
        }
    }

    /// Notes an ending.
    pub(super) fn note(&mut self, ended: Ended) {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(ended);
        self.last.send_modify(|last| *last += 1);
    }

    /// Sees the number of the last one.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    /// Those that came after this one; `None`: the reader does not know where it was.
    pub(super) fn after(&self, seen: Option<u64>) -> Read {
        let last = *self.last.borrow();
        let kept = u64::try_from(self.kept.len()).unwrap_or(u64::MAX);
        let oldest = last - kept;
        let from = seen.filter(|seen| (oldest..=last).contains(seen));
        let skip = usize::try_from(from.unwrap_or(oldest) - oldest).unwrap_or(usize::MAX);
        let ended = self.kept.iter().skip(skip).take(AT_ONCE);
        let ended: Vec<_> = ended.cloned().collect();
        Read {
            next: from.unwrap_or(oldest) + u64::try_from(ended.len()).unwrap_or(0),
            ended,
            missed: from.is_none() && (seen.is_some() || oldest > 0),
        }
    }

    /// How a session ended, if that is not long ago.
    pub(super) fn of(&self, session: &str) -> Option<&Ended> {
        // Mostly it has just ended.
        let mut kept = self.kept.iter().rev();
        kept.find(|ended| ended.session == session)
    }

    /// Someone was told all up to this one.
    pub(super) fn told(&mut self, until: u64) {
        self.told = self.told.max(until);
    }

    /// Whether nobody was told of some, beside those that the game server itself ended.
    pub(super) fn untold(&self) -> bool {
        let untold = *self.last.borrow() - self.told;
        let untold = usize::try_from(untold).unwrap_or(usize::MAX);
        let newest = self.kept.iter().rev().take(untold);
        newest.into_iter().any(|ended| !ended.how.is_own())
    }
}

impl How {
    /// Whether the game server did it, and so knows.
    fn is_own(self) -> bool {
        matches!(self, How::Left | How::Dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(count: u64) -> Endings {
        let mut endings = Endings::new();
        for number in 1..=count {
            endings.note(Ended {
                session: number.to_string(),
                how: How::Kicked,
                code: None,
                text: None,
            });
        }
        endings
    }

    fn read(endings: &Endings, seen: Option<u64>) -> (usize, u64, bool) {
        let read = endings.after(seen);
        (read.ended.len(), read.next, read.missed)
    }

    #[test]
    fn a_reader_reads_on_where_it_stopped_and_learns_what_it_missed() {
        let few = ended(3);
        assert_eq!(read(&few, None), (3, 3, false));
        assert_eq!(read(&few, Some(0)), (3, 3, false));
        assert_eq!(read(&few, Some(2)), (1, 3, false));
        assert_eq!(few.after(Some(2)).ended[0].session, "3");
        assert_eq!(read(&few, Some(3)), (0, 3, false));
        assert_eq!(read(&few, Some(4)), (3, 3, true), "of another run");
        let many = ended(2000);
        assert_eq!(read(&many, Some(975)), (256, 1232, true));
        assert_eq!(read(&many, Some(976)), (256, 1232, false));
        assert_eq!(many.after(Some(976)).ended[0].session, "977");
        assert_eq!(read(&many, None), (256, 1232, true));
        assert!(many.of("976").is_none() && many.of("977").is_some());
    }

    #[test]
    fn what_was_told_is_not_waited_for() {
        let mut endings = ended(2);
        assert!(endings.untold());
        endings.told(1);
        assert!(endings.untold());
        endings.told(2);
        endings.told(1);
        assert!(!endings.untold());
    }
}
