//! What is said over a connection whose request the core knows, until one of the two ends it.

use super::codes::{self, Farewell, Misdeed};
use super::peers::{Peer, Told};
use super::pulse::{Beat, Pulse, State};
use super::rate::Rate;
use super::shared::Shared;
use super::wire::{Heard, Next, Wire};
use super::words::Said;
use crate::doors::game::Game;
use crate::metrics;
use crate::relay::{self, Line};
use std::ops::ControlFlow::{self, Break, Continue};
use std::pin::pin;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::Bytes;
use usher_core::{Departure, Input, SessionId};
use usher_runtime::{Delivery, Message};

/// So many things are put together before they are handed to the system.
const TOGETHER: usize = 64;

/// What a game server says is put together until it is so many bytes, or so many things.
const ENOUGH: usize = 16 * 1024;

/// Bytes that may come at once beyond the rate: what was read ahead with the first message, and the framing
/// of a message that is as long as it may be.
const SLACK: u32 = 8192;

/// How soon rules that could not take a message are offered it again.
const AGAIN: Duration = Duration::from_millis(5);

/// How it ends.
#[derive(Debug)]
pub(super) enum End {
    /// The core said so: the peer is told.
    Told(Farewell),
    /// The peer said goodbye.
    Left(Departure),
    /// The peer did what it must not: it is told.
    Misdeed(Misdeed),
    /// The peer is not there any more, or takes nothing any more.
    Lost(Departure),
}

/// How far it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The core decides, or the peer waits.
    Pending,
    /// It is in, and the rules are not told yet.
    Seated(SessionId),
    /// It plays.
    Playing(SessionId),
}

/// The conversation.
pub(super) struct Talk<'a> {
    door: &'a Shared,
    wire: Wire,
    peer: Peer,
    stage: Stage,
    messages: Rate,
    pulse: Pulse,
    /// What the rules could not take yet, and when they are offered it again. Until they have it, nothing more
    /// is read.
    kept: Option<(Message, Instant)>,
    /// The way to the game server, where there is one, while it plays.
    line: Option<Line>,
    /// Bytes of the game that are put and not yet with the system.
    under_way: usize,
}

enum Event {
    Overflow,
    Told(Told),
    Next(Next),
    Again,
    Beat,
    Answered,
}

impl<'a> Talk<'a> {
    pub(super) fn new(door: &'a Shared, mut wire: Wire, peer: Peer) -> Talk<'a> {
        let (config, now) = (&door.config, Instant::now());
        wire.limit(Rate::new(config.bytes_per_second, SLACK, now));
        let received = wire.received();
        Talk {
            door,
            wire,
            peer,
            stage: Stage::Pending,
            messages: Rate::new(config.messages_per_second, 0, now),
            pulse: Pulse::new(config.ping_interval, config.ping_timeout, received, now),
            kept: None,
            line: None,
            under_way: 0,
        }
    }

    /// Goes on until it ends. The wire is given back for what is still to be said.
    pub(super) async fn run(mut self) -> (End, Wire) {
        let mut beat = pin!(sleep_until(self.pulse.due(None)));
        loop {
            let due = self.pulse.due(self.wire.dirty());
            // A timer is only moved when it must ring earlier than set; one that rings early does nothing.
            if due < beat.deadline() || beat.is_elapsed() {
                beat.as_mut().reset(due);
            }
            let (reads, dirty) = (self.reads(), self.wire.dirty());
            let again = self.kept.as_ref().map(|(_, again)| *again);
            let event = tokio::select! {
                next = self.wire.next(reads) => Event::Next(next),
                () = beat.as_mut() => Event::Beat,
                () = sleep_until(again.unwrap_or(due)), if again.is_some() => Event::Again,
                // While the system is full, what the server says waits there, and what finds no room is lost.
                () = answered(self.line.as_ref()), if dirty.is_none() => Event::Answered,
                // While the system is full, what waits is counted where it is.
                told = self.peer.told(dirty.is_none()) => match told {
                    Some(told) => Event::Told(told),
                    None => Event::Overflow,
                },
            };
            if let Break(end) = self.take(event) {
                return (end, self.wire);
            }
        }
    }

    /// Whether what the peer says can be taken up.
    fn reads(&self) -> bool {
        match self.stage {
            Stage::Pending => true,
            // Whoever answers its acceptance at once is faster than the news of it on its way to the rules.
            Stage::Seated(_) => false,
            Stage::Playing(_) => self.kept.is_none(),
        }
    }

    fn take(&mut self, event: Event) -> ControlFlow<End> {
        match event {
            Event::Overflow => {
                metrics::message_dropped(&self.door.name, "slow-peer");
                Break(End::Lost(Departure::Dropped))
            }
            Event::Told(told) => {
                self.told(told)?;
                for _ in 1..TOGETHER {
                    match self.peer.told_already() {
                        Some(told) => self.told(told)?,
                        None => break,
                    }
                }
                Continue(())
            }
            Event::Next(Next::Flushed) => {
                self.peer.sent(std::mem::take(&mut self.under_way));
                Continue(())
            }
            Event::Next(Next::Heard(heard)) => {
                self.pulse.note(self.wire.received(), Instant::now());
                self.heard(heard)
            }
            Event::Again => {
                if let (Some((message, _)), Stage::Playing(session)) =
                    (self.kept.take(), self.stage)
                {
                    self.give(session, message);
                }
                Continue(())
            }
            Event::Beat => self.beat(),
            Event::Answered => {
                self.answer();
                Continue(())
            }
        }
    }

    /// The core or the rules have something to say.
    fn told(&mut self, told: Told) -> ControlFlow<End> {
        match told {
            Told::Status { text, position } => {
                self.wire.put_text(Said::status(&text, position).to_json());
            }
            Told::Refused { reason, at_knock } => {
                // A knock is refused without a decision, at any rate that someone knocks at: these are
                // counted, and not logged.
                if at_knock {
                    metrics::knock_refused(&self.door.name, &reason.code);
                }
                return Break(End::Told(codes::rejection(&reason)));
            }
            Told::Accepted(grant) => {
                self.peer.decided();
                self.stage = Stage::Seated(grant.session);
                self.wire.put_text(Said::accepted(&grant).to_json());
            }
            Told::Joined => {
                if let Stage::Seated(session) = self.stage {
                    self.stage = Stage::Playing(session);
                    self.join(session);
                }
            }
            Told::Data(bytes) => {
                self.under_way += bytes.len();
                self.wire.put_binary(&bytes);
            }
            Told::Ended(how) => return Break(End::Told(codes::ending(&how))),
        }
        Continue(())
    }

    /// The peer has something to say.
    fn heard(&mut self, heard: Heard) -> ControlFlow<End> {
        match heard {
            Heard::Message { bytes, text } => {
                self.count()?;
                self.message(&bytes, text)
            }
            Heard::Control => self.count(),
            Heard::Goodbye(code) => Break(End::Left(codes::departure(code))),
            Heard::Misdeed(misdeed) => Break(End::Misdeed(misdeed)),
            Heard::Closed => Break(End::Lost(Departure::Dropped)),
        }
    }

    fn count(&mut self) -> ControlFlow<End> {
        match self.messages.take(1, Instant::now()) {
            true => Continue(()),
            false => Break(End::Misdeed(Misdeed::TooFast)),
        }
    }

    fn message(&mut self, bytes: &Bytes, text: bool) -> ControlFlow<End> {
        let Stage::Playing(session) = self.stage else {
            return Break(End::Misdeed(Misdeed::Early));
        };
        if text {
            return Break(End::Misdeed(Misdeed::Text));
        }
        if bytes.len() > self.door.config.max_message as usize {
            return Break(End::Misdeed(Misdeed::TooLong));
        }
        match &self.line {
            Some(line) => line.send(bytes),
            None => {
                let message = Message {
                    data: bytes[..].into(),
                    delivery: Delivery::Ordered,
                    channel: 0,
                };
                self.give(session, message);
            }
        }
        Continue(())
    }

    /// It is in the game.
    fn join(&mut self, session: SessionId) {
        let Game::Relay(relay) = &self.door.game else {
            // The core tells the rules.
            return;
        };
        self.line = relay.line(&self.door.name);
        if self.line.is_none() {
            let reason = relay::unreachable();
            self.door.core.send(Input::Kick { session, reason });
        }
    }

    /// The game server has something for the player. Everything travels in order here.
    fn answer(&mut self) {
        let Talk { line, wire, .. } = self;
        let Some(line) = line else { return };
        let mut bytes = 0;
        for _ in 0..TOGETHER {
            let heard = line.receive(|datagram| {
                bytes += datagram.len();
                wire.put_binary(datagram);
            });
            if !heard || bytes >= ENOUGH {
                return;
            }
        }
    }

    /// Gives the rules a message, or keeps it until they have room.
    fn give(&mut self, session: SessionId, message: Message) {
        let Game::Rules(mailbox) = &self.door.game else {
            // It is being sent away.
            return;
        };
        if mailbox.is_closed() {
            return metrics::message_dropped(&self.door.name, "rules-busy");
        }
        if mailbox.message(session, message.clone()).is_err() {
            self.kept = Some((message, Instant::now() + AGAIN));
        }
    }

    fn beat(&mut self) -> ControlFlow<End> {
        let state = State {
            received: self.wire.received(),
            reads: self.reads(),
            dirty: self.wire.dirty(),
        };
        match self.pulse.beat(state, Instant::now()) {
            Beat::Wait => Continue(()),
            Beat::Ask => {
                self.wire.put_ping();
                Continue(())
            }
            Beat::Gone => Break(End::Misdeed(Misdeed::Absent)),
        }
    }
}

/// Until the game server may have said something; never, where there is none.
async fn answered(line: Option<&Line>) {
    let readable = match line {
        Some(line) => line.readable().await.is_ok(),
        None => false,
    };
    if !readable {
        std::future::pending().await
    }
}
