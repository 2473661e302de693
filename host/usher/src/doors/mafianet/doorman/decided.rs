//! What the core decides about peers.

use super::super::drops::Cause;
use super::super::orders::Order;
use super::super::reasons;
use super::super::timers::Slot;
use super::{Doorman, Post, path};
use crate::core_loop::DoorEvent;
use std::time::Duration;
use usher_core::{Departure, Grant, Reason, RequestId, SessionEnd, SessionId};
use usher_runtime::Message;
use usher_wire::raknet::Refusal;
use usher_wire::raknet::acceptor::Unsent;

/// How many of those who wait are told in a turn how it stands. Thousands of statuses come at once, and what the rules
/// say to players comes behind them.
const STATUSES: usize = 64;

impl Doorman {
    /// Takes an order.
    pub(in super::super) fn obey(&mut self, order: Order, now: Duration, to: &mut impl Post) {
        match order {
            Order::Event(event) => self.decided(event, now, to),
            Order::Message(session, message) => {
                self.say(
                    session,
                    &message.data,
                    message.delivery,
                    message.channel,
                    now,
                );
            }
            Order::Messages(messages) => {
                for (session, message) in &messages {
                    let Message {
                        data,
                        delivery,
                        channel,
                    } = message;
                    self.say(*session, data, *delivery, *channel, now);
                }
                self.sending.give_back(messages.len());
            }
            // For whoever runs this.
            Order::Close => {}
        }
    }

    fn decided(&mut self, event: DoorEvent, now: Duration, to: &mut impl Post) {
        match event {
            DoorEvent::Pending { request } => self.welcome(request, to),
            DoorEvent::Refused {
                request,
                reason,
                at_knock,
            } => {
                let Some(slot) = self.peers.of_request(request) else {
                    return;
                };
                match at_knock {
                    true => self.turn_down(slot, &reason, to),
                    false => self.reject(slot, &reason, now),
                }
            }
            DoorEvent::Status { request, text, .. } => {
                if self.told < STATUSES && self.untold.is_empty() {
                    self.status(request, &text, now);
                } else {
                    self.untold.push_back((request, text));
                }
            }
            DoorEvent::Accepted { request, grant } => self.accept(request, &grant, now),
            DoorEvent::Joined { request } => {
                if let Some(session) = self.farewells.joined(request) {
                    // Who has gone already need not be sent away where this fails.
                    let _ = self.game.join(session);
                }
                self.see_off();
                if let Some(slot) = self.peers.of_request(request) {
                    self.joined(slot);
                }
            }
            DoorEvent::Ended {
                request,
                session,
                how,
            } => self.ended(request, session, &how, now),
            // Sessions play over the connection that they came with.
            DoorEvent::Bound { .. } | DoorEvent::Probe { .. } => {}
        }
    }

    /// A turn is about to send: more of those who wait are told how it stands. True: there are others.
    pub(in super::super) fn tell(&mut self, now: Duration) -> bool {
        while self.told < STATUSES
            && let Some((request, text)) = self.untold.pop_front()
        {
            self.status(request, &text, now);
        }
        self.told = 0;
        !self.untold.is_empty()
    }

    /// Whoever waits no more is not told that it does.
    fn status(&mut self, request: RequestId, text: &[u8], now: Duration) {
        let Some(slot) = self.peers.of_request(request) else {
            return;
        };
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        self.told += 1;
        if let Err(Unsent::Refused(_)) = peer.acceptor.status(text, now) {
            self.drops.count(Cause::QueueFull);
        }
        self.touch(slot);
    }

    /// There is a place for it.
    fn welcome(&mut self, request: RequestId, to: &mut impl Post) {
        let Some(slot) = self.peers.of_request(request) else {
            return;
        };
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        peer.welcome = true;
        let (opening, path) = (*peer.acceptor.opening(), path(peer.client(), peer.local()));
        self.buffer.clear();
        self.front.welcome(&opening, &mut self.buffer);
        to.post(path, &self.buffer);
    }

    /// There is none.
    fn turn_down(&mut self, slot: Slot, reason: &Reason, to: &mut impl Post) {
        self.requests.count_refused(reason);
        if let Some(peer) = self.peers.get(slot) {
            let path = path(peer.client(), peer.local());
            self.buffer.clear();
            self.front.refuse(Refusal::Full, &mut self.buffer);
            to.post(path, &self.buffer);
        }
        self.remove(slot);
    }

    fn reject(&mut self, slot: Slot, reason: &Reason, now: Duration) {
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        let password = &*reason.code == reasons::INVALID_PASSWORD;
        peer.acceptor
            .reject(&self.server, reason.text.as_bytes(), password, now);
        self.touch(slot);
    }

    fn accept(&mut self, request: RequestId, grant: &Grant, now: Duration) {
        let Some(slot) = self.peers.of_request(request) else {
            return;
        };
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        match peer.acceptor.accept(&self.server, &grant.config, now) {
            Ok(()) => {
                self.requests.count_accepted(grant);
                self.peers.seat(slot, grant.session);
                self.touch(slot);
            }
            // It left, or was sent away, before it could know.
            Err(Unsent::Closing) => {}
            // It does not take what it was sent before, and will not take this.
            Err(_) => self.lose(slot, Departure::Dropped),
        }
    }

    fn ended(&mut self, request: RequestId, session: SessionId, how: &SessionEnd, now: Duration) {
        self.requests.count_ended(session, how);
        self.farewells.forget(request);
        self.game.leave(session);
        let Some(slot) = self.peers.of_request(request) else {
            return;
        };
        self.peers.unseat(slot);
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        peer.acceptor
            .disconnect(reasons::goodbye(how).as_bytes(), now);
        self.touch(slot);
    }
}
