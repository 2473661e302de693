//! The server's side of one peer: from the second request over the decision to the game and the goodbye.
//! Sans-IO, as [`Connection`] is.
//!
//! Whether a peer gets a place at all, and what is decided about it, is the caller's. The offline answers are
//! too, since a server keeps nothing for them: make an acceptor when a second request is to have a place, and
//! tell the peer so.
//!
//! After anything went in, and at [`poll_timeout`](Acceptor::poll_timeout) at the latest, the caller calls
//! [`handle_timeout`](Acceptor::handle_timeout) and takes out all datagrams. When its stage is
//! [`Stage::Over`], nothing is left to do.
//!
//! Nothing of the game goes to a peer or comes from it before it is accepted, whatever it sends; and what one
//! peer sends harms no other.

mod event;
mod first;
mod hear;
mod say;
mod server;
#[cfg(test)]
mod tests;
mod unsent;
mod waiting;

use std::net::SocketAddrV4;
use std::time::Duration;

use super::clock::PeerClock;
use super::connection::Connection;
use super::datagram::{Datagram, encode_ack};
use super::dialect::Dialect;
use super::guid::Guid;
use super::malformed::Malformed;
use super::message::Message;
use super::reliability::Reliability;

use first::asks_to_connect;
use waiting::Waiting;

pub use event::{Cause, Event, Password, Stage, Violation};
pub use server::Server;
pub use unsent::Unsent;

/// How long a peer has from its second request to the confirmation that it was accepted.
const OPENING: Duration = Duration::from_secs(10);

/// What a peer is told that sends a message of too many parts.
const TOO_LONG: &[u8] = b"A message was too long.";

/// How long we stay to acknowledge what comes late of a peer that has left.
pub const LINGER: Duration = Duration::from_secs(1);

/// Who asks, as the second request says.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    /// What it speaks.
    pub dialect: &'static Dialect,
    /// Where it is.
    pub client: SocketAddrV4,
    /// What it calls itself.
    pub guid: Guid,
    /// The MTU that it wants; clamped.
    pub mtu: u16,
}

/// One peer of a server.
#[derive(Debug)]
pub struct Acceptor {
    connection: Connection,
    opening: Opening,
    stage: Stage,
    /// When a stage ends that may not last: the opening, and the end.
    until: Nanos,
    /// When it was last told anything that it has to acknowledge.
    spoke: Nanos,
    /// The time of its request, on its clock.
    request_time: u64,
    clock: PeerClock,
    /// What the game says to it before it can know that it is in.
    waiting: Option<Box<Waiting>>,
    /// Its last word was heard, and it has to hear nothing more than that.
    has_left: bool,
}

/// A time in 8 bytes in place of 16: there may be thousands of peers.
#[derive(Debug, Clone, Copy)]
struct Nanos(u64);

impl Nanos {
    fn of(time: Duration) -> Self {
        // 584 years.
        Self(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    fn time(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

impl Acceptor {
    /// A peer that has a place from now on.
    #[must_use]
    pub fn new(server: &Server, opening: Opening, now: Duration) -> Self {
        Self {
            connection: connection(server, &opening, now),
            opening,
            stage: Stage::Unverified,
            until: Nanos::of(now + OPENING),
            spoke: Nanos::of(now),
            request_time: 0,
            clock: PeerClock::default(),
            waiting: None,
            has_left: false,
        }
    }

    /// Where it stands.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// What it said of itself.
    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// The round trip to it, once one was measured.
    #[must_use]
    pub fn rtt(&self) -> Option<Duration> {
        self.connection.rtt()
    }

    /// How many messages and parts of messages it was sent again since this was asked last.
    pub fn take_repeated(&mut self) -> u32 {
        self.connection.take_repeated()
    }

    /// What it takes, in bytes, itself included. A payload that was handed over is not in it.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>() - size_of::<Connection>() + self.connection.memory()
    }

    /// Takes a datagram of its connection. What comes of it is appended to `events`.
    ///
    /// Until its request to connect has come, a datagram that does not begin with that is as if it had not: it
    /// may be a late one of the connection that its address had before, with numbers of that.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: some of the datagram was ignored. The peer goes on.
    pub fn receive(
        &mut self,
        server: &Server,
        datagram: &[u8],
        now: Duration,
        events: &mut Vec<Event>,
    ) -> Result<(), Malformed> {
        if self.stage == Stage::Over {
            return Ok(());
        }
        if self.stage == Stage::Unverified && !asks_to_connect(datagram, self.opening.dialect)? {
            events.push(Event::Dropped(Cause::Ignored));
            return Ok(());
        }
        let received = self.connection.receive(datagram, now);
        while let Some(message) = self.connection.poll_message() {
            self.hear(server, message, now, events);
        }
        if self.stage == Stage::Unverified {
            // A request that cannot be due, such as one that is to wait for others, is none.
            self.connection = connection(server, &self.opening, now);
        }
        if self.connection.all_acked() {
            self.all_acked();
        }
        if matches!(received, Err(Malformed::TooManyParts { .. })) {
            self.too_long(now, events);
        }
        received
    }

    /// Does what is due. What comes of it is appended to `events`.
    pub fn handle_timeout(&mut self, server: &Server, now: Duration, events: &mut Vec<Event>) {
        match self.stage {
            Stage::Over => return,
            Stage::Closing if now >= self.until.time() => return self.end(),
            Stage::Unverified | Stage::Requested | Stage::Handling if now >= self.until.time() => {
                self.end();
                return events.push(Event::Expired);
            }
            _ => {}
        }
        if self.connection.is_lost(now) {
            if self.stage != Stage::Closing {
                let is_silent = now >= self.connection.last_heard() + server.timeout;
                let is_stuck = self.connection.is_stuck(now) && !is_silent;
                events.push(match is_stuck {
                    true => Event::Violated(Violation::Unfinished),
                    false => Event::Lost,
                });
            }
            return self.end();
        }
        if self.ping_due(server).is_some_and(|due| now >= due) {
            let time = server.clock_at(now);
            // A queue that is full is not acknowledged either, which serves as well.
            let _ = self.say(&Message::Ping { time }, Reliability::Reliable, now);
            self.spoke = Nanos::of(now);
        }
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) and
    /// [`poll_transmit`](Self::poll_transmit) again if nothing else happens before; a time that has passed
    /// means at once. None once it is over.
    #[must_use]
    pub fn poll_timeout(&self, server: &Server) -> Option<Duration> {
        let until = match self.stage {
            Stage::Over => return None,
            Stage::Unverified | Stage::Requested | Stage::Handling | Stage::Closing => {
                Some(self.until.time())
            }
            Stage::Exchanging | Stage::Pending | Stage::Connected => None,
        };
        let due = [until, self.ping_due(server), self.connection.poll_timeout()];
        due.into_iter().flatten().min()
    }

    /// Writes the next datagram that is due into the buffer, which is cleared. Call it until it gives false.
    pub fn poll_transmit(&mut self, now: Duration, out: &mut Vec<u8>) -> bool {
        out.clear();
        self.stage != Stage::Over && self.connection.poll_transmit(now, out)
    }

    /// Whether it has left, and nothing is left to do but to [acknowledge](late_ack) what still comes for the
    /// [`LINGER`] of a second. An acceptor is not needed for that.
    #[must_use]
    pub fn only_lingers(&self) -> bool {
        self.stage == Stage::Closing && self.has_left && self.connection.is_settled()
    }

    /// It has heard all that it was told.
    fn all_acked(&mut self) {
        match self.stage {
            Stage::Closing if !self.has_left => self.end(),
            Stage::Connected => self.send_waiting(),
            _ => {}
        }
    }

    /// It knows that it is in: what waited for that is sent.
    fn send_waiting(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            waiting.send(&mut self.connection, |_| true);
        }
    }

    /// It begins a message that is longer than any that it may send. What follows in that one's channel could
    /// never be due.
    fn too_long(&mut self, now: Duration, events: &mut Vec<Event>) {
        match self.stage {
            Stage::Closing | Stage::Over => {}
            Stage::Connected => {
                self.say_goodbye(TOO_LONG, now);
                events.push(Event::Violated(Violation::Message));
            }
            _ => {
                self.end();
                events.push(Event::Violated(Violation::Payload));
            }
        }
    }

    fn close(&mut self, until: Duration) {
        self.stage = Stage::Closing;
        self.until = Nanos::of(until);
        self.connection.release();
        self.connection.forget_unfinished();
        self.waiting = None;
    }

    fn end(&mut self) {
        self.close(Duration::ZERO);
        self.stage = Stage::Over;
    }

    /// A peer that has nothing to say is asked for a sign of life, so that one that vanished is found in time.
    fn ping_due(&self, server: &Server) -> Option<Duration> {
        match self.stage {
            Stage::Exchanging | Stage::Pending | Stage::Connected => {
                Some(self.spoke.time() + server.timeout / 2)
            }
            _ => None,
        }
    }
}

/// Writes the acknowledgement of a datagram that came from a peer of whom nothing is kept any more into the buffer,
/// which is cleared. False: it needs none.
pub fn late_ack(datagram: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    match Datagram::parse(datagram) {
        Ok(Datagram::Data { number, .. }) => {
            encode_ack(&[(number, number)], datagram.len(), out) == 1
        }
        _ => false,
    }
}

/// A connection on which nothing was said.
fn connection(server: &Server, opening: &Opening, now: Duration) -> Connection {
    let mtu = Dialect::agreed_mtu(opening.mtu);
    Connection::new(mtu, server.pending(mtu), server.budget.clone(), now)
}

/// Whether a message of this id is the game's, and not the protocol's own.
fn is_the_games(id: u8, dialect: &Dialect) -> bool {
    match id {
        0..=0x1a | 0x1c => false,
        0x80..=0x84 => !dialect.session_exchange,
        _ => true,
    }
}
