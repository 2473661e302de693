//! One message, or one part of one, as it stands in a data datagram.
//!
//! `header u8 | bits u16 | [message number u24] | [sequencing index u24] | [ordering index u24, channel u8] |
//! [count u32, id u16, index u32] | bytes`, where the header is the reliability times 32, and 16 for a part.

use super::limits::CHANNELS;
use super::malformed::Malformed;
use super::number;
use super::read::Reader;
use super::reliability::Reliability;

const PART: u8 = 0x10;

/// The shortest frame: header, length, one byte.
pub(super) const MIN_FRAME: usize = 4;

/// A message in a datagram, or a part of one. Numbers are as on the wire, below 2^24; those that the
/// reliability does not have are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// How it is to arrive.
    pub reliability: Reliability,
    /// How many bits of `bytes` count; the last byte may be used in part, from its highest bit.
    pub bits: u16,
    /// The message number, of reliable ones.
    pub message: u32,
    /// The sequencing index, of sequenced ones.
    pub sequence: u32,
    /// The ordering index, of those with a channel.
    pub order: u32,
    /// The channel, 0 to 31.
    pub channel: u8,
    /// Which part it is, if it is one.
    pub part: Option<Part>,
    /// `bits` rounded up to bytes.
    pub bytes: &'a [u8],
}

/// Which part of which message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Parts in all.
    pub count: u32,
    /// The message.
    pub id: u16,
    /// This part, from 0.
    pub index: u32,
}

impl<'a> Frame<'a> {
    /// Takes one frame off the front. What the header's low four bits say is padding.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let header = reader.u8("header")?;
        let reliability = Reliability::from_bits(header >> 5)?;
        let bits = reader.u16("bits")?;
        if bits == 0 {
            return Err(Malformed::EmptyMessage);
        }
        let mut frame = Self {
            reliability,
            bits,
            message: 0,
            sequence: 0,
            order: 0,
            channel: 0,
            part: None,
            bytes: &[],
        };
        if reliability.is_reliable() {
            frame.message = reader.u24("message number")?;
        }
        if reliability.is_sequenced() {
            frame.sequence = reader.u24("sequencing index")?;
        }
        if reliability.has_channel() {
            frame.order = reader.u24("ordering index")?;
            frame.channel = reader.u8("channel")?;
            if frame.channel >= CHANNELS {
                return Err(Malformed::Channel(frame.channel));
            }
        }
        if header & PART != 0 {
            let count = reader.u32("count")?;
            let id = reader.u16("id")?;
            let index = reader.u32("index")?;
            if index >= count {
                return Err(Malformed::Part { index, count });
            }
            frame.part = Some(Part { count, id, index });
        }
        frame.bytes = reader.take(usize::from(bits).div_ceil(8), "bytes")?;
        Ok(frame)
    }

    /// Parses one frame that fills these bytes.
    ///
    /// # Errors
    ///
    /// [`Malformed`], also for bytes after the frame.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let frame = Self::read(&mut reader)?;
        reader.end()?;
        Ok(frame)
    }

    /// How many bytes [`encode`](Self::encode) appends.
    pub(super) fn length(&self) -> usize {
        let number = |has: bool| if has { 3 } else { 0 };
        let channel = usize::from(self.reliability.has_channel());
        let part = if self.part.is_some() { 10 } else { 0 };
        3 + number(self.reliability.is_reliable())
            + number(self.reliability.is_sequenced())
            + channel * 4
            + part
            + self.bytes.len()
    }

    /// Appends the frame's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let part = if self.part.is_some() { PART } else { 0 };
        out.push((self.reliability as u8) << 5 | part);
        out.extend(self.bits.to_be_bytes());
        if self.reliability.is_reliable() {
            number::write(self.message, out);
        }
        if self.reliability.is_sequenced() {
            number::write(self.sequence, out);
        }
        if self.reliability.has_channel() {
            number::write(self.order, out);
            out.push(self.channel);
        }
        if let Some(Part { count, id, index }) = self.part {
            out.extend(count.to_be_bytes());
            out.extend(id.to_be_bytes());
            out.extend(index.to_be_bytes());
        }
        out.extend_from_slice(self.bytes);
    }
}
