//! The target of reassembly and order: frames with small numbers in every wrong order.

use std::time::Duration;

use crate::raknet::{Budget, Connection, Frame, Limits, Part, Reliability, Share, begin_data};

/// Bytes of the input that make one frame.
const STEP: usize = 8;

const MTU: u16 = 576;

/// So little that the two get into each other's way.
const BUDGET: usize = 400 << 10;

/// The target `raknet_reassembly`: eight bytes make a frame in a datagram of its own.
///
/// They are the message number, reliability and channel, ordering index, sequencing index, id, count and index
/// of the part, and the length. However they contradict each other, nothing panics, what is kept stays within
/// the connection's limits and the budget, and all of it is given back.
pub fn raknet_reassembly(input: &[u8]) {
    let budget = Budget::new(BUDGET);
    let limits = Limits {
        max_parts: 20,
        max_held: 32 << 10,
        share: Share {
            assured: 1 << 10,
            spared: 20 << 10,
        },
        ..Limits::pending(MTU)
    };
    let now = Duration::ZERO;
    let mut connection = Connection::new(MTU, limits, budget.clone(), now);
    // What somebody else keeps, so that the shared bound is met as well.
    let mut other = Connection::new(MTU, Limits::accepted(), budget.clone(), now);
    let mut datagram = Vec::new();
    for (number, step) in input.chunks_exact(STEP).enumerate() {
        let [message, kind, order, sequence, id, count, index, length] = step else {
            return;
        };
        let bytes = vec![*id; usize::from(*length) * 2 + 1];
        let frame = Frame {
            reliability: Reliability::ALL[usize::from(kind & 7) % 5],
            bits: bytes.len() as u16 * 8 - u16::from(kind >> 7),
            message: (*message).into(),
            sequence: u32::from(*sequence).wrapping_sub(2) & 0xff_ffff,
            order: u32::from(*order).wrapping_sub(2) & 0xff_ffff,
            channel: kind >> 3 & 3,
            part: (kind & 0x60 != 0).then_some(Part {
                count: (*count).into(),
                id: (*id).into(),
                index: (*index).into(),
            }),
            bytes: &bytes,
        };
        datagram.clear();
        begin_data(number as u32, &mut datagram);
        frame.encode(&mut datagram);
        let end = if id & 0x80 == 0 {
            &mut connection
        } else {
            &mut other
        };
        let _ = end.receive(&datagram, now);
        while let Some(incoming) = end.poll_message() {
            assert!(!incoming.bytes.is_empty());
            assert_eq!(incoming.bytes.len(), (incoming.bits as usize).div_ceil(8));
            assert!(incoming.channel < 4);
        }
        while end.poll_transmit(now, &mut datagram) {}
        assert!(connection.memory() <= limits.most(MTU));
        assert!(budget.used() <= BUDGET);
    }
    drop(connection);
    drop(other);
    assert_eq!(budget.used(), 0);
}
