//! Players of the game server's own machine: they need no approval, hold no seat and are in no count. That
//! they are listed is all there is to them.

use crate::doors::http::api::{Session, SessionState};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Digest, Moment};

/// The most that there are at a time: a machine has few players of its own.
const MOST: usize = 16;

/// How long the key of one that has ended is kept at least, and the most that are: a call that comes late begins
/// no other session.
const KEPT: Duration = Duration::from_secs(20);
const MOST_KEPT: usize = 256;

/// The local sessions, by number.
#[derive(Default)]
pub(super) struct Locals {
    known: BTreeMap<u64, Local>,
    /// The keys of those that have ended.
    ended: VecDeque<(Moment, Digest)>,
    last: u64,
}

struct Local {
    key: Digest,
    name: Arc<str>,
    since: Moment,
}

/// Why there is no local session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::doors::http) enum NotLocal {
    /// The key was used with another name.
    Reused,
    /// There are enough.
    Full,
    /// The one that had this key has ended.
    Over,
}

impl Locals {
    /// A local session of this name, or the one that has this key; its number.
    pub(super) fn begin(
        &mut self,
        key: Digest,
        name: Arc<str>,
        now: Moment,
    ) -> Result<u64, NotLocal> {
        if let Some((number, known)) = self.known.iter().find(|(_, known)| known.key == key) {
            return match known.name == name {
                true => Ok(*number),
                false => Err(NotLocal::Reused),
            };
        }
        if self.ended.iter().any(|(_, ended)| *ended == key) {
            return Err(NotLocal::Over);
        }
        if self.known.len() == MOST {
            return Err(NotLocal::Full);
        }
        self.last += 1;
        let since = now;
        self.known.insert(self.last, Local { key, name, since });
        Ok(self.last)
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.known.contains_key(&number)
    }

    /// Forgets one. False if there is none of this number.
    pub(super) fn end(&mut self, number: u64, now: Moment) -> bool {
        let Some(local) = self.known.remove(&number) else {
            return false;
        };
        if self.ended.len() == MOST_KEPT {
            self.ended.pop_front();
        }
        self.ended.push_back((now, local.key));
        true
    }

    /// Forgets all, and every key: their numbers.
    pub(super) fn clear(&mut self) -> Vec<u64> {
        self.ended.clear();
        let all = std::mem::take(&mut self.known);
        all.into_keys().collect()
    }

    /// Forgets keys that were kept for long enough.
    pub(super) fn sweep(&mut self, now: Moment) {
        let is_old = |(at, _): &mut (Moment, Digest)| now >= at.after(KEPT);
        while self.ended.pop_front_if(is_old).is_some() {}
    }

    pub(super) fn count(&self) -> u32 {
        // There are few.
        u32::try_from(self.known.len()).unwrap_or(u32::MAX)
    }

    /// All of them, the oldest first; `name` names one.
    pub(super) fn list(
        &self,
        name: impl Fn(u64) -> String,
        room: &str,
        now: Moment,
    ) -> Vec<Session> {
        let numbers = self.known.keys();
        let shown = numbers.filter_map(|number| self.shown(*number, name(*number), room, now));
        shown.collect()
    }

    /// One as the game server sees it, under this name.
    pub(super) fn shown(
        &self,
        number: u64,
        session: String,
        room: &str,
        now: Moment,
    ) -> Option<Session> {
        let known = self.known.get(&number)?;
        Some(Session {
            session,
            state: SessionState::Local,
            name: known.name.to_string(),
            room: room.to_owned(),
            number: None,
            age_ms: u64::try_from(now.since(known.since).as_millis()).unwrap_or(u64::MAX),
        })
    }
}
