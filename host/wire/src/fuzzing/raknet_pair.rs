//! The target of a whole exchange: two connections, and a network between them that does what it likes.

use std::collections::VecDeque;
use std::time::Duration;

use super::raknet_model::Model;
use crate::raknet::{Budget, Connection, Limits, Reliability, SendError, Share};

/// Bytes of a table that stays once a channel was used, on both its sides.
const CHANNEL: usize = 96;

/// Turns in which a connection that loses nothing has to come to rest.
const PATIENCE: usize = 20_000;

/// The target `raknet_pair`: the first bytes choose limits and where numbers begin, the others are operations.
///
/// Messages are sent, datagrams are lost, doubled and delivered in any order, and time passes. Then the network
/// is good for a while. In the end every reliable message has arrived exactly once and whole, ordered ones in
/// order, sequenced ones never backwards, nothing is owed, and no memory is kept but an idle connection's.
pub fn raknet_pair(input: &[u8]) {
    let Some((options, operations)) = input.split_first_chunk::<4>() else {
        return;
    };
    let budget = Budget::default();
    let mut pair = Pair::new(options, &budget);
    let mut operations = operations.iter().copied();
    while let Some(operation) = operations.next() {
        let mut next = || operations.next().unwrap_or(0);
        let side = usize::from(operation & 1);
        match operation >> 1 & 15 {
            0..=3 => pair.send(side, [next(), next(), operation >> 5]),
            4..=7 => pair.deliver(side, next()),
            8 => pair.lose(side, next()),
            9 => pair.double(side, next()),
            10..=11 => pair.wait(next()),
            12 => pair.deliver_all(side),
            13 => pair.lose_some(side, next()),
            14 => pair.burst(side, next(), next()),
            _ => pair.transmit(side),
        }
        if pair.has_broken() {
            return;
        }
    }
    pair.settle(&budget);
}

struct End {
    connection: Connection,
    /// Datagrams on their way to it.
    wire: VecDeque<Vec<u8>>,
    /// What it has sent, and what became of it at the other end.
    model: Model,
}

struct Pair {
    ends: [End; 2],
    now: Duration,
    limits: Limits,
    mtu: u16,
}

impl Pair {
    fn new(&[limits, mtu, numbers, before]: &[u8; 4], budget: &Budget) -> Self {
        let mtu = [576, 1024, 1280, 1400][usize::from(mtu & 3)];
        let limits = Limits {
            max_held: if limits & 1 == 0 { 24 << 10 } else { 4 << 20 },
            max_outgoing: if limits & 2 == 0 { 256 << 10 } else { 4 << 20 },
            max_parts: 64,
            share: Share::default(),
            timeout: Duration::from_secs(if limits & 4 == 0 { 100_000 } else { 10 }),
        };
        let now = Duration::from_millis(7);
        let ends = [(); 2].map(|()| {
            let mut connection = Connection::new(mtu, limits, budget.clone(), now);
            if numbers & 1 == 1 {
                let before = u32::from(before);
                connection.count_from_before_the_wrap(before, before / 2, before / 4);
            }
            End {
                connection,
                wire: VecDeque::new(),
                model: Model::default(),
            }
        });
        Self {
            ends,
            now,
            limits,
            mtu,
        }
    }

    fn send(&mut self, side: usize, [kind, length, bits]: [u8; 3]) {
        let length = match usize::from(length) {
            short @ 0..=199 => short + 4,
            long => (long - 199) * 500,
        };
        let reliability = Reliability::ALL[usize::from(kind & 7) % 5];
        // Few channels, so that they meet.
        let channel = [0, 1, 31, 0][usize::from(kind >> 3 & 3)];
        let end = &mut self.ends[side];
        let (bytes, bits) = end.model.next_message(length, bits.into());
        match end.connection.send_bits(&bytes, bits, reliability, channel) {
            Ok(()) => {
                let in_parts = length > usize::from(self.mtu) - 60;
                end.model.sent(bytes, bits, reliability, channel, in_parts);
            }
            Err(cause) => assert_eq!(cause, SendError::Full),
        }
    }

    /// Many small messages of a kind, so that their number is what bounds them.
    fn burst(&mut self, side: usize, kind: u8, count: u8) {
        for _ in 0..count {
            self.send(side, [kind, 0, 0]);
        }
    }

    /// Everything that is due goes out.
    fn transmit(&mut self, side: usize) {
        let mut out = Vec::new();
        let [left, right] = &mut self.ends;
        let (end, other) = if side == 0 {
            (left, right)
        } else {
            (right, left)
        };
        while end.connection.poll_transmit(self.now, &mut out) {
            assert!(out.len() <= usize::from(self.mtu) - 28);
            other.model.answered(&out);
            end.model.departed(&out);
            other.wire.push_back(out.clone());
        }
        let due = end.connection.poll_timeout();
        assert!(due.is_none_or(|due| due > self.now), "woken for nothing");
        assert!(due.is_some() || end.connection.all_acked() || end.connection.is_lost(self.now));
        assert!(end.connection.memory() <= self.limits.most(self.mtu));
    }

    fn receive(&mut self, side: usize, datagram: &[u8]) {
        let [left, right] = &mut self.ends;
        let (end, other) = if side == 0 {
            (left, right)
        } else {
            (right, left)
        };
        other.model.arrived(datagram);
        end.connection
            .receive(datagram, self.now)
            .expect("an honest peer's datagram");
        while let Some(incoming) = end.connection.poll_message() {
            other.model.delivered(&incoming);
        }
        assert!(end.connection.memory() <= self.limits.most(self.mtu));
    }

    fn deliver(&mut self, side: usize, which: u8) {
        let wire = &mut self.ends[side].wire;
        let which = usize::from(which) % wire.len().max(1);
        if let Some(datagram) = wire.remove(which) {
            self.receive(side, &datagram);
        }
    }

    fn deliver_all(&mut self, side: usize) {
        while let Some(datagram) = self.ends[side].wire.pop_front() {
            self.receive(side, &datagram);
        }
    }

    fn lose(&mut self, side: usize, which: u8) {
        let wire = &mut self.ends[side].wire;
        let which = usize::from(which) % wire.len().max(1);
        wire.remove(which);
    }

    fn lose_some(&mut self, side: usize, which: u8) {
        let mut bit = 0;
        self.ends[side].wire.retain(|_| {
            bit = (bit + 1) % 8;
            which >> bit & 1 == 0
        });
    }

    fn double(&mut self, side: usize, which: u8) {
        let wire = &mut self.ends[side].wire;
        let which = usize::from(which) % wire.len().max(1);
        if let Some(datagram) = wire.get(which).cloned() {
            wire.push_back(datagram);
        }
    }

    fn wait(&mut self, time: u8) {
        // From nothing to 16 seconds, mostly little.
        let milliseconds = u64::from(time & 15) << (time >> 4 & 15).min(10);
        self.now += Duration::from_millis(milliseconds);
    }

    fn has_broken(&self) -> bool {
        self.ends.iter().any(|end| end.connection.is_lost(self.now))
    }

    fn is_quiet(&self) -> bool {
        self.ends.iter().all(|end| {
            end.wire.is_empty()
                && end.connection.all_acked()
                && end.connection.poll_timeout().is_none()
        })
    }

    /// A good network, until there is nothing left to do.
    fn settle(mut self, budget: &Budget) {
        for turn in 0.. {
            assert!(turn < PATIENCE, "never comes to rest");
            for side in [0, 1] {
                self.transmit(side);
            }
            if self.has_broken() {
                return;
            }
            if self.is_quiet() {
                break;
            }
            let due = self
                .ends
                .iter()
                .filter_map(|end| end.connection.poll_timeout());
            self.now = if self.ends.iter().all(|end| end.wire.is_empty()) {
                due.min().expect("somebody waits").max(self.now)
            } else {
                self.now + Duration::from_millis(3)
            };
            for side in [0, 1] {
                self.deliver_all(side);
            }
        }
        for end in &self.ends {
            end.model.finish();
            assert_eq!(end.connection.outgoing_bytes(), 0);
            assert!(
                end.connection.memory() <= size_of::<Connection>() + 32 * CHANNEL,
                "{} bytes are kept",
                end.connection.memory()
            );
        }
        assert_eq!(budget.used(), 0);
    }
}
