//! A server to test against: it opens at once, and says only what a test has it say.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use super::super::{Ending, Event, Initiator, Setup, State};
use crate::raknet::{
    Addresses, Budget, Class, Connection, Dialect, Guid, Incoming, Limits, Message, Offline,
    Reliability, classify,
};

pub(super) const DIALLED: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 61010);
pub(super) const SEEN: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 61011);
pub(super) const OURS: Guid = Guid(0xb90b_c9db_a512_890e);
pub(super) const THEIRS: Guid = Guid(0xe8d7_dd5d_81f6_f788);

pub(super) fn setup() -> Setup {
    Setup::new(Dialect::MAFIANET, OURS, DIALLED)
}

pub(super) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A client, a server and the time that they share.
pub(super) struct Pair {
    pub(super) client: Initiator,
    pub(super) server: Connection,
    pub(super) now: Duration,
    pub(super) dialect: &'static Dialect,
    /// Whether the server takes and sends anything.
    pub(super) answers: bool,
    pub(super) events: Vec<Event>,
    /// What the server got, as whole messages.
    pub(super) got: Vec<Incoming>,
    /// How far the server's clock is ahead, in milliseconds.
    pub(super) ahead: u64,
    /// One of so many datagrams is lost, whichever way it goes; 0 for none.
    pub(super) loses: u64,
    chance: u64,
    budget: Budget,
}

impl Pair {
    pub(super) fn new(setup: Setup) -> Self {
        let (now, budget) = (ms(21), Budget::default());
        let dialect = setup.dialect;
        Self {
            client: Initiator::new(setup, budget.clone(), now),
            server: Connection::new(1400, Limits::pending(1400), budget.clone(), now),
            now,
            dialect,
            answers: true,
            events: Vec::new(),
            got: Vec::new(),
            ahead: 0,
            loses: 0,
            chance: 1,
            budget,
        }
    }

    /// One whose request the server has, and has not decided.
    pub(super) fn waiting(setup: Setup) -> Self {
        let mut pair = Self::new(setup);
        pair.run(ms(50));
        pair.accept_request();
        pair.run(ms(50));
        assert_eq!(pair.client.state(), State::Connecting);
        pair
    }

    /// One that is in.
    pub(super) fn inside(setup: Setup) -> Self {
        let mut pair = Self::waiting(setup);
        pair.say(&Message::SessionConfig(b"map"));
        pair.run(ms(50));
        assert_eq!(pair.client.state(), State::Connected);
        pair.events.clear();
        pair.got.clear();
        pair
    }

    /// The server says something, ordered, on channel 0.
    pub(super) fn say(&mut self, message: &Message<'_>) {
        self.send(&message.to_bytes(), Reliability::ReliableOrdered);
    }

    pub(super) fn send(&mut self, bytes: &[u8], reliability: Reliability) {
        self.server.send(bytes, reliability, 0).unwrap();
    }

    pub(super) fn accept_request(&mut self) {
        let accepted = Message::Accepted {
            client: SEEN,
            index: 0,
            addresses: Addresses::new(&[], self.dialect),
            request_time: 21,
            time: self.server_time(),
        };
        self.say(&accepted);
    }

    pub(super) fn server_time(&self) -> u64 {
        self.now.as_millis() as u64 + self.ahead
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

    /// Lets time pass until the client's connection is over: how it ended, and after how long.
    pub(super) fn run_to_the_end(&mut self) -> (Ending, Duration) {
        let start = self.now;
        while self.client.state() != State::Ended {
            self.run(ms(5));
            assert!(self.now < start + Duration::from_secs(100), "it never ends");
        }
        assert_eq!(self.client.poll_timeout(), None);
        match self.events.pop() {
            Some(Event::Ended(ending)) => (ending, self.now - start),
            other => panic!("{other:?} is the last event"),
        }
    }

    /// Both sides send what is due.
    fn exchange(&mut self) {
        let mut datagram = Vec::new();
        while self.client.poll_transmit(self.now, &mut datagram) {
            let largest = usize::from(self.dialect.rungs[0] - 28);
            assert!(datagram.len() <= largest);
            if self.answers && self.arrives() {
                self.serve(&datagram);
            }
        }
        while self.answers && self.server.poll_transmit(self.now, &mut datagram) {
            if self.arrives() {
                self.client.receive(&datagram, self.now);
            }
        }
        self.events
            .extend(std::iter::from_fn(|| self.client.poll_event()));
    }

    fn serve(&mut self, datagram: &[u8]) {
        if classify(datagram) == Class::Connected {
            self.server.receive(datagram, self.now).unwrap();
            while let Some(message) = self.server.poll_message() {
                self.pong(&message);
                self.got.push(message);
            }
            return;
        }
        let reply = match Offline::parse(datagram, false).unwrap() {
            Offline::Request1 { length, .. } => Offline::Reply1 {
                guid: THEIRS,
                cookie: None,
                mtu: Dialect::offered_mtu(length),
            },
            Offline::Request2 { mtu, .. } => Offline::Reply2 {
                guid: THEIRS,
                client: SEEN,
                mtu,
            },
            other => panic!("{other:?} is not for a server"),
        };
        let mut bytes = Vec::new();
        reply.encode(&mut bytes);
        if self.arrives() {
            self.client.receive(&bytes, self.now);
        }
    }

    fn arrives(&mut self) -> bool {
        // Knuth's generator: the same losses in each run.
        self.chance = self
            .chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.loses == 0 || !(self.chance >> 33).is_multiple_of(self.loses)
    }

    fn pong(&mut self, message: &Incoming) {
        if let Ok(Message::Ping { time }) = Message::parse(&message.bytes, self.dialect) {
            let pong = Message::Pong {
                ping: time,
                pong: self.server_time(),
            };
            self.send(&pong.to_bytes(), Reliability::Unreliable);
        }
    }

    /// Texts of the statuses so far.
    pub(super) fn statuses(&self) -> Vec<&[u8]> {
        let events = self.events.iter();
        let texts = events.filter_map(|event| match event {
            Event::Status(text) => Some(text.as_slice()),
            _ => None,
        });
        texts.collect()
    }

    /// What the server got that is not a ping.
    pub(super) fn heard(&self) -> Vec<&[u8]> {
        let all = self.got.iter().map(|message| message.bytes.as_slice());
        all.filter(|bytes| bytes[0] != 0).collect()
    }

    /// Nothing is kept for this pair any more.
    pub(super) fn assert_empty(self) {
        let Self {
            client,
            server,
            budget,
            ..
        } = self;
        assert_eq!(client.state(), State::Ended);
        drop((client, server));
        assert_eq!(budget.used(), 0);
    }
}
