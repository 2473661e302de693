//! Small helpers: hexadecimal text, time, and a connection that is told and asked things.

use std::time::Duration;

use usher_wire::raknet::{
    Budget, Connection, Frame, Incoming, Limits, Malformed, Part, Reliability, begin_data,
};

pub(crate) const MTU: u16 = 1400;

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).expect("hexadecimal") as u8)
        .collect();
    digits.chunks(2).map(|two| two[0] << 4 | two[1]).collect()
}

/// A connection, its clock and what it is charged to.
pub(crate) struct End {
    pub(crate) connection: Connection,
    pub(crate) budget: Budget,
    pub(crate) now: Duration,
}

impl End {
    pub(crate) fn new() -> Self {
        Self::with(MTU, Limits::pending(MTU), Budget::default())
    }

    pub(crate) fn with(mtu: u16, limits: Limits, budget: Budget) -> Self {
        let now = ms(1_000);
        Self {
            connection: Connection::new(mtu, limits, budget.clone(), now),
            budget,
            now,
        }
    }

    pub(crate) fn at(&mut self, milliseconds: u64) -> &mut Self {
        self.now = ms(1_000 + milliseconds);
        self
    }

    /// When it wants to be called again, in milliseconds of [`at`](Self::at).
    pub(crate) fn due(&self) -> Option<i64> {
        let due = self.connection.poll_timeout()?;
        Some(due.as_millis() as i64 - 1_000)
    }

    pub(crate) fn send(&mut self, bytes: &[u8], reliability: Reliability) {
        self.connection.send(bytes, reliability, 0).expect("room");
    }

    /// Takes a datagram in and gives the messages that are due.
    pub(crate) fn hears(&mut self, datagram: &[u8]) -> Vec<Incoming> {
        self.tries(datagram).expect("well formed")
    }

    pub(crate) fn tries(&mut self, datagram: &[u8]) -> Result<Vec<Incoming>, Malformed> {
        let result = self.connection.receive(datagram, self.now);
        let messages = std::iter::from_fn(|| self.connection.poll_message()).collect();
        result.map(|()| messages)
    }

    /// All datagrams that are due now.
    pub(crate) fn says(&mut self) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        let all = std::iter::from_fn(|| {
            self.connection
                .poll_transmit(self.now, &mut out)
                .then(|| out.clone())
        })
        .collect();
        let due = self.connection.poll_timeout();
        assert!(due.is_none_or(|due| due > self.now), "woken for nothing");
        all
    }

    /// Exchanges datagrams with the other end until both are silent, and gives what each has got.
    pub(crate) fn talk(&mut self, other: &mut Self) -> [Vec<Incoming>; 2] {
        let mut got = [Vec::new(), Vec::new()];
        loop {
            let (ours, theirs) = (self.says(), other.says());
            if ours.is_empty() && theirs.is_empty() {
                return got;
            }
            for datagram in theirs {
                got[0].extend(self.hears(&datagram));
            }
            for datagram in ours {
                got[1].extend(other.hears(&datagram));
            }
        }
    }

    /// As [`talk`](Self::talk), with the clocks going on for as long as anyone is owed anything.
    pub(crate) fn talk_until_acked(&mut self, other: &mut Self) -> [Vec<Incoming>; 2] {
        let mut got = [Vec::new(), Vec::new()];
        while !(self.connection.all_acked() && other.connection.all_acked()) {
            for (all, new) in got.iter_mut().zip(self.talk(other)) {
                all.extend(new);
            }
            self.now += ms(10);
            other.now += ms(10);
        }
        for (all, new) in got.iter_mut().zip(self.talk(other)) {
            all.extend(new);
        }
        got
    }
}

/// A whole message of one frame.
pub(crate) fn frame(reliability: Reliability, bytes: &[u8]) -> Frame<'_> {
    Frame {
        reliability,
        bits: bytes.len() as u16 * 8,
        message: 0,
        sequence: 0,
        order: 0,
        channel: 0,
        part: None,
        bytes,
    }
}

/// A reliable part.
pub(crate) fn part(message: u32, count: u32, id: u16, index: u32, bytes: &[u8]) -> Frame<'_> {
    Frame {
        message,
        part: Some(Part { count, id, index }),
        ..frame(Reliability::Reliable, bytes)
    }
}

pub(crate) fn datagram(number: u32, frames: &[Frame<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    begin_data(number, &mut out);
    for frame in frames {
        frame.encode(&mut out);
    }
    out
}

pub(crate) fn ack(ranges: &[(u32, u32)]) -> Vec<u8> {
    let mut out = Vec::new();
    usher_wire::raknet::encode_ack(ranges, 1372, &mut out);
    out
}

pub(crate) fn nak(ranges: &[(u32, u32)]) -> Vec<u8> {
    let mut out = Vec::new();
    usher_wire::raknet::encode_nak(ranges, 1372, &mut out);
    out
}
