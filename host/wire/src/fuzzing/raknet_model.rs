//! What one end has sent, and what the other may and must make of it.

use std::collections::{BTreeMap, HashSet};

use crate::raknet::{Datagram, Incoming, Reliability};

struct Sent {
    bytes: Vec<u8>,
    bits: usize,
    reliability: Reliability,
    channel: u8,
    /// Its place among the messages of its channel that have one.
    place: usize,
    delivered: bool,
}

/// The messages of one end.
#[derive(Default)]
pub(super) struct Model {
    messages: Vec<Sent>,
    /// By channel: how many were sent that have a place, and the place after that of the last delivered.
    sent: BTreeMap<u8, usize>,
    delivered: BTreeMap<u8, usize>,
    /// By channel: messages that were ordered, and how many of them were delivered.
    ordered: BTreeMap<u8, (Vec<usize>, usize)>,
    /// Numbers of data datagrams that were sent, arrived, and were acknowledged by the other end.
    departed: HashSet<u32>,
    arrived: HashSet<u32>,
    acked: HashSet<u32>,
}

impl Model {
    /// The bytes of the next message, which name it, and their bits.
    pub(super) fn next_message(&self, length: usize, unused_bits: usize) -> (Vec<u8>, usize) {
        let id = self.messages.len() as u32;
        let mut bytes = id.to_le_bytes().to_vec();
        bytes.extend((4..length).map(|at| (at as u8).wrapping_mul(31) ^ id as u8));
        let bits = bytes.len() * 8 - unused_bits;
        (bytes, bits)
    }

    pub(super) fn sent(
        &mut self,
        bytes: Vec<u8>,
        bits: usize,
        reliability: Reliability,
        channel: u8,
        in_parts: bool,
    ) {
        let reliability = if in_parts {
            reliability.in_parts()
        } else {
            reliability
        };
        let (channel, place) = if reliability.has_channel() {
            let sent = self.sent.entry(channel).or_default();
            *sent += 1;
            (channel, *sent - 1)
        } else {
            (0, 0)
        };
        if reliability == Reliability::ReliableOrdered {
            let id = self.messages.len();
            self.ordered.entry(channel).or_default().0.push(id);
        }
        self.messages.push(Sent {
            bytes,
            bits,
            reliability,
            channel,
            place,
            delivered: false,
        });
    }

    pub(super) fn delivered(&mut self, incoming: &Incoming) {
        let id = incoming.bytes.first_chunk::<4>().expect("a whole message");
        let id = u32::from_le_bytes(*id) as usize;
        let message = &mut self.messages[id];
        assert_eq!(incoming.bytes, message.bytes, "message {id} is damaged");
        assert_eq!(incoming.bits as usize, message.bits);
        assert_eq!(incoming.reliability, message.reliability);
        assert_eq!(incoming.channel, message.channel);
        assert!(!message.delivered, "message {id} comes twice");
        message.delivered = true;
        let channel = message.channel;
        if message.reliability.has_channel() {
            let delivered = self.delivered.entry(channel).or_default();
            assert!(message.place >= *delivered, "message {id} comes backwards");
            *delivered = message.place + 1;
        }
        if message.reliability == Reliability::ReliableOrdered {
            let (ids, next) = self.ordered.entry(channel).or_default();
            assert_eq!(ids[*next], id, "message {id} is out of order");
            *next += 1;
        }
    }

    /// This end has sent a datagram.
    pub(super) fn departed(&mut self, datagram: &[u8]) {
        if let Ok(Datagram::Data { number, .. }) = Datagram::parse(datagram) {
            assert!(
                self.departed.insert(number),
                "datagram {number} is sent again"
            );
        }
    }

    /// A datagram of this end has arrived.
    pub(super) fn arrived(&mut self, datagram: &[u8]) {
        if let Ok(Datagram::Data { number, .. }) = Datagram::parse(datagram) {
            self.arrived.insert(number);
        }
    }

    /// The other end has sent a datagram, which may acknowledge or miss some of this one.
    pub(super) fn answered(&mut self, datagram: &[u8]) {
        match Datagram::parse(datagram).expect("what is sent is well formed") {
            Datagram::Data { frames, .. } => {
                for frame in frames {
                    frame.expect("what is sent is well formed");
                }
            }
            Datagram::Ack(ranges) => {
                let mut any = false;
                for number in ranges.iter().flat_map(|(from, to)| from..=to) {
                    any = true;
                    assert!(self.arrived.contains(&number), "{number} never arrived");
                    assert!(self.acked.insert(number), "{number} is acknowledged twice");
                }
                assert!(any, "an empty ACK");
            }
            Datagram::Nak(ranges) => {
                let mut any = false;
                for number in ranges.iter().flat_map(|(from, to)| from..=to) {
                    any = true;
                    assert!(!self.acked.contains(&number), "{number} was acknowledged");
                }
                assert!(any, "an empty NAK");
            }
        }
    }

    /// Whatever had to arrive has.
    pub(super) fn finish(&self) {
        for (id, message) in self.messages.iter().enumerate() {
            let superseded = message.reliability.is_sequenced()
                && self
                    .delivered
                    .get(&message.channel)
                    .is_some_and(|delivered| *delivered > message.place);
            assert!(
                message.delivered || superseded || !message.reliability.is_reliable(),
                "message {id} never comes"
            );
        }
    }
}
