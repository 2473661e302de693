//! Ranges of datagram numbers, as ACK and NAK carry them.
//!
//! `count u16 | ranges`, a range being `01, number u24` or `00, lowest u24, highest u24`, ascending. Ranges
//! never cross from 16,777,215 to 0: what does goes into two datagrams.

use super::malformed::Malformed;
use super::number;
use super::read::Reader;

const SINGLE: u8 = 1;
const PAIR: u8 = 0;

/// Bytes that a range takes at most.
const RANGE: usize = 7;

/// Checked ranges, borrowed from their datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranges<'a> {
    bytes: &'a [u8],
}

impl<'a> Ranges<'a> {
    /// Parses everything after a datagram's first byte.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: none of the ranges count.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let count = reader.u16("count")?;
        let ranges = Self {
            bytes: reader.clone().rest(),
        };
        let mut previous = None;
        for _ in 0..count {
            let (lowest, highest) = range(&mut reader)?;
            if previous.is_some_and(|previous| lowest <= previous) {
                return Err(Malformed::Ranges);
            }
            previous = Some(highest);
        }
        reader.end()?;
        Ok(ranges)
    }

    /// Lowest and highest number of each, both included, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        let mut reader = Reader::new(self.bytes);
        // Checked by `parse`, so that the first error is the end.
        std::iter::from_fn(move || range(&mut reader).ok())
    }
}

fn range(reader: &mut Reader<'_>) -> Result<(u32, u32), Malformed> {
    match reader.u8("range")? {
        SINGLE => {
            let number = reader.u24("number")?;
            Ok((number, number))
        }
        PAIR => {
            let lowest = reader.u24("lowest")?;
            let highest = reader.u24("highest")?;
            if lowest < highest {
                Ok((lowest, highest))
            } else {
                Err(Malformed::Ranges)
            }
        }
        value => Err(Malformed::Value {
            field: "range",
            value: value.into(),
        }),
    }
}

/// Writes an ACK or a NAK, range by range.
pub(super) struct RangeWriter<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    limit: usize,
    count: u16,
    last: Option<u32>,
}

impl<'a> RangeWriter<'a> {
    /// Begins a datagram of at most `limit` bytes in an empty buffer.
    pub(super) fn new(first: u8, limit: usize, out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        out.extend([first, 0, 0]);
        Self {
            out,
            start,
            limit,
            count: 0,
            last: None,
        }
    }

    /// Adds the numbers from `lowest` to `highest`, or says that they need another datagram.
    pub(super) fn push(&mut self, lowest: u32, highest: u32) -> bool {
        let full = self.out.len() - self.start + RANGE > self.limit || self.count == u16::MAX;
        if full || lowest > highest || self.last.is_some_and(|last| lowest <= last) {
            return false;
        }
        if lowest == highest {
            self.out.push(SINGLE);
        } else {
            self.out.push(PAIR);
            number::write(lowest, self.out);
        }
        number::write(highest, self.out);
        self.count += 1;
        self.last = Some(highest);
        let [high, low] = self.count.to_be_bytes();
        self.out[self.start + 1] = high;
        self.out[self.start + 2] = low;
        true
    }
}
