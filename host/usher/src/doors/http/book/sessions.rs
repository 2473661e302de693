//! The sessions of a door: who is in, or may come in, by what the core said.

use crate::doors::http::api::{Ended, How, Session, SessionState};
use std::collections::{BTreeMap, HashMap};
use tokio::sync::watch;
use usher_core::{Grant, Moment, RequestId, SessionId};

/// The sessions.
#[derive(Default)]
pub(super) struct Sessions {
    known: BTreeMap<SessionId, Known>,
    by_request: HashMap<RequestId, SessionId>,
    confirmed: u32,
}

/// A session, until the core says that it is over.
pub(super) struct Known {
    pub(super) request: RequestId,
    name: String,
    room: String,
    number: Option<u32>,
    since: Moment,
    stage: watch::Sender<Stage>,
    /// What the door has it end as, where that is not the player's going.
    pub(super) ends: Option<How>,
}

/// Where a session stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::doors::http) enum Stage {
    /// It is not confirmed.
    Unconfirmed,
    /// The player is in.
    Confirmed,
    /// It has ended.
    Over(Ended),
}

impl Sessions {
    pub(super) fn insert(&mut self, request: RequestId, grant: &Grant, now: Moment) {
        self.by_request.insert(request, grant.session);
        let known = Known {
            request,
            name: grant.name.to_string(),
            room: grant.room.to_string(),
            number: grant.number,
            since: now,
            stage: watch::Sender::new(Stage::Unconfirmed),
            ends: None,
        };
        self.known.insert(grant.session, known);
    }

    /// The core took the confirmation.
    pub(super) fn confirmed(&mut self, request: RequestId) {
        let id = self.by_request.get(&request);
        if let Some(known) = id.and_then(|id| self.known.get(id)) {
            known.stage.send_replace(Stage::Confirmed);
            self.confirmed += 1;
        }
    }

    /// Takes out a session that is over.
    pub(super) fn remove(&mut self, id: SessionId) -> Option<Known> {
        let known = self.known.remove(&id)?;
        self.by_request.remove(&known.request);
        self.confirmed -= u32::from(known.is_confirmed());
        Some(known)
    }

    pub(super) fn get(&self, id: SessionId) -> Option<&Known> {
        self.known.get(&id)
    }

    pub(super) fn of_request(&self, request: RequestId) -> Option<&Known> {
        self.known.get(self.by_request.get(&request)?)
    }

    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Known> {
        self.known.values_mut()
    }

    /// How many wait to be confirmed, and how many are in.
    pub(super) fn count(&self) -> (u32, u32) {
        let all = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        (all - self.confirmed, self.confirmed)
    }

    /// All of them, the oldest first; `name` names one.
    pub(super) fn list(&self, name: impl Fn(SessionId) -> String, now: Moment) -> Vec<Session> {
        let known = self.known.iter();
        known
            .map(|(id, known)| known.shown(name(*id), now))
            .collect()
    }
}

impl Known {
    /// As the game server sees it, under this name.
    pub(super) fn shown(&self, session: String, now: Moment) -> Session {
        Session {
            session,
            state: match self.is_confirmed() {
                true => SessionState::Confirmed,
                false => SessionState::Unconfirmed,
            },
            name: self.name.clone(),
            room: self.room.clone(),
            number: self.number,
            age_ms: u64::try_from(now.since(self.since).as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(super) fn is_confirmed(&self) -> bool {
        *self.stage.borrow() == Stage::Confirmed
    }

    /// Sees where it stands.
    pub(super) fn watch(&self) -> watch::Receiver<Stage> {
        self.stage.subscribe()
    }

    /// Tells who watches how it ended.
    pub(super) fn over(self, ended: Ended) {
        self.stage.send_replace(Stage::Over(ended));
    }
}
