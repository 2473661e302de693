//! How long things take through a bad network, in virtual time. An end is called when a datagram comes, when
//! its caller has something to say, and when it asked to be: never in between, so that a deadline that is not
//! in its `poll_timeout` is a failure here.

use std::collections::BTreeMap;
use std::time::Duration;

use usher_wire::raknet::{Budget, Connection, Incoming, Limits, Reliability};

use crate::ends::{MTU, ms};

struct Network {
    ends: [Connection; 2],
    now: Duration,
    /// By arrival: to whom, and what. The counter keeps apart what arrives at the same time.
    wire: BTreeMap<(Duration, u64), (usize, Vec<u8>)>,
    sent: u64,
    random: u64,
    /// One way, at least.
    latency: Duration,
    /// Of 100 datagrams.
    loss: u64,
}

impl Network {
    fn new(latency: Duration, loss: u64, seed: u64) -> Self {
        let budget = Budget::default();
        Self {
            ends: [(); 2]
                .map(|()| Connection::new(MTU, Limits::accepted(), budget.clone(), Duration::ZERO)),
            now: Duration::ZERO,
            wire: BTreeMap::new(),
            sent: 0,
            random: seed,
            latency,
            loss,
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        (self.random >> 33) % limit
    }

    /// All that an end has to say goes on the wire; in a bad network lost, doubled, or late by up to a tenth.
    fn transmit(&mut self, end: usize) {
        let mut out = Vec::new();
        while self.ends[end].poll_transmit(self.now, &mut out) {
            let copies = match self.below(100) {
                of_100 if of_100 < self.loss => 0,
                of_100 if of_100 > 97 && self.loss > 0 => 2,
                _ => 1,
            };
            for _ in 0..copies {
                let tenth = if self.loss > 0 { self.below(10) } else { 0 };
                let late = self.latency * tenth as u32 / 100;
                self.sent += 1;
                let at = (self.now + self.latency + late, self.sent);
                self.wire.insert(at, (1 - end, out.clone()));
            }
        }
        let due = self.ends[end].poll_timeout();
        assert!(due.is_none_or(|due| due > self.now), "woken for nothing");
    }

    fn send(&mut self, end: usize, bytes: &[u8], reliability: Reliability) {
        self.ends[end].send(bytes, reliability, 0).expect("room");
        self.transmit(end);
    }

    /// Lets time pass until something arrives for an end, at most until then.
    fn until(&mut self, limit: Duration) -> Option<(usize, Incoming)> {
        loop {
            for end in [0, 1] {
                if let Some(message) = self.ends[end].poll_message() {
                    return Some((end, message));
                }
            }
            let arrival = self.wire.first_key_value().map(|((at, _), _)| *at);
            let due = self.ends.iter().filter_map(Connection::poll_timeout).min();
            let next = arrival.into_iter().chain(due).min()?;
            if next > limit {
                self.now = limit;
                return None;
            }
            self.now = self.now.max(next);
            if arrival.is_some_and(|at| at <= self.now) {
                let (_, (end, datagram)) = self.wire.pop_first()?;
                self.ends[end]
                    .receive(&datagram, self.now)
                    .expect("well formed");
                self.transmit(end);
            } else {
                for end in [0, 1] {
                    self.transmit(end);
                }
            }
        }
    }
}

#[test]
fn a_long_config_crosses_a_good_network_in_three_round_trips() {
    let mut network = Network::new(ms(50), 0, 1);
    network.send(0, &[0x81; 65_537], Reliability::ReliableOrdered);
    let (end, got) = network.until(ms(10_000)).expect("it arrives");
    assert_eq!((end, got.bytes.len()), (1, 65_537));
    assert!(network.now <= ms(300), "{:?}", network.now);
    while network.until(ms(20_000)).is_some() {}
    assert!(network.ends[0].all_acked());
}

#[test]
fn a_long_config_crosses_a_network_that_loses_a_tenth_before_any_client_gives_up() {
    let mut slowest = Duration::ZERO;
    for seed in 0..300 {
        let mut network = Network::new(ms(50), 10, seed);
        network.send(0, &[0x81; 65_537], Reliability::ReliableOrdered);
        let (_, got) = network.until(ms(10_000)).expect("it arrives");
        assert_eq!(got.bytes.len(), 65_537);
        slowest = slowest.max(network.now);
    }
    assert!(slowest < ms(5_000), "{slowest:?}");
}

#[test]
fn a_lost_status_is_repaired_within_a_second() {
    for seed in 0..200 {
        let mut network = Network::new(ms(20), 0, seed);
        network.send(1, b"\x80", Reliability::ReliableOrdered);
        network.until(ms(1_000)).expect("it arrives");
        network.until(ms(1_000));
        let start = network.now;
        network.loss = 100;
        network.send(0, b"\x83waiting", Reliability::ReliableOrdered);
        network.loss = 0;
        let (_, got) = network.until(start + ms(1_000)).expect("it arrives");
        assert_eq!(got.bytes, b"\x83waiting");
    }
}

/// 60 small unreliable updates a second, 100 ms away, two of 100 datagrams lost.
#[test]
fn a_games_updates_are_not_made_late_by_their_losses() {
    let mut network = Network::new(ms(100), 2, 7);
    let (mut got, mut late) = (0, Duration::ZERO);
    for tick in 0..3_600u64 {
        let at = Duration::from_micros(tick * 16_667);
        while let Some((_, message)) = network.until(at) {
            let sent = u64::from_le_bytes(message.bytes[1..9].try_into().expect("eight bytes"));
            late = late.max(network.now - Duration::from_micros(sent * 16_667));
            got += 1;
        }
        network.now = at;
        let update = [&[0x87][..], &tick.to_le_bytes()].concat();
        network.send(0, &update, Reliability::Unreliable);
    }
    assert!(got > 3_400, "{got} of 3,600");
    assert!(late < ms(200), "{late:?}");
}

#[test]
fn a_peer_that_falls_silent_is_called_for_no_longer_than_its_timeout() {
    let mut network = Network::new(ms(20), 0, 3);
    network.send(0, b"\x87", Reliability::Reliable);
    network.until(ms(1_000)).expect("it arrives");
    network.until(ms(1_000));
    network.loss = 100;
    network.send(0, b"\x87", Reliability::Reliable);
    assert_eq!(network.until(ms(60_000)), None);
    assert_eq!(network.ends[0].poll_timeout(), None);
    assert!(network.ends[0].is_lost(network.now));
    // It was last heard of within a few round trips of the start.
    assert!(network.now < ms(11_100), "{:?}", network.now);
}
