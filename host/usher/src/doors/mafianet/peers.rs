//! Who has a place at the door, found by address, guid, request and session.

use super::backlog::Backlog;
use super::client::Client;
use super::lingering::Lingering;
use super::timers::{Due, Slot};
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4};
use std::time::Duration;
use usher_core::{ByNumber, RequestId, SessionId};
use usher_wire::raknet::Guid;
use usher_wire::raknet::acceptor::{Acceptor, Password, Stage};

/// Someone with a place.
pub(super) struct Peer {
    pub(super) acceptor: Acceptor,
    pub(super) request: RequestId,
    /// Since it was let in.
    pub(super) session: Option<SessionId>,
    /// The password that the policies are to see.
    pub(super) password: Option<Box<Password>>,
    /// Where it sends to.
    pub(super) local: Option<Ipv4Addr>,
    /// Whether the rules know it.
    pub(super) joined: bool,
    /// What the rules are still to be given of it.
    pub(super) backlog: Option<Box<Backlog>>,
    /// Whether it was told that it has a place.
    pub(super) welcome: bool,
    /// Whether it is among those that are looked at when the turn ends.
    pub(super) touched: bool,
    /// When it is looked at again.
    pub(super) due: Due,
    tenant: u32,
    stage: Stage,
}

impl Peer {
    pub(super) fn client(&self) -> SocketAddrV4 {
        self.acceptor.opening().client
    }

    /// Our end of the way to it.
    pub(super) fn local(&self) -> Option<IpAddr> {
        self.local.map(IpAddr::V4)
    }
}

/// How many stages there are.
pub(super) const STAGES: usize = 7;

/// How many peers are in each stage, in the order of [`Stage`].
pub(super) type Counts = [u32; STAGES];

/// All of them.
pub(super) struct Peers {
    // Boxes, because a table of peers that grew once would stay as large.
    places: Vec<Option<Box<Peer>>>,
    free: Vec<u32>,
    tenants: u32,
    by_client: HashMap<Client, u32>,
    by_guid: HashMap<Guid, u32>,
    by_request: ByNumber<RequestId, u32>,
    by_session: ByNumber<SessionId, u32>,
    /// Those that are closing, the oldest first; with some that are gone.
    closing: VecDeque<Slot>,
    closing_max: u32,
    /// Those of whom nothing else is kept any more.
    lingering: Lingering,
    counts: Counts,
}

impl Peers {
    /// At most `closing_max` are closing; the oldest makes room.
    pub(super) fn new(closing_max: u32) -> Peers {
        Peers {
            places: Vec::new(),
            free: Vec::new(),
            tenants: 0,
            by_client: HashMap::new(),
            by_guid: HashMap::new(),
            by_request: ByNumber::default(),
            by_session: ByNumber::default(),
            closing: VecDeque::new(),
            closing_max,
            lingering: Lingering::new(closing_max),
            counts: Counts::default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_client.is_empty() && self.lingering.len() == 0
    }

    pub(super) fn counts(&self) -> Counts {
        let mut counts = self.counts;
        counts[Stage::Closing as usize] += self.lingering.len() as u32;
        counts
    }

    /// A newcomer. Nobody has its address; if someone has its guid, it is the newcomer's now.
    pub(super) fn insert(
        &mut self,
        acceptor: Acceptor,
        request: RequestId,
        local: Option<Ipv4Addr>,
    ) -> Slot {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            // There are fewer than there are ports and addresses to come from.
            (self.places.len() - 1) as u32
        });
        self.tenants = self.tenants.wrapping_add(1);
        let stage = acceptor.stage();
        let opening = acceptor.opening();
        let client = Client::of(opening.client);
        self.lingering.remove(client);
        self.by_client.insert(client, place);
        self.by_guid.insert(opening.guid, place);
        self.by_request.insert(request, place);
        self.counts[stage as usize] += 1;
        let tenant = self.tenants;
        self.places[place as usize] = Some(Box::new(Peer {
            acceptor,
            request,
            session: None,
            password: None,
            local,
            joined: false,
            backlog: None,
            welcome: false,
            touched: false,
            due: Due::default(),
            tenant,
            stage,
        }));
        Slot { place, tenant }
    }

    pub(super) fn get(&mut self, slot: Slot) -> Option<&mut Peer> {
        let peer = self.places.get_mut(slot.place as usize)?.as_deref_mut()?;
        (peer.tenant == slot.tenant).then_some(peer)
    }

    pub(super) fn of_client(&self, client: SocketAddrV4) -> Option<Slot> {
        self.slot(self.by_client.get(&Client::of(client)))
    }

    pub(super) fn of_guid(&self, guid: Guid) -> Option<Slot> {
        self.slot(self.by_guid.get(&guid))
    }

    pub(super) fn of_request(&self, request: RequestId) -> Option<Slot> {
        self.slot(self.by_request.get(&request))
    }

    pub(super) fn of_session(&self, session: SessionId) -> Option<Slot> {
        self.slot(self.by_session.get(&session))
    }

    fn slot(&self, place: Option<&u32>) -> Option<Slot> {
        let place = *place?;
        let peer = self.places.get(place as usize)?.as_deref()?;
        let tenant = peer.tenant;
        Some(Slot { place, tenant })
    }

    /// It was let in.
    pub(super) fn seat(&mut self, slot: Slot, session: SessionId) {
        if let Some(peer) = self.get(slot) {
            peer.session = Some(session);
            self.by_session.insert(session, slot.place);
        }
    }

    /// Its session is over.
    pub(super) fn unseat(&mut self, slot: Slot) {
        let session = self.get(slot).and_then(|peer| peer.session.take());
        if let Some(session) = session {
            self.by_session.remove(&session);
        }
    }

    /// Takes note of the stage that it is in now. Whoever has to make room for it, if it is closing.
    pub(super) fn note_stage(&mut self, slot: Slot) -> Option<Slot> {
        let peer = self.get(slot)?;
        let (before, now) = (peer.stage, peer.acceptor.stage());
        if before == now {
            return None;
        }
        peer.stage = now;
        self.counts[before as usize] -= 1;
        match now {
            Stage::Over => None,
            Stage::Closing => {
                self.counts[now as usize] += 1;
                self.closing.push_back(slot);
                self.crowded_out()
            }
            _ => {
                self.counts[now as usize] += 1;
                None
            }
        }
    }

    fn crowded_out(&mut self) -> Option<Slot> {
        let too_many = self.counts[Stage::Closing as usize] > self.closing_max;
        // Those that are gone need no room; without them the list is as long as there are closing.
        while let Some(oldest) = self.closing.front().copied() {
            if self.get(oldest).is_some() && !too_many {
                break;
            }
            self.closing.pop_front();
            if self.get(oldest).is_some() {
                return Some(oldest);
            }
        }
        None
    }

    /// It has left, and needs no place any more: what still comes of it until then is acknowledged, and that is
    /// all.
    pub(super) fn let_linger(&mut self, slot: Slot, until: Duration) -> Option<Box<Peer>> {
        let peer = self.remove(slot)?;
        self.lingering.add(Client::of(peer.client()), until);
        Some(peer)
    }

    /// Whether someone at this address, who has no place, has left a moment ago.
    pub(super) fn lingers(&self, client: SocketAddrV4) -> bool {
        self.lingering.has(Client::of(client))
    }

    /// When there is something to forget.
    pub(super) fn due(&self) -> Option<Duration> {
        self.lingering.due()
    }

    /// Forgets those who left long enough ago.
    pub(super) fn tick(&mut self, now: Duration) {
        self.lingering.tick(now);
    }

    /// All of them who have a place.
    pub(super) fn slots(&self) -> Vec<Slot> {
        let places = self.by_client.values();
        places.filter_map(|place| self.slot(Some(place))).collect()
    }

    /// Takes it out of everything.
    pub(super) fn remove(&mut self, slot: Slot) -> Option<Box<Peer>> {
        self.unseat(slot);
        self.get(slot)?;
        let peer = self.places.get_mut(slot.place as usize)?.take()?;
        let opening = peer.acceptor.opening();
        remove_if(&mut self.by_client, &Client::of(opening.client), slot.place);
        remove_if(&mut self.by_guid, &opening.guid, slot.place);
        remove_if(&mut self.by_request, &peer.request, slot.place);
        if peer.stage != Stage::Over {
            self.counts[peer.stage as usize] -= 1;
        }
        self.free.push(slot.place);
        if self.by_client.is_empty() {
            self.shrink();
        }
        Some(peer)
    }

    /// After a crowd, memory is given back.
    fn shrink(&mut self) {
        self.places = Vec::new();
        self.free = Vec::new();
        self.closing = VecDeque::new();
        self.by_client = HashMap::new();
        self.by_guid = HashMap::new();
        self.by_request = ByNumber::default();
        self.by_session = ByNumber::default();
    }
}

fn remove_if<K: Hash + Eq, S: BuildHasher>(map: &mut HashMap<K, u32, S>, key: &K, place: u32) {
    if map.get(key) == Some(&place) {
        map.remove(key);
    }
}

#[cfg(test)]
mod tests;
