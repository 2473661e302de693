//! Players of the game server's own machine: they need no approval, hold no seat and are in no count. That
//! they are listed is all there is to them.

use crate::doors::http::api::{Session, SessionState};
use std::collections::BTreeMap;
use std::sync::Arc;
use usher_core::{Digest, Moment};

/// The most that there are at a time: a machine has few players of its own.
const MOST: usize = 16;

/// The local sessions, by number.
#[derive(Default)]
pub(super) struct Locals {
    known: BTreeMap<u64, Local>,
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
    pub(super) fn end(&mut self, number: u64) -> bool {
        self.known.remove(&number).is_some()
    }

    /// Forgets all: their numbers.
    pub(super) fn clear(&mut self) -> Vec<u64> {
        let all = std::mem::take(&mut self.known);
        all.into_keys().collect()
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
        let known = self.known.iter();
        known
            .map(|(number, known)| Session {
                session: name(*number),
                state: SessionState::Local,
                name: known.name.to_string(),
                room: room.to_owned(),
                number: None,
                age_ms: u64::try_from(now.since(known.since).as_millis()).unwrap_or(u64::MAX),
            })
            .collect()
    }
}
