//! The sockets of all players of a door that has one thread for them.
//!
//! They are waited for together: a poll of their own holds them, and the door's runtime waits for that poll as
//! for one more file. So a door with a thousand players wakes once for all whom the game server answered.

use super::losses::{Loss, Losses};
use super::server::{LONGEST, Relay};
use mio::net::UdpSocket;
use mio::{Events, Interest, Poll, Token};
use std::collections::{HashMap, VecDeque};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use usher_core::SessionId;
use usher_runtime::Delivery;

/// How many sockets are heard of in one call.
const HEARD_OF: usize = 256;

/// How many datagrams of one player are taken up before the others have their turn.
const EACH: usize = 8;

/// The sockets.
pub struct Lines {
    relay: Relay,
    door: Arc<str>,
    poll: AsyncFd<Poll>,
    events: Events,
    places: Vec<Option<Place>>,
    free: Vec<usize>,
    by_session: HashMap<SessionId, usize>,
    /// Where there may be something to receive, the longest waiting first.
    ready: VecDeque<usize>,
    losses: Losses,
    buffer: Box<[u8]>,
}

struct Place {
    session: SessionId,
    socket: UdpSocket,
    /// Whether it is among those where there may be something.
    ready: bool,
}

impl Lines {
    /// None yet. Must be called within the runtime that waits for them.
    ///
    /// # Errors
    ///
    /// What the system says when it has no file to give.
    #[expect(
        deprecated,
        reason = "its successor needs unsafe code, for types whose file could become another; that of a Poll \
                  is its own for as long as it lives"
    )]
    pub fn new(relay: Relay, door: Arc<str>) -> io::Result<Lines> {
        Ok(Lines {
            relay,
            door,
            poll: AsyncFd::with_interest(Poll::new()?, tokio::io::Interest::READABLE)?,
            events: Events::with_capacity(HEARD_OF),
            places: Vec::new(),
            free: Vec::new(),
            by_session: HashMap::new(),
            ready: VecDeque::new(),
            losses: Losses::default(),
            buffer: vec![0; LONGEST].into(),
        })
    }

    /// How what the game server says is to travel.
    pub fn delivery(&self) -> Delivery {
        self.relay.delivery()
    }

    /// A player is in. False: there is no socket for it, and it cannot play. Who has a socket keeps it, so that the
    /// game server goes on seeing the same player.
    #[must_use]
    pub fn open(&mut self, session: SessionId) -> bool {
        if self.by_session.contains_key(&session) {
            return true;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() - 1
        });
        match self.connect(place) {
            Ok(socket) => {
                self.places[place] = Some(Place {
                    session,
                    socket,
                    ready: false,
                });
                self.by_session.insert(session, place);
                true
            }
            Err(error) => {
                self.free.push(place);
                self.losses.count(Loss::NoSocket);
                self.relay.warn_of_no_socket(&error);
                false
            }
        }
    }

    fn connect(&self, place: usize) -> io::Result<UdpSocket> {
        let mut socket = UdpSocket::from_std(self.relay.connect()?);
        let registry = self.poll.get_ref().registry();
        registry.register(&mut socket, Token(place), Interest::READABLE)?;
        Ok(socket)
    }

    /// A player is gone: its socket is closed.
    pub fn close(&mut self, session: SessionId) {
        let Some(place) = self.by_session.remove(&session) else {
            return;
        };
        // A socket that is closed is polled no more.
        self.places[place] = None;
        self.free.push(place);
        if self.by_session.is_empty() {
            // After a crowd, memory is given back.
            self.places = Vec::new();
            self.free = Vec::new();
            self.by_session = HashMap::new();
            self.ready = VecDeque::new();
        }
    }

    /// Sends what a player sent. What is lost is counted: the game server promised nothing.
    pub fn send(&mut self, session: SessionId, bytes: &[u8]) {
        let place = self.by_session.get(&session);
        let Some(Some(place)) = place.map(|place| &self.places[*place]) else {
            return;
        };
        let mut sent = place.socket.send(bytes);
        if matches!(&sent, Err(error) if error.kind() == ErrorKind::ConnectionRefused) {
            // It is said of one before; this one was not sent.
            self.losses.count(Loss::Gone);
            self.relay.warn_of_gone();
            sent = place.socket.send(bytes);
        }
        if let Err(error) = sent {
            self.losses.count(Loss::of(&error));
        }
    }

    /// Until the game server may have said something. Safe to cancel.
    ///
    /// # Errors
    ///
    /// What the system says when it cannot be waited for.
    pub async fn readable(&mut self) -> io::Result<()> {
        loop {
            self.look();
            if !self.ready.is_empty() {
                return Ok(());
            }
            self.poll.readable().await?.retain_ready();
        }
    }

    /// Whether the game server may have said something already.
    pub fn is_readable(&mut self) -> bool {
        self.look();
        !self.ready.is_empty()
    }

    /// Takes note of the sockets where something came. Asks the system only if there is news of any.
    fn look(&mut self) {
        let Lines {
            poll,
            events,
            places,
            ready,
            ..
        } = self;
        let read = tokio::io::Interest::READABLE;
        let looked = poll.try_io_mut(read, |poll| {
            poll.poll(events, Some(Duration::ZERO))?;
            match events.is_empty() {
                true => Err(ErrorKind::WouldBlock.into()),
                false => Ok(()),
            }
        });
        if looked.is_err() {
            return;
        }
        for event in events.iter() {
            let Token(place) = event.token();
            if let Some(Some(known)) = places.get_mut(place)
                && !std::mem::replace(&mut known.ready, true)
            {
                ready.push_back(place);
            }
        }
    }

    /// Receives what is there, at most about so many datagrams, and gives each to `take`. Empty ones are
    /// nothing that a player could be sent.
    pub fn receive(&mut self, most: usize, mut take: impl FnMut(SessionId, &[u8])) {
        let mut left = most;
        while left > 0
            && let Some(place) = self.ready.pop_front()
        {
            let Some(Some(known)) = self.places.get_mut(place) else {
                continue;
            };
            let mut drained = false;
            for _ in 0..EACH.min(left) {
                match known.socket.recv(&mut self.buffer) {
                    Ok(length) => {
                        left -= 1;
                        if let Some(bytes) = self.buffer.get(..length)
                            && length > 0
                        {
                            take(known.session, bytes);
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                        left -= 1;
                        self.losses.count(Loss::Gone);
                        self.relay.warn_of_gone();
                    }
                    // Nothing more is there; or it cannot be received, and then it is tried when more comes.
                    Err(_) => {
                        drained = true;
                        break;
                    }
                }
            }
            match drained {
                true => known.ready = false,
                false => self.ready.push_back(place),
            }
        }
    }

    /// Whether the metrics are to be told something.
    pub fn has_news(&self) -> bool {
        self.losses.any()
    }

    /// Tells the metrics what was counted.
    pub fn hand_on(&mut self) {
        self.losses.flush(&self.door);
    }
}

#[cfg(test)]
mod tests;
