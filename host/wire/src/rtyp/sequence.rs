//! Numbers and acknowledgements of one session's datagrams.

use super::token::SessionToken;
use super::udp::{Datagram, Kind};

/// How many numbers before the newest are remembered: one a bit of `ack_bits`.
const WINDOW: u16 = u32::BITS as u16;

/// Half of the number space. Less than this ahead is newer, anything else is older.
const HALF: u16 = 1 << 15;

/// One side of a session: numbers what it sends, remembers what it received.
///
/// Numbers start at 0, go up by one for every datagram sent (a repeated Connect or Accept too) and wrap at
/// 2^16. Received numbers are compared in serial-number order with a half window of 32768: the newest and
/// the 32 before it are remembered, which is just what a header acknowledges.
///
/// A Connect from the endpoint that is bound is answered whatever its number: give it to
/// [`receive`](Self::receive) so that it is acknowledged, and ignore what that says.
#[derive(Debug, Clone, Default)]
pub struct Sequencer {
    next: u16,
    received: Option<Received>,
    duplicates: u64,
    too_old: u64,
}

#[derive(Debug, Clone, Copy)]
struct Received {
    newest: u16,
    /// Bit i: `newest - 1 - i` was received.
    bits: u32,
}

/// What to do with a received datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The first with its number: deliver it, also when it comes late.
    Deliver,
    /// Its number was received before: drop it.
    Duplicate,
    /// So far behind the newest that nobody can tell whether it was received before: drop it.
    TooOld,
}

impl Sequencer {
    /// A side that has sent and received nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next datagram to send: takes a number and acknowledges what was received.
    pub fn stamp<'a>(
        &mut self,
        kind: Kind,
        session: SessionToken,
        payload: &'a [u8],
    ) -> Datagram<'a> {
        let sequence = self.next;
        self.next = self.next.wrapping_add(1);
        Datagram {
            kind,
            sequence,
            ack: self.ack(),
            ack_bits: self.ack_bits(),
            session,
            payload,
        }
    }

    /// Notes the number of a valid datagram and says whether to deliver it.
    pub fn receive(&mut self, sequence: u16) -> Arrival {
        let arrival = match &mut self.received {
            None => {
                self.received = Some(Received {
                    newest: sequence,
                    bits: 0,
                });
                Arrival::Deliver
            }
            Some(received) => received.note(sequence),
        };
        match arrival {
            Arrival::Deliver => {}
            Arrival::Duplicate => self.duplicates += 1,
            Arrival::TooOld => self.too_old += 1,
        }
        arrival
    }

    /// The newest number received, FFFF before any.
    #[must_use]
    pub fn ack(&self) -> u16 {
        self.received.map_or(u16::MAX, |received| received.newest)
    }

    /// Bit i: number `ack - 1 - i` was received.
    #[must_use]
    pub fn ack_bits(&self) -> u32 {
        self.received.map_or(0, |received| received.bits)
    }

    /// How many numbers came more than once.
    #[must_use]
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// How many numbers came too late to be told from duplicates.
    #[must_use]
    pub fn too_old(&self) -> u64 {
        self.too_old
    }
}

impl Received {
    fn note(&mut self, sequence: u16) -> Arrival {
        let ahead = sequence.wrapping_sub(self.newest);
        if ahead == 0 {
            return Arrival::Duplicate;
        }
        if ahead < HALF {
            self.advance(ahead);
            self.newest = sequence;
            return Arrival::Deliver;
        }
        let behind = self.newest.wrapping_sub(sequence);
        if behind > WINDOW {
            return Arrival::TooOld;
        }
        let bit = 1 << (behind - 1);
        if self.bits & bit != 0 {
            return Arrival::Duplicate;
        }
        self.bits |= bit;
        Arrival::Deliver
    }

    /// Makes room for a newest that is `ahead` (at least 1) further: the old newest becomes a bit.
    fn advance(&mut self, ahead: u16) {
        let old_newest = 1u32.checked_shl(u32::from(ahead - 1)).unwrap_or(0);
        self.bits = self.bits.checked_shl(u32::from(ahead)).unwrap_or(0) | old_newest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive_all(sequences: &[u16]) -> (Sequencer, Vec<Arrival>) {
        let mut side = Sequencer::new();
        let arrivals = sequences
            .iter()
            .map(|&sequence| side.receive(sequence))
            .collect();
        (side, arrivals)
    }

    #[test]
    fn before_anything_arrived_it_acknowledges_nothing() {
        let side = Sequencer::new();
        assert_eq!((side.ack(), side.ack_bits()), (0xFFFF, 0));
    }

    #[test]
    fn arrivals_and_acknowledgements() {
        use Arrival::{Deliver, Duplicate, TooOld};
        /// What it shows, the numbers, what each one is, and the acknowledgement at the end.
        type Case = (&'static str, &'static [u16], &'static [Arrival], u16, u32);
        let cases: &[Case] = &[
            ("the first may have any number", &[7], &[Deliver], 7, 0),
            ("in order", &[0, 1, 2], &[Deliver; 3], 2, 0b11),
            ("a gap leaves a bit clear", &[0, 2], &[Deliver; 2], 2, 0b10),
            (
                "late, once",
                &[0, 2, 1, 1],
                &[Deliver, Deliver, Deliver, Duplicate],
                2,
                0b11,
            ),
            ("the newest again", &[5, 5], &[Deliver, Duplicate], 5, 0),
            ("before the first", &[5, 4], &[Deliver, Deliver], 5, 0b1),
            (
                "last inside the window",
                &[100, 68, 68],
                &[Deliver, Deliver, Duplicate],
                100,
                1 << 31,
            ),
            (
                "first outside the window",
                &[100, 67],
                &[Deliver, TooOld],
                100,
                0,
            ),
            (
                "the old newest moves to the last bit",
                &[0, 32],
                &[Deliver; 2],
                32,
                1 << 31,
            ),
            ("the old newest falls off", &[0, 33], &[Deliver; 2], 33, 0),
            ("bits fall off", &[0, 1, 33], &[Deliver; 3], 33, 1 << 31),
            ("wraps", &[0xFFFE, 0xFFFF, 0, 1], &[Deliver; 4], 1, 0b111),
            (
                "late over the wrap",
                &[0xFFFE, 0, 0xFFFF],
                &[Deliver; 3],
                0,
                0b11,
            ),
            ("largest step forward", &[0, 32767], &[Deliver; 2], 32767, 0),
            (
                "half the space is older",
                &[0, 32768],
                &[Deliver, TooOld],
                0,
                0,
            ),
        ];
        for &(name, sequences, arrivals, ack, ack_bits) in cases {
            let (side, got) = receive_all(sequences);
            assert_eq!(got, arrivals, "{name}");
            assert_eq!((side.ack(), side.ack_bits()), (ack, ack_bits), "{name}");
        }
    }

    #[test]
    fn drops_are_counted() {
        let (side, _) = receive_all(&[100, 100, 99, 99, 1, 2]);
        assert_eq!((side.duplicates(), side.too_old()), (2, 2));
    }

    #[test]
    fn every_datagram_sent_takes_the_next_number() {
        let token = SessionToken::new(1).expect("not zero");
        let mut side = Sequencer::new();
        assert_eq!(side.stamp(Kind::Connect, token, &[]).sequence, 0);
        assert_eq!(side.stamp(Kind::Connect, token, &[]).sequence, 1);
        side.receive(9);
        let data = side.stamp(Kind::Data, token, b"x");
        assert_eq!((data.sequence, data.ack, data.ack_bits), (2, 9, 0));
        for _ in 3..=u16::MAX {
            side.stamp(Kind::KeepAlive, token, &[]);
        }
        assert_eq!(
            side.stamp(Kind::KeepAlive, token, &[]).sequence,
            0,
            "wraps at 2^16"
        );
    }
}
