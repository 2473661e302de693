//! The sessions of one core, found by number, request, identity, token and endpoint.

use super::player::Player;
use super::token::SessionToken;
use crate::by_choice::{ByChoice, Drawn};
use crate::by_number::spread;
use crate::id::{DoorId, RequestId, SessionId};
use crate::request::Abilities;
use crate::slab::{Place, Slab};
use crate::time::Moment;
use hashbrown::HashTable;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher as _;
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
    sessions: Slab<Session>,
    by_number: HashTable<Place>,
    by_request: HashTable<Place>,
    by_token: HashTable<Place>,
    by_endpoint: HashTable<Place>,
    by_identity: ByChoice<Arc<str>, Same>,
    /// What decides where the endpoints fall, which peers choose.
    drawn: Drawn,
}

impl Sessions {
    pub(crate) fn insert(&mut self, session: Session) {
        let player = &session.player;
        let (id, request, door) = (player.session, player.request, player.door);
        let (identity, token) = (player.identity.clone(), session.token);
        let Some(place) = self.sessions.insert(session) else {
            return;
        };
        if let Some(identity) = identity {
            match self.by_identity.entry(identity) {
                Entry::Vacant(none) => drop(none.insert(Same::One(id))),
                Entry::Occupied(mut same) => same.get_mut().insert(id),
            }
        }
        let Sessions { sessions, .. } = self;
        let of = |place: &Place| sessions.get(*place).map(|it| &it.player);
        let hash = |place: &Place| of(place).map_or(0, |it| spread(it.session));
        self.by_number.insert_unique(spread(id), place, hash);
        let hash = |place: &Place| of(place).map_or(0, |it| spread(it.request));
        self.by_request.insert_unique(spread(request), place, hash);
        if let Some(token) = token {
            let hash = |place: &Place| sessions.get(*place).map_or(0, Session::token_hash);
            let at = spread((door, token));
            self.by_token.insert_unique(at, place, hash);
        }
    }

    pub(crate) fn remove(&mut self, id: SessionId) -> Option<Session> {
        let place = take_out(&mut self.by_number, spread(id), |place| {
            self.sessions.get(*place).is_some_and(|it| it.is(id))
        })?;
        let session = self.sessions.remove(place)?;
        let player = &session.player;
        let here = |other: &Place| *other == place;
        take_out(&mut self.by_request, spread(player.request), here);
        if let Some(identity) = &player.identity
            && let Some(same) = self.by_identity.get_mut(identity)
            && same.remove(id)
        {
            self.by_identity.remove(identity);
        }
        if session.token.is_some() {
            take_out(&mut self.by_token, session.token_hash(), here);
        }
        if let Bound::Endpoint(endpoint) = session.bound {
            let at = self.drawn.hash_one((player.door, endpoint));
            take_out(&mut self.by_endpoint, at, here);
        }
        Some(session)
    }

    fn place(&self, id: SessionId) -> Option<Place> {
        let is = |place: &Place| self.sessions.get(*place).is_some_and(|it| it.is(id));
        self.by_number.find(spread(id), is).copied()
    }

    pub(crate) fn get(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(self.place(id)?)
    }

    pub(crate) fn get_mut(&mut self, id: SessionId) -> Option<&mut Session> {
        let place = self.place(id)?;
        self.sessions.get_mut(place)
    }

    pub(crate) fn of_request(&self, request: RequestId) -> Option<SessionId> {
        let player = |place: &Place| self.sessions.get(*place).map(|it| &it.player);
        let is = |place: &Place| player(place).is_some_and(|it| it.request == request);
        let place = self.by_request.find(spread(request), is)?;
        player(place).map(|it| it.session)
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
        let more = more.into_iter().flat_map(|ids| ids.iter());
        one.into_iter().chain(more.copied())
    }

    /// The session of an identity that was proven. There is one at most: it holds a unit of which there is
    /// one.
    pub(crate) fn of_proven(&self, identity: &str) -> Option<&Session> {
        let mut sessions = self.same(identity).filter_map(|id| self.get(id));
        sessions.find(|session| session.player.identity_proven)
    }

    pub(crate) fn has_token(&self, door: DoorId, token: SessionToken) -> bool {
        let same = |it: &Session| it.token == Some(token) && it.player.door == door;
        let is = |place: &Place| self.sessions.get(*place).is_some_and(same);
        self.by_token.find(spread((door, token)), is).is_some()
    }

    /// Gives a canonical endpoint to a session that has a token and no endpoint yet, if nobody else has
    /// it. Returns the door of that session.
    pub(crate) fn bind(&mut self, id: SessionId, endpoint: SocketAddr) -> Option<DoorId> {
        let place = self.place(id)?;
        let session = self.sessions.get(place)?;
        let door = session.player.door;
        let bound = Bound::Endpoint(endpoint);
        let at = self.drawn.hash_one((door, endpoint));
        let same = |it: &Session| it.bound == bound && it.player.door == door;
        let is = |place: &Place| self.sessions.get(*place).is_some_and(same);
        if session.token.is_none()
            || session.bound != Bound::No
            || self.by_endpoint.find(at, is).is_some()
        {
            return None;
        }
        self.sessions.get_mut(place)?.bound = bound;
        let hash = |place: &Place| match self
            .sessions
            .get(*place)
            .map(|it| (it.player.door, it.bound))
        {
            Some((door, Bound::Endpoint(endpoint))) => self.drawn.hash_one((door, endpoint)),
            _ => 0,
        };
        self.by_endpoint.insert_unique(at, place, hash);
        Some(door)
    }

    /// How many endpoints are bound.
    pub(crate) fn endpoints(&self) -> usize {
        self.by_endpoint.len()
    }

    /// All of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Session> {
        self.sessions.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.by_number.len()
    }

    /// All of them, the oldest first.
    pub(crate) fn ids(&self) -> Vec<SessionId> {
        let mut ids: Vec<_> = self.iter().map(|session| session.player.session).collect();
        ids.sort_unstable();
        ids
    }
}

impl Session {
    fn is(&self, id: SessionId) -> bool {
        self.player.session == id
    }

    /// Tokens are drawn by the host, so that nobody can choose them.
    fn token_hash(&self) -> u64 {
        self.token
            .map_or(0, |token| spread((self.player.door, token)))
    }
}

/// Takes one out of a table.
fn take_out(
    table: &mut HashTable<Place>,
    hash: u64,
    is: impl FnMut(&Place) -> bool,
) -> Option<Place> {
    Some(table.find_entry(hash, is).ok()?.remove().0)
}

/// The sessions of one identity. There is seldom more than one.
#[derive(Debug)]
enum Same {
    One(SessionId),
    #[expect(
        clippy::box_collection,
        reason = "hardly any has it, and each would carry the room"
    )]
    More(Box<BTreeSet<SessionId>>),
}

impl Same {
    fn insert(&mut self, id: SessionId) {
        match self {
            Same::One(first) => *self = Same::More(Box::new([*first, id].into())),
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
