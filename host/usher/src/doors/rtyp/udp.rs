//! The task that plays: every datagram of a door goes in and out here.

use super::drops::{Cause, Drops};
use super::orders::{Obeyed, Order};
use super::table::{Table, Taken};
use crate::clock::Clock;
use crate::core_loop::Handle;
use crate::doors::game::Outlet;
use crate::doors::socket::path::Path;
use crate::doors::socket::{Batch, Socket};
use crate::relay;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, sleep};
use usher_core::{Departure, Input, Moment, SessionId};
use usher_runtime::Delivery;
use usher_wire::rtyp::{Kind, MAX_DATAGRAM};

/// How often silence is looked for, and drops are handed on.
const TICK: Duration = Duration::from_millis(250);

/// The task.
pub(super) struct Udp {
    pub(super) socket: Socket,
    pub(super) orders: Obeyed,
    /// Empty between turns.
    pub(super) taken: Vec<Order>,
    pub(super) core: Handle,
    pub(super) game: Outlet,
    pub(super) table: Table,
    pub(super) drops: Drops,
    /// Data that found no room among the orders; counted by who offers it.
    pub(super) shed: Arc<AtomicU64>,
    pub(super) buffer: Box<[u8; MAX_DATAGRAM]>,
}

impl Udp {
    /// Runs until the door is gone.
    pub(super) async fn run(mut self) {
        let mut batch = Batch::new();
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let ticking = !self.table.is_empty() || self.drops.any() || self.game.has_news();
            tokio::select! {
                order = self.orders.next() => match order {
                    Some(order) => {
                        let now = self.clock().now();
                        self.obey(order, now);
                        self.obey_all(now);
                    }
                    None => return,
                },
                ready = self.socket.readable() => {
                    if let Err(error) = ready.and_then(|()| self.socket.receive(&mut batch))
                        && error.kind() != std::io::ErrorKind::WouldBlock
                    {
                        tracing::warn!("datagrams cannot be received: {error}");
                        sleep(TICK).await;
                        continue;
                    }
                    // A session's order is given before its player can know the token, so what is
                    // obeyed after receiving is all that these datagrams can be about.
                    let now = self.clock().now();
                    self.obey_all(now);
                    for (path, bytes) in batch.datagrams() {
                        self.take(path, bytes, now);
                    }
                    batch.clear();
                }
                ready = self.game.readable() => match ready {
                    Ok(()) => self.hear(),
                    Err(error) => {
                        tracing::warn!("the game server cannot be heard: {error}");
                        sleep(TICK).await;
                    }
                },
                _ = tick.tick(), if ticking => self.tick(),
            }
            self.game.flush();
            // All that this turn had to say leaves in few calls, and nothing waits for another turn.
            let lost = self.socket.flush();
            self.drops.count_many(Cause::SendFailed, lost);
        }
    }

    fn clock(&self) -> Clock {
        self.core.clock()
    }

    fn obey_all(&mut self, now: Moment) {
        let mut taken = std::mem::take(&mut self.taken);
        self.orders.take_all(&mut taken);
        for order in taken.drain(..) {
            self.obey(order, now);
        }
        self.taken = taken;
    }

    fn obey(&mut self, order: Order, now: Moment) {
        match order {
            Order::Opened(opened) => self.table.open(opened, now),
            Order::Bound(session, endpoint) => {
                if self.table.bound(session, endpoint, now) {
                    self.send(session, Kind::Accept, &[], now);
                    self.join(session);
                }
            }
            Order::Probe(session) => {
                // A session that is not known here is one that the core has just ended.
                if let Some(at) = self.table.last_seen(session) {
                    self.core.send(Input::Seen { session, at });
                }
            }
            Order::Ended(session) => {
                self.table.forget(session);
                self.game.leave(session);
            }
            Order::Data(messages) => {
                for (session, message) in &messages {
                    self.send(*session, Kind::Data, &message.data, now);
                }
                self.orders.sent(messages.len());
            }
        }
    }

    fn take(&mut self, path: Path, bytes: &[u8], now: Moment) {
        match self.table.take(path, bytes, now) {
            Taken::Dropped(cause) => self.drops.count(cause),
            Taken::Bind(session, endpoint) => self.core.send(Input::Bind { session, endpoint }),
            Taken::Connected(session) => self.send(session, Kind::Accept, &[], now),
            Taken::Data(session, data) => {
                let delivery = Delivery::Unreliable;
                if self.game.offer(session, data, delivery, 0).is_err() {
                    self.drops.count(Cause::RulesBusy);
                }
            }
            Taken::KeptAlive => {}
            Taken::Broken(request) => {
                // What it said before, the rules hear before.
                self.game.flush();
                let how = Departure::ProtocolError;
                self.core.send(Input::Gone { request, how });
            }
        }
    }

    /// A player is bound, and so in the game.
    fn join(&mut self, session: SessionId) {
        if !self.game.join(session) {
            let reason = relay::unreachable();
            self.core.send(Input::Kick { session, reason });
        }
    }

    /// Carries what the game server said to its players. Its own kind of delivery is the protocol's only one.
    fn hear(&mut self) {
        let now = self.clock().now();
        // What was obeyed by now is all that the server can have answered.
        self.obey_all(now);
        let Udp {
            game,
            table,
            socket,
            drops,
            buffer,
            ..
        } = self;
        game.hear(
            |session, bytes, _| match table.stamp(session, Kind::Data, bytes, buffer, now) {
                Ok((path, bytes)) => socket.post(path, bytes),
                Err(cause) => drops.count(cause),
            },
        );
    }

    fn send(&mut self, session: SessionId, kind: Kind, payload: &[u8], now: Moment) {
        let stamped = self
            .table
            .stamp(session, kind, payload, &mut self.buffer, now);
        match stamped {
            Ok((path, bytes)) => self.socket.post(path, bytes),
            Err(cause) => self.drops.count(cause),
        }
    }

    fn tick(&mut self) {
        let now = self.clock().now();
        // Nobody is told that it plays on who does not.
        self.obey_all(now);
        let silent: Vec<SessionId> = self.table.silent(now).collect();
        for session in silent {
            self.send(session, Kind::KeepAlive, &[], now);
        }
        let shed = self.shed.swap(0, Ordering::Relaxed);
        self.drops.count_many(Cause::QueueFull, shed);
        self.drops.flush(now);
        self.game.hand_on();
    }
}
