//! The client's side: from the first request over the server's decision to the game and the goodbye. Sans-IO,
//! as [`Connection`](super::Connection) is.
//!
//! ```
//! # use std::net::{Ipv4Addr, SocketAddrV4};
//! # use std::time::Duration;
//! use usher_wire::raknet::initiator::{Event, Initiator, Setup};
//! use usher_wire::raknet::{Budget, Dialect, Guid};
//!
//! # let (server, now) = (SocketAddrV4::new(Ipv4Addr::LOCALHOST, 4243), Duration::ZERO);
//! let mut setup = Setup::new(Dialect::MAFIANET, Guid(0x1234), server);
//! setup.payload = b"ticket=abc".to_vec();
//! let mut client = Initiator::new(setup, Budget::default(), now);
//!
//! let mut datagram = Vec::new();
//! while client.poll_transmit(now, &mut datagram) {
//!     assert_eq!(datagram.len(), 1372); // to be sent to the server
//! }
//! while let Some(event) = client.poll_event() {
//!     assert!(matches!(event, Event::Asked { attempt: 1, mtu: 1400 }));
//! }
//! assert_eq!(client.poll_timeout(), Some(Duration::from_millis(500)));
//! ```
//!
//! After anything went in, and at [`poll_timeout`](Initiator::poll_timeout) at the latest, the caller takes
//! out all datagrams and then all events. Datagrams that are not of the server's address are for the caller
//! to drop. Dropping an initiator is what a crash looks like to the server; [`leave`](Initiator::leave) says
//! goodbye.

mod event;
mod opening;
mod session;
mod setup;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use super::connection::{Budget, SendError};
use super::reliability::Reliability;
use opening::{Heard, Opening};
use session::Session;

pub use event::{Ending, Event, State};
pub use setup::Setup;

/// A client's connection to one server.
#[derive(Debug)]
pub struct Initiator {
    setup: Setup,
    phase: Phase,
    events: VecDeque<Event>,
    budget: Budget,
}

#[derive(Debug)]
enum Phase {
    Opening(Opening),
    Session(Box<Session>),
    Over,
}

/// Why a message of the game is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unsent {
    /// We are not in, or not any more.
    #[error("not connected")]
    NotConnected,
    /// The connection does not take it.
    #[error(transparent)]
    Refused(#[from] SendError),
}

impl Initiator {
    /// A connection that begins now. `budget` bounds what long and reordered messages may take.
    #[must_use]
    pub fn new(setup: Setup, budget: Budget, now: Duration) -> Self {
        Self {
            setup,
            phase: Phase::Opening(Opening::new(now)),
            events: VecDeque::new(),
            budget,
        }
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> State {
        match &self.phase {
            Phase::Opening(_) => State::Connecting,
            Phase::Session(session) => session.state(),
            Phase::Over => State::Ended,
        }
    }

    /// Messages of the game that the server sent before it let us in. They are dropped, and there should be
    /// none.
    #[must_use]
    pub fn early(&self) -> u64 {
        self.session().map_or(0, Session::early)
    }

    /// Datagrams and messages that were malformed.
    #[must_use]
    pub fn malformed(&self) -> u64 {
        self.session().map_or(0, Session::malformed)
    }

    /// The round trip to the server, once one was measured.
    #[must_use]
    pub fn rtt(&self) -> Option<Duration> {
        self.session().and_then(Session::rtt)
    }

    fn session(&self) -> Option<&Session> {
        match &self.phase {
            Phase::Session(session) => Some(session),
            _ => None,
        }
    }

    /// Takes a datagram of the server.
    pub fn receive(&mut self, datagram: &[u8], now: Duration) {
        let heard = match &mut self.phase {
            Phase::Opening(opening) => opening.receive(datagram),
            Phase::Session(session) => {
                return session.receive(datagram, &self.setup, now, &mut self.events);
            }
            Phase::Over => return,
        };
        match heard {
            Heard::Nothing => {}
            Heard::Begun { mtu } => {
                let session = Session::begin(&self.setup, mtu, self.budget.clone(), now);
                self.phase = Phase::Session(Box::new(session));
                self.events.push_back(Event::Opened { mtu });
            }
            Heard::Refused(refusal) => self.end(Ending::Refused(refusal)),
        }
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Writes the next datagram that is due into the buffer, which is cleared. Call it until it gives false.
    pub fn poll_transmit(&mut self, now: Duration, out: &mut Vec<u8>) -> bool {
        out.clear();
        let opening = match &mut self.phase {
            Phase::Opening(opening) => opening,
            Phase::Session(session) => {
                return session.poll_transmit(&self.setup, now, out, &mut self.events);
            }
            Phase::Over => return false,
        };
        if opening.answer(&self.setup, out) {
            return true;
        }
        if let Some(asked) = opening.ask(&self.setup, now, out) {
            self.events.push_back(Event::Asked {
                attempt: asked.attempt,
                mtu: asked.mtu,
            });
            return true;
        }
        if opening.is_over(&self.setup, now) {
            self.end(Ending::Unanswered);
        }
        false
    }

    /// When to call [`poll_transmit`](Self::poll_transmit) again if nothing else happens before; a time that
    /// has passed means at once. None once it is over.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Duration> {
        match &self.phase {
            Phase::Opening(opening) => Some(opening.due()),
            Phase::Session(session) => session.poll_timeout(&self.setup),
            Phase::Over => None,
        }
    }

    /// Sends a message of the game, its id first. The channel counts for ordered and sequenced ones.
    ///
    /// # Errors
    ///
    /// [`Unsent`]; nothing of the message is sent.
    pub fn send(
        &mut self,
        bytes: &[u8],
        reliability: Reliability,
        channel: u8,
        now: Duration,
    ) -> Result<(), Unsent> {
        self.send_bits(bytes, bytes.len() * 8, reliability, channel, now)
    }

    /// The same for a message that may end inside a byte.
    ///
    /// # Errors
    ///
    /// [`Unsent`]; nothing of the message is sent.
    pub fn send_bits(
        &mut self,
        bytes: &[u8],
        bits: usize,
        reliability: Reliability,
        channel: u8,
        now: Duration,
    ) -> Result<(), Unsent> {
        match &mut self.phase {
            Phase::Session(session) if session.state() == State::Connected => {
                Ok(session.send(bytes, bits, reliability, channel, now)?)
            }
            _ => Err(Unsent::NotConnected),
        }
    }

    /// Says goodbye, with a reason where the dialect has one; also to a server that has us wait. It is over
    /// once the server has acknowledged that, or after 3 s.
    pub fn leave(&mut self, reason: &[u8], now: Duration) {
        match &mut self.phase {
            Phase::Session(session) => session.leave(reason, &self.setup, now),
            // There is nothing yet that could be ended.
            Phase::Opening(_) => self.end(Ending::Left),
            Phase::Over => {}
        }
    }

    fn end(&mut self, ending: Ending) {
        self.phase = Phase::Over;
        self.events.push_back(Event::Ended(ending));
    }
}
