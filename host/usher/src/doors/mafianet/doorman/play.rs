//! What players and rules say to each other.

use super::super::backlog::{Backlog, is_promised};
use super::super::drops::Cause;
use super::super::reasons;
use super::super::timers::Slot;
use super::Doorman;
use std::time::Duration;
use usher_core::{Departure, Input, SessionId};
use usher_runtime::Message;
use usher_wire::raknet::acceptor::Unsent;
use usher_wire::raknet::{Incoming, SendError};

impl Doorman {
    /// A player said something.
    pub(super) fn played(&mut self, slot: Slot, incoming: Incoming) {
        let message = Message {
            delivery: reasons::delivery(incoming.reliability),
            channel: incoming.channel,
            data: incoming.bytes.into(),
        };
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        let Some(session) = peer.session else {
            return self.drops.count(Cause::Ending);
        };
        if message.data.len() > self.max_message {
            return self.drops.count(Cause::TooLong);
        }
        if self.room.is_closed() {
            return self.drops.count(Cause::RulesBusy);
        }
        let promised = is_promised(&message);
        // Whoever answers its acceptance at once is faster than the news of it on its way to the rules.
        let waits = !peer.joined || peer.backlog.is_some();
        if !waits && self.room.message(session, message.clone()).is_ok() {
            return;
        }
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
        if peer.backlog.is_some() && !self.give(slot) {
            self.stalled.push_back(slot);
        }
    }

    /// A player said goodbye. What it said before that, the rules hear before that.
    pub(super) fn left(&mut self, slot: Slot) {
        if !self.room.is_closed()
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
        let room = &self.room;
        // Rules that are no more take nothing, and keep nobody.
        let give = |session, message| room.message(session, message).is_ok() || room.is_closed();
        for request in self.farewells.give(give) {
            let how = Departure::Left;
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
        let room = &self.room;
        let give = |backlog: &mut Box<Backlog>| {
            backlog.drain(|message| room.message(session, message).is_ok())
        };
        let all = peer.backlog.as_mut().is_none_or(give);
        if all {
            peer.backlog = None;
        }
        all
    }

    /// The rules have something for a player.
    pub(super) fn say(&mut self, session: SessionId, message: &Message, now: Duration) {
        let Some(slot) = self.peers.of_session(session) else {
            return self.drops.count(Cause::NobodyThere);
        };
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        let reliability = reasons::reliability(message.delivery);
        let sent = peer
            .acceptor
            .send(&message.data, reliability, message.channel, now);
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
