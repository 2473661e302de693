//! Which endpoint plays which session: the UDP task's own copy of what the core decided.
//!
//! Only the core's outputs write it (semantics 26). It is read for every datagram, without going through
//! the core, and holds what only datagrams change: their numbers, and when the last one came and went.
//! It does no IO.

use super::drops::Cause;
use super::misses::Misses;
use crate::doors::socket::path::Path;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use usher_core::{Moment, RequestId, SessionId, canonical};
use usher_wire::rtyp::{
    Arrival, Datagram, DatagramError, Kind, MAX_DATAGRAM, Sequencer, SessionToken, Side,
};

/// A client repeats its Connect every 250 ms; what comes sooner while the first is being bound is the
/// same Connect for the core.
const ASK_AGAIN: Duration = Duration::from_millis(100);

/// After this long without a datagram to a player, it gets a KeepAlive.
const SILENCE: Duration = Duration::from_secs(1);

/// What the core says of a new session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Opened {
    pub(super) session: SessionId,
    pub(super) request: RequestId,
    pub(super) token: SessionToken,
    /// Where the login came from.
    pub(super) login: IpAddr,
}

/// What to do about a datagram that came in.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Taken<'b> {
    /// Nothing.
    Dropped(Cause),
    /// Ask the core to bind the endpoint.
    Bind(SessionId, SocketAddr),
    /// Answer with an Accept.
    Connected(SessionId),
    /// Hand it to the rules.
    Data(SessionId, &'b [u8]),
    /// It only says that the player is still there.
    KeptAlive,
    /// The player broke the protocol: its session is to end.
    Broken(RequestId),
}

/// The sessions of a door.
pub(super) struct Table {
    by_token: HashMap<SessionToken, SessionId>,
    by_endpoint: HashMap<SocketAddr, SessionId>,
    entries: HashMap<SessionId, Entry>,
    misses: Misses,
}

struct Entry {
    opened: Opened,
    link: Link,
    sequencer: Sequencer,
    seen: Moment,
    sent: Moment,
    /// The core was told that the player broke the protocol.
    ending: bool,
}

enum Link {
    Unbound,
    /// The core was asked to bind this.
    Asked(Path, Moment),
    Bound(Path),
}

impl Table {
    pub(super) fn new() -> Table {
        Table {
            by_token: HashMap::new(),
            by_endpoint: HashMap::new(),
            entries: HashMap::new(),
            misses: Misses::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A session was accepted: its token may bind an endpoint.
    pub(super) fn open(&mut self, opened: Opened, now: Moment) {
        self.by_token.insert(opened.token, opened.session);
        let entry = Entry {
            opened,
            link: Link::Unbound,
            sequencer: Sequencer::new(),
            seen: now,
            sent: now,
            ending: false,
        };
        self.entries.insert(opened.session, entry);
    }

    /// An endpoint was bound. False if the session is not known any more.
    pub(super) fn bound(&mut self, session: SessionId, endpoint: SocketAddr, now: Moment) -> bool {
        let Some(entry) = self.entries.get_mut(&session) else {
            return false;
        };
        let path = match entry.link {
            Link::Asked(path, _) if canonical(path.remote) == endpoint => path,
            // Not the endpoint that was heard of last; nothing that it sent has been noted.
            _ => {
                entry.sequencer = Sequencer::new();
                Path {
                    remote: endpoint,
                    local: None,
                }
            }
        };
        entry.link = Link::Bound(path);
        entry.seen = now;
        self.by_endpoint.insert(endpoint, session);
        true
    }

    /// A session is over.
    pub(super) fn forget(&mut self, session: SessionId) {
        let Some(entry) = self.entries.remove(&session) else {
            return;
        };
        if self.by_token.get(&entry.opened.token) == Some(&session) {
            self.by_token.remove(&entry.opened.token);
        }
        if let Link::Bound(path) = entry.link {
            let endpoint = canonical(path.remote);
            if self.by_endpoint.get(&endpoint) == Some(&session) {
                self.by_endpoint.remove(&endpoint);
            }
        }
    }

    /// When something valid last came from a session's endpoint.
    pub(super) fn last_seen(&self, session: SessionId) -> Option<Moment> {
        self.entries.get(&session).map(|entry| entry.seen)
    }

    /// Takes a datagram that came in. Allocates nothing.
    pub(super) fn take<'b>(&mut self, path: Path, bytes: &'b [u8], now: Moment) -> Taken<'b> {
        let endpoint = canonical(path.remote);
        let datagram = Datagram::decode(bytes, Side::Client);
        let session = self.by_endpoint.get(&endpoint);
        match session.and_then(|session| self.entries.get_mut(session)) {
            Some(entry) => entry.take(path, datagram, now),
            None => self.take_from_stranger(path, endpoint, datagram, now),
        }
    }

    fn take_from_stranger<'b>(
        &mut self,
        path: Path,
        endpoint: SocketAddr,
        datagram: Result<Datagram<'b>, DatagramError>,
        now: Moment,
    ) -> Taken<'b> {
        let datagram = match datagram {
            Ok(datagram) if datagram.kind == Kind::Connect => datagram,
            Ok(_) => return Taken::Dropped(Cause::Unbound),
            Err(DatagramError::Stray(_)) => return Taken::Dropped(Cause::Stray),
            Err(DatagramError::Invalid { .. }) => return Taken::Dropped(Cause::Invalid),
        };
        let limited = self.misses.is_limited(endpoint.ip(), now);
        let session = self.by_token.get(&datagram.session);
        let Some(entry) = session.and_then(|session| self.entries.get_mut(session)) else {
            if limited {
                return Taken::Dropped(Cause::Limited);
            }
            self.misses.note(endpoint.ip(), now);
            return Taken::Dropped(Cause::UnknownToken);
        };
        // A guesser that hits must not be let in for it, but whoever forges addresses must not be able
        // to lock a player out.
        if limited && endpoint.ip() != entry.opened.login {
            return Taken::Dropped(Cause::Limited);
        }
        entry.connect(path, endpoint, &datagram, now)
    }

    /// The next datagram to a player, and its way. `Err` says why there is none.
    pub(super) fn stamp<'b>(
        &mut self,
        session: SessionId,
        kind: Kind,
        payload: &[u8],
        buffer: &'b mut [u8; MAX_DATAGRAM],
        now: Moment,
    ) -> Result<(Path, &'b [u8]), Cause> {
        let entry = self.entries.get_mut(&session).ok_or(Cause::NobodyThere)?;
        let Link::Bound(path) = entry.link else {
            return Err(Cause::NobodyThere);
        };
        if payload.len() > kind.max_payload() {
            return Err(Cause::TooLong);
        }
        let datagram = entry.sequencer.stamp(kind, entry.opened.token, payload);
        let bytes = datagram.encode(buffer).map_err(|_| Cause::TooLong)?;
        entry.sent = now;
        Ok((path, bytes))
    }

    /// The bound sessions that were sent nothing for a second.
    pub(super) fn silent(&self, now: Moment) -> impl Iterator<Item = SessionId> {
        self.entries.values().filter_map(move |entry| {
            let is_due = matches!(entry.link, Link::Bound(_)) && now >= entry.sent.after(SILENCE);
            is_due.then_some(entry.opened.session)
        })
    }
}

impl Entry {
    /// From the endpoint that is bound to this session.
    fn take<'b>(
        &mut self,
        path: Path,
        datagram: Result<Datagram<'b>, DatagramError>,
        now: Moment,
    ) -> Taken<'b> {
        let (token, valid) = match datagram {
            Err(DatagramError::Stray(_)) => return Taken::Dropped(Cause::Stray),
            Err(DatagramError::Invalid { session, .. }) => (session, None),
            Ok(datagram) => (datagram.session, Some(datagram)),
        };
        if token != self.opened.token {
            return Taken::Dropped(Cause::OtherToken);
        }
        if self.ending {
            return Taken::Dropped(Cause::Ending);
        }
        let Some(datagram) = valid else {
            self.ending = true;
            return Taken::Broken(self.opened.request);
        };
        let arrival = self.sequencer.receive(datagram.sequence);
        match (datagram.kind, arrival) {
            // The last Accept may have been lost, so the same bytes again get another.
            (Kind::Connect, _) | (_, Arrival::Deliver) => {}
            (_, Arrival::Duplicate) => return Taken::Dropped(Cause::Duplicate),
            (_, Arrival::TooOld) => return Taken::Dropped(Cause::TooOld),
        }
        self.seen = now;
        self.link = Link::Bound(path);
        match datagram.kind {
            Kind::Connect => Taken::Connected(self.opened.session),
            Kind::Data => Taken::Data(self.opened.session, datagram.payload),
            // A client's Accept does not decode, so this is its KeepAlive.
            Kind::KeepAlive | Kind::Accept => Taken::KeptAlive,
        }
    }

    /// A Connect with this session's token, from an endpoint that nothing is bound to.
    fn connect<'b>(
        &mut self,
        path: Path,
        endpoint: SocketAddr,
        datagram: &Datagram<'b>,
        now: Moment,
    ) -> Taken<'b> {
        if self.ending {
            return Taken::Dropped(Cause::Ending);
        }
        match self.link {
            Link::Bound(_) => return Taken::Dropped(Cause::BoundElsewhere),
            Link::Asked(before, at) if canonical(before.remote) == endpoint => {
                self.sequencer.receive(datagram.sequence);
                if now < at.after(ASK_AGAIN) {
                    return Taken::Dropped(Cause::Binding);
                }
            }
            Link::Asked(_, at) if now < at.after(ASK_AGAIN) => {
                return Taken::Dropped(Cause::Binding);
            }
            Link::Asked(..) | Link::Unbound => {
                self.sequencer = Sequencer::new();
                self.sequencer.receive(datagram.sequence);
            }
        }
        self.link = Link::Asked(path, now);
        Taken::Bind(self.opened.session, endpoint)
    }
}

#[cfg(test)]
mod tests;
