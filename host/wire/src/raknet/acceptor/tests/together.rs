//! With a whole client, over a network that loses, doubles and reorders.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use super::super::{Acceptor, Event, Opening, Server, Stage};
use super::world::{CLIENT, OURS, THEIRS, ms, secs, server};
use crate::raknet::initiator::{self, Ending, Initiator, Setup};
use crate::raknet::{Budget, Class, Dialect, Offline, Reliability, classify};

/// Datagrams under way: when they arrive, whether at the server, and the bytes.
type UnderWay = Vec<(Duration, bool, Vec<u8>)>;

struct Network {
    server: Server,
    peer: Option<Acceptor>,
    client: Initiator,
    now: Duration,
    under_way: UnderWay,
    chance: u64,
    /// Of 100 datagrams, how many get lost.
    loss: u64,
    events: Vec<Event>,
    seen: Vec<initiator::Event>,
}

impl Network {
    fn new(seed: u64, loss: u64) -> Network {
        let mut setup = Setup::new(
            Dialect::MAFIANET,
            THEIRS,
            SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1),
        );
        setup.payload = vec![7; 10_000];
        Network {
            server: server(),
            peer: None,
            client: Initiator::new(setup, Budget::default(), ms(0)),
            now: ms(0),
            under_way: Vec::new(),
            chance: seed,
            loss,
            events: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn chance(&mut self, of: u64) -> u64 {
        // SplitMix64: a seed gives the same run every time.
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % of
    }

    fn post(&mut self, to_server: bool, bytes: &[u8]) {
        for _ in 0..=u64::from(self.chance(10) == 0) {
            if self.chance(100) >= self.loss {
                let arrives = self.now + ms(5 + self.chance(30));
                self.under_way.push((arrives, to_server, bytes.to_vec()));
            }
        }
    }

    /// Runs until something is so.
    fn run(&mut self, until: impl Fn(&Network) -> bool) {
        let end = self.now + secs(60);
        while !until(self) {
            self.step();
            assert!(self.now < end, "{:?} {:?}", self.events, self.seen);
        }
    }

    fn step(&mut self) {
        let mut datagram = Vec::new();
        while self.client.poll_transmit(self.now, &mut datagram) {
            self.post(true, &datagram.clone());
        }
        if let Some(mut peer) = self.peer.take() {
            peer.handle_timeout(&self.server, self.now, &mut self.events);
            while peer.poll_transmit(self.now, &mut datagram) {
                self.post(false, &datagram.clone());
            }
            self.peer = (peer.stage() != Stage::Over).then_some(peer);
        }
        self.seen
            .extend(std::iter::from_fn(|| self.client.poll_event()));
        self.now += ms(1);
        let now = self.now;
        let arrived: UnderWay = self
            .under_way
            .extract_if(.., |(at, ..)| *at <= now)
            .collect();
        for (_, to_server, bytes) in arrived {
            match to_server {
                true => self.serve(&bytes),
                false => self.client.receive(&bytes, now),
            }
        }
    }

    fn serve(&mut self, bytes: &[u8]) {
        if classify(bytes) == Class::Connected {
            if let Some(peer) = &mut self.peer {
                let heard = peer.receive(&self.server, bytes, self.now, &mut self.events);
                heard.expect("well-formed");
                if peer.stage() == Stage::Requested {
                    peer.admit(&self.server, self.now);
                }
            }
            return;
        }
        let reply = match Offline::parse(bytes, false).unwrap() {
            Offline::Request1 { length, .. } => Offline::Reply1 {
                guid: OURS,
                cookie: None,
                mtu: Dialect::offered_mtu(length),
            },
            Offline::Request2 { mtu, guid, .. } => {
                let opening = Opening {
                    dialect: Dialect::MAFIANET,
                    client: CLIENT,
                    guid,
                    mtu,
                };
                let (server, now) = (&self.server, self.now);
                let peer = self
                    .peer
                    .get_or_insert_with(|| Acceptor::new(server, opening, now));
                Offline::Reply2 {
                    guid: OURS,
                    client: CLIENT,
                    mtu: peer.opening().mtu,
                }
            }
            other => panic!("{other:?} is not for a server"),
        };
        let mut bytes = Vec::new();
        reply.encode(&mut bytes);
        self.post(false, &bytes);
    }

    fn peer(&mut self) -> &mut Acceptor {
        self.peer.as_mut().expect("it has a place")
    }

    fn is_pending(&self) -> bool {
        self.peer
            .as_ref()
            .is_some_and(|peer| peer.stage() == Stage::Pending)
    }
}

#[test]
fn a_client_waits_is_let_in_plays_and_leaves_whatever_gets_lost() {
    for seed in 0..40 {
        let mut network = Network::new(seed, 10);
        network.run(Network::is_pending);
        for text in ["one", "two", "three"] {
            let now = network.now;
            let told = network.peer().status(text.as_bytes(), now);
            told.expect("it waits");
            network.run(|network| network.now >= now + secs(5));
        }
        let (now, server) = (network.now, network.server.clone());
        let accepted = network.peer().accept(&server, b"map", now);
        accepted.expect("it waits");
        for number in 0..100_u8 {
            let sent = network
                .peer()
                .send(&[0x87, number], Reliability::ReliableOrdered, 3, now);
            sent.expect("it is in");
        }
        let messages = |network: &Network| {
            let seen = network.seen.iter();
            seen.filter(|event| matches!(event, initiator::Event::Message(_)))
                .count()
        };
        network.run(|network| messages(network) == 100);
        assert_eq!(network.client.early(), 0, "seed {seed}");
        let statuses: Vec<_> = network
            .seen
            .iter()
            .filter_map(|event| match event {
                initiator::Event::Status(text) => Some(text.as_slice()),
                _ => None,
            })
            .collect();
        assert_eq!(statuses, [&b"one"[..], b"two", b"three"]);
        network.client.leave(b"bye", network.now);
        network.run(|network| network.peer.is_none());
        assert_eq!(network.server.budget.used(), 0);
        let asked = network.events.iter();
        let asked = asked.filter(|event| matches!(event, Event::SessionRequest(_)));
        assert_eq!(asked.count(), 1, "seed {seed}");
        let last = format!("{:?}", network.events.last());
        assert_eq!(last, "Some(Disconnected([98, 121, 101]))");
    }
}

#[test]
fn a_client_that_is_refused_hears_why_whatever_gets_lost() {
    for seed in 0..40 {
        let mut network = Network::new(seed, 10);
        network.run(Network::is_pending);
        let (now, server) = (network.now, network.server.clone());
        network.peer().reject(&server, b"not today", false, now);
        network.run(|network| network.peer.is_none());
        network.run(|network| network.client.state() == initiator::State::Ended);
        let ended = Ending::Rejected(b"not today".to_vec());
        let Some(initiator::Event::Ended(ending)) = network.seen.last() else {
            panic!("{:?}", network.seen);
        };
        assert_eq!(*ending, ended, "seed {seed}");
        assert_eq!(network.server.budget.used(), 0);
    }
}
