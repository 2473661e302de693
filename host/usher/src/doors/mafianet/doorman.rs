//! What the door does with datagrams, with time and with what the core decides: all but waiting for them.

mod banned;
mod decided;
mod play;

use super::drops::{Cause, Drops};
use super::farewells::Farewells;
use super::front::{Front, Said, Standing};
use super::gather::Haste;
use super::peers::Peers;
use super::requests::Requests;
use super::timers::{self, Slot, Timers};
use crate::core_loop::Handle;
use crate::doors::game::Outlet;
use crate::doors::socket::path::Path;
use crate::metrics;
use crate::quota::Quota;
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Departure, Input, RequestId};
use usher_wire::raknet::acceptor::{
    self, Acceptor, Event, LINGER, Opening, Server, Stage, Violation,
};
use usher_wire::raknet::{Class, Refusal, acknowledges, classify};

/// How many datagrams one peer may be sent in a turn.
const BURST: usize = 64;

/// How many peers are looked at in a turn because their time has come.
const DUE: usize = 512;

/// Where datagrams are put to be sent.
pub(super) trait Post {
    fn post(&mut self, path: Path, bytes: &[u8]);
}

pub(super) struct Doorman {
    pub(super) server: Server,
    pub(super) front: Front,
    pub(super) peers: Peers,
    pub(super) timers: Timers,
    pub(super) requests: Requests,
    pub(super) core: Handle,
    pub(super) game: Outlet,
    /// How much of what may be lost waits among the orders.
    pub(super) sending: Arc<Quota>,
    pub(super) drops: Drops,
    /// The longest message of a player, in bytes.
    pub(super) max_message: usize,
    /// Whether addresses are proven before anything is kept.
    pub(super) proves: bool,
    /// Messages that went out again and that the metrics do not know yet.
    pub(super) repeated: u64,
    /// Peers of whom the rules are still to be given something.
    pub(super) stalled: VecDeque<Slot>,
    pub(super) farewells: Farewells,
    /// Statuses for which a turn had no time, and how many were told in this one.
    pub(super) untold: VecDeque<(RequestId, Arc<[u8]>)>,
    pub(super) told: usize,
    /// Peers that something happened to in this turn.
    pub(super) touched: Vec<Slot>,
    pub(super) events: Vec<Event>,
    pub(super) buffer: Vec<u8>,
}

impl Doorman {
    /// Takes a datagram that came in.
    pub(super) fn take(
        &mut self,
        path: Path,
        bytes: &[u8],
        now: Duration,
        to: &mut impl Post,
    ) -> Haste {
        let SocketAddr::V4(client) = path.remote else {
            return self.drop(Cause::Stray);
        };
        match classify(bytes) {
            Class::Ignored => self.drop(Cause::Stray),
            Class::Connected => match self.peers.of_client(client) {
                Some(slot) => self.hear(slot, bytes, now),
                None if self.peers.lingers(client) => {
                    if acceptor::late_ack(bytes, &mut self.buffer) {
                        to.post(path, &self.buffer);
                    }
                    Haste::Waiter
                }
                None => self.drop(Cause::Stray),
            },
            Class::Offline => {
                self.buffer.clear();
                let core = &self.core;
                let host = || Standing {
                    players: core.players(),
                    has_room: core.has_room(),
                };
                let said = self.front.take(client, bytes, host, now, &mut self.buffer);
                let said = match said {
                    Said::Asked(opening) => self.asked(path, opening, now),
                    said => said,
                };
                match said {
                    Said::Dropped(cause) => return self.drop(cause),
                    Said::Answered => to.post(path, &self.buffer),
                    Said::Asked(_) => {}
                }
                Haste::Stranger
            }
        }
    }

    fn drop(&mut self, cause: Cause) -> Haste {
        self.drops.count(cause);
        Haste::None
    }

    /// Someone asks for a place.
    fn asked(&mut self, path: Path, opening: Opening, now: Duration) -> Said {
        if let Some(slot) = self.peers.of_client(opening.client)
            && let Some(peer) = self.peers.get(slot)
        {
            let same = peer.acceptor.opening().guid == opening.guid;
            match peer.acceptor.stage() {
                // One of before that is late: what it is being told is not to be lost on it.
                Stage::Closing if same && peer.acceptor.is_hearing_its_last_word(now) => {
                    return Said::Dropped(Cause::Repeated);
                }
                // It was told its last word, or said it.
                Stage::Closing | Stage::Over => self.remove(slot),
                Stage::Unverified if same && !peer.welcome => {
                    return Said::Dropped(Cause::Repeated);
                }
                Stage::Unverified if same => {
                    let opening = *peer.acceptor.opening();
                    self.front.welcome(&opening, &mut self.buffer);
                    return Said::Answered;
                }
                // Who proves to be there now is there instead of whoever was.
                _ if !same && self.proves => self.lose(slot, Departure::Dropped),
                _ => {
                    return self
                        .front
                        .refuse(Refusal::AlreadyConnected, &mut self.buffer);
                }
            }
        }
        if let Some(slot) = self.peers.of_guid(opening.guid)
            && let Some(peer) = self.peers.get(slot)
            && !matches!(peer.acceptor.stage(), Stage::Closing | Stage::Over)
        {
            return self
                .front
                .refuse(Refusal::AlreadyConnected, &mut self.buffer);
        }
        let request = self.core.next_request();
        let client = SocketAddr::V4(opening.client);
        if self.requests.knock(&self.core, request, client).is_err() {
            return self.front.refuse(Refusal::Full, &mut self.buffer);
        }
        let acceptor = Acceptor::new(&self.server, opening, now);
        let local = match path.local {
            Some(IpAddr::V4(local)) => Some(local),
            _ => None,
        };
        let slot = self.peers.insert(acceptor, request, local);
        self.touch(slot);
        Said::Asked(opening)
    }

    /// A datagram of a peer.
    fn hear(&mut self, slot: Slot, bytes: &[u8], now: Duration) -> Haste {
        let Some(peer) = self.peers.get(slot) else {
            return Haste::None;
        };
        let before = peer.acceptor.stage();
        let heard = peer
            .acceptor
            .receive(&self.server, bytes, now, &mut self.events);
        let haste = match (before, peer.acceptor.stage()) {
            (Stage::Pending, _) | (_, Stage::Closing | Stage::Over) => Haste::Waiter,
            (Stage::Connected, _) if !acknowledges(bytes) => Haste::Player,
            _ => Haste::Comer,
        };
        if heard.is_err() {
            self.drops.count(Cause::Malformed);
        }
        self.happened(slot, now);
        self.touch(slot);
        haste
    }

    /// Looks at peers whose time has come.
    pub(super) fn tick(&mut self, now: Duration) {
        self.retry();
        self.peers.tick(now);
        for _ in 0..DUE {
            let Some(slot) = self.timers.pop(now) else {
                return;
            };
            let Some(peer) = self.peers.get(slot) else {
                continue;
            };
            peer.due.was_popped();
            peer.acceptor
                .handle_timeout(&self.server, now, &mut self.events);
            self.happened(slot, now);
            self.touch(slot);
        }
    }

    /// Takes up what happened to a peer.
    fn happened(&mut self, slot: Slot, now: Duration) {
        let mut events = std::mem::take(&mut self.events);
        for event in events.drain(..) {
            self.take_up(slot, event, now);
        }
        self.events = events;
    }

    fn take_up(&mut self, slot: Slot, event: Event, now: Duration) {
        match event {
            Event::Requested(password) => self.requested(slot, password, now),
            Event::SessionRequest(payload) => {
                if let Some(peer) = self.peers.get(slot) {
                    self.requests.submit(&self.core, peer, payload);
                }
            }
            Event::NoRoom => self.turn_away(slot, now),
            Event::Message(incoming) => self.played(slot, incoming),
            Event::Dropped(acceptor::Cause::Early) => self.drops.count(Cause::Early),
            Event::Dropped(acceptor::Cause::Ignored) => self.drops.count(Cause::Ignored),
            Event::Dropped(acceptor::Cause::Malformed) => self.drops.count(Cause::Malformed),
            Event::Disconnected(_) => self.left(slot),
            Event::Lost | Event::Expired => self.gone(slot, Departure::Dropped),
            Event::Violated(how) => {
                if how == Violation::Unfinished {
                    self.drops.count(Cause::Unfinished);
                }
                self.gone(slot, Departure::ProtocolError);
            }
        }
    }

    fn requested(&mut self, slot: Slot, password: acceptor::Password, now: Duration) {
        let right = self.requests.password_is_right(password.expose());
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        match right {
            Some(false) => {
                peer.acceptor.refuse_password(&self.server, now);
                self.requests.count_wrong_password();
                return self.gone(slot, Departure::Left);
            }
            Some(true) => {}
            None if password.expose().is_empty() => {}
            None => peer.password = Some(Box::new(password)),
        }
        if peer.acceptor.opening().dialect.session_exchange {
            peer.acceptor.admit(&self.server, now);
        } else {
            self.requests.submit(&self.core, peer, Vec::new());
        }
    }

    /// Its payload finds no room, which is as if there were no place for it.
    fn turn_away(&mut self, slot: Slot, now: Duration) {
        if let Some(peer) = self.peers.get(slot) {
            let text = self.requests.full_text();
            peer.acceptor
                .reject(&self.server, text.as_bytes(), false, now);
        }
        self.gone(slot, Departure::Dropped);
    }

    /// The turn is over: what is to be sent to those that something happened to is posted. False: some of
    /// them have more.
    pub(super) fn settle(&mut self, now: Duration, to: &mut impl Post) -> bool {
        let touched = std::mem::take(&mut self.touched);
        for slot in &touched {
            self.settle_one(*slot, now, to);
        }
        let all = self.touched.is_empty();
        if all {
            // Its memory goes on being used.
            self.touched = touched;
            self.touched.clear();
        }
        all
    }

    fn settle_one(&mut self, slot: Slot, now: Duration, to: &mut impl Post) {
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        peer.touched = false;
        let path = path(peer.client(), peer.local());
        let mut sent = 0;
        while peer.acceptor.poll_transmit(now, &mut self.buffer) {
            to.post(path, &self.buffer);
            sent += 1;
            if sent == BURST {
                peer.touched = true;
                self.touched.push(slot);
                break;
            }
        }
        self.repeated += u64::from(peer.acceptor.take_repeated());
        if peer.acceptor.stage() == Stage::Over {
            return self.remove(slot);
        }
        if peer.acceptor.only_lingers() {
            if let Some(mut peer) = self.peers.let_linger(slot, now + LINGER) {
                self.timers.unset(slot, &mut peer.due);
            }
            return;
        }
        if let Some(due) = peer.acceptor.poll_timeout(&self.server) {
            let due = match peer.acceptor.stage() {
                Stage::Pending => timers::together(due),
                _ => due,
            };
            self.timers.set(slot, due, &mut peer.due);
        }
        if let Some(oldest) = self.peers.note_stage(slot) {
            self.remove(oldest);
        }
    }

    fn touch(&mut self, slot: Slot) {
        if let Some(peer) = self.peers.get(slot)
            && !std::mem::replace(&mut peer.touched, true)
        {
            self.touched.push(slot);
        }
    }

    /// Whether the metrics are to be told something.
    pub(super) fn has_news(&self) -> bool {
        self.repeated > 0 || self.drops.any() || self.requests.has_news() || self.game.has_news()
    }

    /// Tells the metrics what was counted.
    pub(super) fn hand_on(&mut self) {
        self.drops.flush();
        self.requests.hand_on();
        self.game.hand_on();
        let repeated = std::mem::take(&mut self.repeated);
        if repeated > 0 {
            metrics::messages_repeated(&self.requests.name, repeated);
        }
    }

    /// A peer is no more, or soon: the core hears of it.
    fn gone(&mut self, slot: Slot, how: Departure) {
        if let Some(peer) = self.peers.get(slot) {
            let request = peer.request;
            // What it said before, the rules hear before.
            self.game.flush();
            self.core.send(Input::Gone { request, how });
        }
        self.peers.unseat(slot);
        self.touch(slot);
    }

    /// A peer is given up without a word.
    fn lose(&mut self, slot: Slot, how: Departure) {
        self.gone(slot, how);
        self.remove(slot);
    }

    fn remove(&mut self, slot: Slot) {
        if let Some(mut peer) = self.peers.remove(slot) {
            self.timers.unset(slot, &mut peer.due);
        }
    }
}

fn path(client: SocketAddrV4, local: Option<IpAddr>) -> Path {
    Path {
        remote: SocketAddr::V4(client),
        local,
    }
}
