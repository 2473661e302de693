//! Datagrams of a connection: data, ACK or NAK, told apart by their first bits.

#[cfg(test)]
mod tests;

use super::frame::{Frame, MIN_FRAME};
use super::malformed::Malformed;
use super::number;
use super::ranges::{RangeWriter, Ranges};
use super::read::Reader;

/// The first byte of data: valid, and the sender is in slow start. A server may always send this one.
const DATA: u8 = 0x84;
const ACK: u8 = 0xc0;
const NAK: u8 = 0xa0;

const VALID_BIT: u8 = 0x80;
const ACK_BIT: u8 = 0x40;
/// In data and NAK the NAK bit; in an ACK it would announce a field that this family's builds never send.
const NAK_BIT: u8 = 0x20;

/// A datagram of a connection, borrowed from its bytes.
#[derive(Debug, Clone)]
pub enum Datagram<'a> {
    /// Messages, under a number.
    Data {
        /// The datagram's number, below 2^24.
        number: u32,
        /// Its messages, parsed as they are taken.
        frames: Frames<'a>,
    },
    /// These datagrams arrived.
    Ack(Ranges<'a>),
    /// These did not.
    Nak(Ranges<'a>),
}

impl<'a> Datagram<'a> {
    /// Parses a datagram, but not yet the messages in it. The low bits of its first byte are hints of the
    /// sender, and are ignored.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: nothing in it counts.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let first = reader.u8("flags")?;
        if first & VALID_BIT == 0 {
            return Err(Malformed::NotConnected);
        }
        match (first & ACK_BIT != 0, first & NAK_BIT != 0) {
            (false, false) => Ok(Self::Data {
                number: reader.u24("datagram number")?,
                frames: Frames { reader },
            }),
            (false, true) => Ranges::parse(reader.rest()).map(Self::Nak),
            (true, false) => Ranges::parse(reader.rest()).map(Self::Ack),
            (true, true) => Err(Malformed::Value {
                field: "flags",
                value: first.into(),
            }),
        }
    }
}

/// The messages of a data datagram, in their order. The first malformed one is the last.
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    reader: Reader<'a>,
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        // A tail that cannot hold a header and a length is padding.
        if self.reader.left() < MIN_FRAME - 1 {
            return None;
        }
        let frame = Frame::read(&mut self.reader);
        if frame.is_err() {
            self.reader.rest();
        }
        Some(frame)
    }
}

/// Begins a data datagram; its frames follow.
pub fn begin_data(number: u32, out: &mut Vec<u8>) {
    out.push(DATA);
    number::write(number, out);
}

/// Begins an ACK of at most `limit` bytes.
pub(super) fn begin_ack(limit: usize, out: &mut Vec<u8>) -> RangeWriter<'_> {
    RangeWriter::new(ACK, limit, out)
}

/// Begins a NAK of at most `limit` bytes.
pub(super) fn begin_nak(limit: usize, out: &mut Vec<u8>) -> RangeWriter<'_> {
    RangeWriter::new(NAK, limit, out)
}

/// Appends a whole ACK. Gives back how many of the ranges are in it: those that ascend, and fit.
pub fn encode_ack(ranges: &[(u32, u32)], limit: usize, out: &mut Vec<u8>) -> usize {
    encode(begin_ack(limit, out), ranges)
}

/// Appends a whole NAK, as [`encode_ack`] does.
pub fn encode_nak(ranges: &[(u32, u32)], limit: usize, out: &mut Vec<u8>) -> usize {
    encode(begin_nak(limit, out), ranges)
}

fn encode(mut writer: RangeWriter<'_>, ranges: &[(u32, u32)]) -> usize {
    ranges
        .iter()
        .take_while(|(lowest, highest)| writer.push(*lowest, *highest))
        .count()
}
