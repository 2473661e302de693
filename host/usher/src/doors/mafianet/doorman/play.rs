//! What players and rules say to each other.

use super::super::backlog::{Backlog, is_promised};
use super::super::drops::Cause;
use super::super::reasons;
use super::super::timers::Slot;
use super::Doorman;
use crate::doors::game::Outlet;
use crate::relay;
use std::time::Duration;
use usher_core::{Departure, Input, SessionId};
use usher_runtime::{Delivery, Message};
use usher_wire::raknet::acceptor::Unsent;
use usher_wire::raknet::{Incoming, SendError};

impl Doorman {
    /// A player said something.
    pub(super) fn played(&mut self, slot: Slot, incoming: Incoming) {
        let delivery = reasons::delivery(incoming.reliability);
        let (bytes, channel) = (incoming.bytes, incoming.channel);
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        let Some(session) = peer.session else {
            return self.drops.count(Cause::Ending);
        };
        if bytes.len() > self.max_message {
            return self.drops.count(Cause::TooLong);
        }
        if self.game.is_closed() {
            return self.drops.count(Cause::RulesBusy);
        }
        // Whoever answers its acceptance at once is faster than the news of it on its way to the rules.
        let waits = !peer.joined || peer.backlog.is_some();
        let game = &mut self.game;
        if !waits && game.offer(session, &bytes, delivery, channel).is_ok() {
            return;
        }
        let message = Message {
            data: bytes.into(),
            delivery,
            channel,
        };
        let promised = is_promised(&message);
        if peer.joined && !promised {
            return self.drops.count(Cause::RulesBusy);
        }
        if peer.joined && peer.backlog.is_none() {
            self.stalled.push_back(slot);
        }
        let backlog = peer.backlog.get_or_insert_default();
        if !backlog.push(message) {
            self.drops.count(Cause::RulesBusy);
            if promised {
                self.lose(slot, Departure::Dropped);
            }
        }
    }

    /// The rules know a player from now on.
    pub(super) fn joined(&mut self, slot: Slot) {
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        peer.joined = true;
        if let Some(session) = peer.session
            && !self.game.join(session)
        {
            let reason = relay::unreachable();
            return self.core.send(Input::Kick { session, reason });
        }
        if peer.backlog.is_some() && !self.give(slot) {
            self.stalled.push_back(slot);
        }
    }

    /// A player said goodbye. What it said before that, the rules hear before that.
    pub(super) fn left(&mut self, slot: Slot) {
        if !self.game.is_closed()
            && let Some(peer) = self.peers.get(slot)
            && let Some(session) = peer.session
            && let Some(backlog) = peer.backlog.take()
        {
            let (request, joined) = (peer.request, peer.joined);
            self.farewells.add(request, session, backlog, joined);
            self.peers.unseat(slot);
            return self.touch(slot);
        }
        self.gone(slot, Departure::Left);
    }

    /// Whether the rules are still to be given something.
    pub(in super::super) fn is_stalled(&self) -> bool {
        !self.stalled.is_empty() || !self.farewells.is_empty()
    }

    /// Gives the rules what they could not take before.
    pub(super) fn retry(&mut self) {
        self.see_off();
        for _ in 0..self.stalled.len() {
            let Some(slot) = self.stalled.pop_front() else {
                return;
            };
            if !self.give(slot) {
                self.stalled.push_back(slot);
            }
        }
    }

    /// Has those leave of whom the rules have everything.
    pub(super) fn see_off(&mut self) {
        let game = &mut self.game;
        // Rules that are no more take nothing, and keep nobody.
        let give = |session, message: Message| offered(game, session, &message) || game.is_closed();
        for request in self.farewells.give(give) {
            let how = Departure::Left;
            self.game.flush();
            self.core.send(Input::Gone { request, how });
        }
    }

    /// True: the rules have all of it.
    fn give(&mut self, slot: Slot) -> bool {
        let Some(peer) = self.peers.get(slot) else {
            return true;
        };
        let Some(session) = peer.session else {
            peer.backlog = None;
            return true;
        };
        let game = &mut self.game;
        let give =
            |backlog: &mut Box<Backlog>| backlog.drain(|message| offered(game, session, &message));
        let all = peer.backlog.as_mut().is_none_or(give);
        if all {
            peer.backlog = None;
        }
        all
    }

    /// Carries what a game server said to its players.
    pub(in super::super) fn hear_game(&mut self, now: Duration) {
        // A door has one game; while it is heard, it is not told anything.
        let mut game = std::mem::take(&mut self.game);
        game.hear(|session, bytes, delivery| self.say(session, bytes, delivery, 0, now));
        self.game = game;
    }

    /// The game has something for a player.
    pub(super) fn say(
        &mut self,
        session: SessionId,
        bytes: &[u8],
        delivery: Delivery,
        channel: u8,
        now: Duration,
    ) {
        let Some(slot) = self.peers.of_session(session) else {
            return self.drops.count(Cause::NobodyThere);
        };
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        let reliability = reasons::reliability(delivery);
        let sent = peer.acceptor.send(bytes, reliability, channel, now);
        match sent {
            Ok(()) => self.touch(slot),
            Err(Unsent::WrongStage) => self.drops.count(Cause::NobodyThere),
            Err(Unsent::Refused(SendError::Full)) => {
                self.drops.count(Cause::QueueFull);
                if reliability.is_reliable() {
                    // What it was promised it will not get: it does not keep up.
                    self.lose(slot, Departure::Dropped);
                }
            }
            Err(_) => self.drops.count(Cause::NotTheGames),
        }
    }
}

/// Whether the game takes a message.
fn offered(game: &mut Outlet, from: SessionId, message: &Message) -> bool {
    let taken = game.offer(from, &message.data, message.delivery, message.channel);
    taken.is_ok()
}
