//! The sessions of one core, found by number, request, identity, token and endpoint.

use super::player::Player;
use super::token::SessionToken;
use crate::by_number::{ByNumber, Numbers};
use crate::id::{DoorId, RequestId, SessionId};
use crate::request::Abilities;
use crate::time::Moment;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;

/// Where a session plays from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// Nowhere yet.
    No,
    /// The connection that it logged in with, or one that another program keeps.
    Connection,
    /// A UDP endpoint.
    Endpoint(SocketAddr),
}

/// A session, from commit to end.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) player: Player,
    /// Where it logged in from.
    pub(crate) peer: SocketAddr,
    /// Whether it had shown that it receives what is sent there.
    pub(crate) proven: bool,
    /// The peer's own name for itself.
    pub(crate) name: Option<Arc<str>>,
    /// What its door can do.
    pub(crate) abilities: Abilities,
    /// When its request arrived.
    pub(crate) arrived: Moment,
    /// How many decisions were made about it, as a request and since.
    pub(crate) attempt: u32,
    pub(crate) token: Option<SessionToken>,
    pub(crate) accepted: Moment,
    /// It took the place of a session of the same player.
    pub(crate) took_over: bool,
    /// The request that counts on its units.
    pub(crate) heir: Option<RequestId>,
    /// It has joined unless this is [`Bound::No`].
    pub(crate) bound: Bound,
}

/// All sessions.
#[derive(Default, Debug)]
pub(crate) struct Sessions {
    sessions: ByNumber<SessionId, Box<Session>>,
    by_request: ByNumber<RequestId, SessionId>,
    by_identity: HashMap<Arc<str>, Same>,
    /// Drawn by the host, so that nobody can choose them.
    tokens: Numbers<(DoorId, SessionToken)>,
    endpoints: HashMap<(DoorId, SocketAddr), SessionId>,
}

impl Sessions {
    pub(crate) fn insert(&mut self, session: Session) {
        let player = &session.player;
        let id = player.session;
        self.by_request.insert(player.request, id);
        if let Some(identity) = &player.identity {
            match self.by_identity.entry(identity.clone()) {
                Entry::Vacant(none) => drop(none.insert(Same::One(id))),
                Entry::Occupied(mut same) => same.get_mut().insert(id),
            }
        }
        if let Some(token) = session.token {
            self.tokens.insert((player.door, token));
        }
        self.sessions.insert(id, Box::new(session));
    }

    pub(crate) fn remove(&mut self, id: SessionId) -> Option<Session> {
        let session = self.sessions.remove(&id)?;
        let player = &session.player;
        self.by_request.remove(&player.request);
        if let Some(identity) = &player.identity
            && let Some(same) = self.by_identity.get_mut(identity)
            && same.remove(id)
        {
            self.by_identity.remove(identity);
        }
        if let Some(token) = session.token {
            self.tokens.remove(&(player.door, token));
        }
        if let Bound::Endpoint(endpoint) = session.bound {
            self.endpoints.remove(&(player.door, endpoint));
        }
        Some(*session)
    }

    pub(crate) fn get(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id).map(|session| &**session)
    }

    pub(crate) fn get_mut(&mut self, id: SessionId) -> Option<&mut Session> {
        self.sessions.get_mut(&id).map(|session| &mut **session)
    }

    pub(crate) fn of_request(&self, request: RequestId) -> Option<SessionId> {
        self.by_request.get(&request).copied()
    }

    pub(crate) fn of_identity(&self, identity: &str) -> Vec<SessionId> {
        self.same(identity).collect()
    }

    /// The sessions of an identity, the oldest first.
    fn same(&self, identity: &str) -> impl Iterator<Item = SessionId> {
        let (one, more) = match self.by_identity.get(identity) {
            None => (None, None),
            Some(Same::One(id)) => (Some(*id), None),
            Some(Same::More(ids)) => (None, Some(ids)),
        };
        one.into_iter().chain(more.into_iter().flatten().copied())
    }

    /// The session of an identity that was proven. There is one at most: it holds a unit of which there is
    /// one.
    pub(crate) fn of_proven(&self, identity: &str) -> Option<&Session> {
        let mut sessions = self.same(identity).filter_map(|id| self.get(id));
        sessions.find(|session| session.player.identity_proven)
    }

    pub(crate) fn has_token(&self, door: DoorId, token: SessionToken) -> bool {
        self.tokens.contains(&(door, token))
    }

    /// Gives a canonical endpoint to a session that has a token and no endpoint yet, if nobody else has
    /// it.
    pub(crate) fn bind(&mut self, id: SessionId, endpoint: SocketAddr) -> bool {
        let Some(session) = self.sessions.get_mut(&id) else {
            return false;
        };
        let place = (session.player.door, endpoint);
        if session.token.is_none()
            || session.bound != Bound::No
            || self.endpoints.contains_key(&place)
        {
            return false;
        }
        session.bound = Bound::Endpoint(endpoint);
        self.endpoints.insert(place, id);
        true
    }

    /// How many endpoints are bound.
    pub(crate) fn endpoints(&self) -> usize {
        self.endpoints.len()
    }

    /// All of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values().map(|session| &**session)
    }

    pub(crate) fn len(&self) -> usize {
        self.sessions.len()
    }

    /// All of them, the oldest first.
    pub(crate) fn ids(&self) -> Vec<SessionId> {
        let mut ids: Vec<_> = self.sessions.keys().copied().collect();
        ids.sort_unstable();
        ids
    }
}

/// The sessions of one identity. There is seldom more than one.
#[derive(Debug)]
enum Same {
    One(SessionId),
    More(BTreeSet<SessionId>),
}

impl Same {
    fn insert(&mut self, id: SessionId) {
        match self {
            Same::One(first) => *self = Same::More([*first, id].into()),
            Same::More(ids) => drop(ids.insert(id)),
        }
    }

    /// Takes one out. Returns whether none is left.
    fn remove(&mut self, id: SessionId) -> bool {
        match self {
            Same::One(only) => *only == id,
            Same::More(ids) => {
                ids.remove(&id);
                ids.is_empty()
            }
        }
    }
}
