//! A peer that says whatever a test has it say, and the server's side of it.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use super::super::{Acceptor, Event, Opening, Server, Stage};
use crate::raknet::{
    Addresses, Budget, Connection, Dialect, Guid, Limits, Message, Password, Reliability, Share,
};

pub(super) const CLIENT: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 1), 4000);
pub(super) const THEIRS: Guid = Guid(0xb90b_c9db_a512_890e);
pub(super) const OURS: Guid = Guid(0xe8d7_dd5d_81f6_f788);

/// What the server's clock says at the beginning; the client's says 0.
pub(super) const CLOCK: u64 = 1_700_000_000_000;

pub(super) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(super) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

pub(super) fn server() -> Server {
    Server {
        guid: OURS,
        address: None,
        clock: CLOCK,
        timeout: secs(10),
        pending: Share::default(),
        accepted: Limits::accepted(),
        budget: Budget::default(),
    }
}

pub(super) fn opening(dialect: &'static Dialect) -> Opening {
    Opening {
        dialect,
        client: CLIENT,
        guid: THEIRS,
        mtu: 1400,
    }
}

/// The peer, the server's side of it, and the time that they share.
pub(super) struct World {
    pub(super) server: Server,
    pub(super) peer: Acceptor,
    pub(super) client: Connection,
    pub(super) now: Duration,
    pub(super) dialect: &'static Dialect,
    /// Whether the client takes and sends anything.
    pub(super) alive: bool,
    pub(super) events: Vec<Event>,
    /// What the client got, as whole messages.
    pub(super) got: Vec<Vec<u8>>,
}

impl World {
    pub(super) fn new(dialect: &'static Dialect) -> World {
        let (server, now) = (server(), ms(21));
        let limits = Limits {
            max_parts: 4096,
            ..Limits::accepted()
        };
        World {
            peer: Acceptor::new(&server, opening(dialect), now),
            client: Connection::new(1400, limits, Budget::default(), now),
            server,
            now,
            dialect,
            alive: true,
            events: Vec::new(),
            got: Vec::new(),
        }
    }

    /// One that has asked to connect.
    pub(super) fn requested(dialect: &'static Dialect, password: &[u8]) -> World {
        let mut world = World::new(dialect);
        world.say(
            &Message::ConnectionRequest {
                guid: THEIRS,
                time: 21,
                password: Password::new(password),
            },
            Reliability::Reliable,
        );
        world.run(ms(20));
        assert_eq!(world.peer.stage(), Stage::Requested);
        world
    }

    /// One that was told that its request to connect is accepted.
    pub(super) fn handling() -> World {
        let mut world = World::requested(Dialect::MAFIANET, b"");
        world.events.clear();
        world.peer.admit(&world.server, world.now);
        world.run(ms(20));
        assert_eq!(world.peer.stage(), Stage::Handling);
        world.got.clear();
        world
    }

    /// One that is about to send its session request.
    pub(super) fn exchanging() -> World {
        let mut world = World::handling();
        world.confirm();
        world.run(ms(20));
        assert_eq!(world.peer.stage(), Stage::Exchanging);
        world
    }

    /// One whose session request is being decided.
    pub(super) fn pending() -> World {
        let mut world = World::exchanging();
        world.say_ordered(&Message::SessionRequest(b"ticket"));
        world.run(ms(20));
        assert_eq!(world.peer.stage(), Stage::Pending);
        world.events.clear();
        world
    }

    /// One that is in, and knows it.
    pub(super) fn inside() -> World {
        let mut world = World::pending();
        world
            .peer
            .accept(&world.server, b"map", world.now)
            .expect("it waits");
        world.run(ms(50));
        assert_eq!(world.peer.stage(), Stage::Connected);
        world.got.clear();
        world
    }

    /// The client confirms that it was accepted.
    pub(super) fn confirm(&mut self) {
        let confirmation = Message::NewIncoming {
            server: SocketAddrV4::new(Ipv4Addr::LOCALHOST, 61010),
            addresses: Addresses::new(&[], self.dialect),
            accepted_time: CLOCK + self.millis(),
            time: self.millis(),
        };
        self.say_ordered(&confirmation);
    }

    /// The client's clock.
    pub(super) fn millis(&self) -> u64 {
        u64::try_from(self.now.as_millis()).expect("a test is short")
    }

    pub(super) fn say_ordered(&mut self, message: &Message<'_>) {
        self.say(message, Reliability::ReliableOrdered);
    }

    pub(super) fn say(&mut self, message: &Message<'_>, reliability: Reliability) {
        self.send(&message.to_bytes(), reliability, 0);
    }

    pub(super) fn send(&mut self, bytes: &[u8], reliability: Reliability, channel: u8) {
        let sent = self.client.send(bytes, reliability, channel);
        sent.expect("a queue of a few MiB");
    }

    /// Lets time pass, with a round trip every 5 ms.
    pub(super) fn run(&mut self, time: Duration) {
        let end = self.now + time;
        loop {
            self.exchange();
            if self.now >= end {
                return;
            }
            self.now += ms(5);
        }
    }

    /// Both sides send what is due.
    fn exchange(&mut self) {
        let mut datagram = Vec::new();
        while self.alive && self.client.poll_transmit(self.now, &mut datagram) {
            // A test may send what is malformed.
            let _ = self
                .peer
                .receive(&self.server, &datagram, self.now, &mut self.events);
        }
        self.peer
            .handle_timeout(&self.server, self.now, &mut self.events);
        while self.peer.poll_transmit(self.now, &mut datagram) {
            assert!(datagram.len() <= 1372);
            if self.alive {
                self.client
                    .receive(&datagram, self.now)
                    .expect("well-formed");
            }
        }
        let due = self.peer.poll_timeout(&self.server);
        assert!(
            due.is_none_or(|due| due > self.now),
            "it is due in the past"
        );
        while let Some(message) = self.client.poll_message() {
            self.got.push(message.bytes);
        }
    }

    /// Lets time pass until nothing is left of the peer, in the budget neither: how long that was.
    pub(super) fn run_to_the_end(&mut self) -> Duration {
        let took = self.run_until_over();
        assert_eq!(self.server.budget.used(), 0);
        took
    }

    /// Lets time pass until the peer is over: how long that was.
    pub(super) fn run_until_over(&mut self) -> Duration {
        let start = self.now;
        while self.peer.stage() != Stage::Over {
            self.run(ms(5));
            assert!(self.now < start + secs(100), "it never ends");
        }
        assert_eq!(self.peer.poll_timeout(&self.server), None);
        self.now - start
    }

    /// What the client got that is not a ping.
    pub(super) fn heard(&self) -> Vec<&[u8]> {
        let all = self.got.iter().map(Vec::as_slice);
        all.filter(|bytes| bytes[0] != 0).collect()
    }

    /// What happened, in words that can be compared.
    pub(super) fn happened(&self) -> Vec<String> {
        self.events
            .iter()
            .map(|event| format!("{event:?}"))
            .collect()
    }
}
