//! What makes bytes malformed.

use super::limits::CHANNELS;

/// Bytes that the protocol does not allow. What to do about them is for whoever got them: one malformed
/// datagram is dropped, and is no reason to distrust others of the same address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end before this field does.
    #[error("the bytes end inside the field `{0}`")]
    PastEnd(&'static str),
    /// This many bytes follow the last field.
    #[error("{0} bytes left after the last field")]
    BytesLeft(usize),
    /// An offline message without its magic.
    #[error("wrong magic")]
    Magic,
    /// An id that does not exist here.
    #[error("id {0:#04x}")]
    Id(u8),
    /// An address that is not IPv4.
    #[error("an address of family {0}")]
    Address(u8),
    /// A number of addresses that the dialect does not have.
    #[error("{0} bytes of addresses")]
    Addresses(usize),
    /// A field with a value that it may not have.
    #[error("the field `{field}` is {value}")]
    Value {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// A field with more bytes than it may have.
    #[error("the field `{field}` has {length} bytes")]
    TooLong {
        /// The field.
        field: &'static str,
        /// Its length in bytes.
        length: usize,
    },
    /// A datagram of a connection whose first bit is 0.
    #[error("not a datagram of a connection")]
    NotConnected,
    /// Ranges that do not ascend.
    #[error("ranges that do not ascend")]
    Ranges,
    /// A message of no bits.
    #[error("a message of 0 bits")]
    EmptyMessage,
    /// A reliability that is never on the wire.
    #[error("reliability {0}")]
    Reliability(u8),
    /// A channel above the last one.
    #[error("channel {0}, there are {CHANNELS}")]
    Channel(u8),
    /// A part whose index is not below its count.
    #[error("part {index} of {count}")]
    Part {
        /// The index, from 0.
        index: u32,
        /// The count.
        count: u32,
    },
    /// A message in more parts than this side takes.
    #[error("a message in {count} parts, the limit is {limit}")]
    TooManyParts {
        /// The parts.
        count: u32,
        /// The limit that held.
        limit: u32,
    },
    /// A part that contradicts an earlier part of the same message.
    #[error("parts of one message that differ in `{0}`")]
    PartsDiffer(&'static str),
    /// A part that is not the last and ends inside a byte.
    #[error("a part that ends inside a byte and is not the last")]
    PartialByte,
    /// A part with an unreliable reliability: parts are always reliable.
    #[error("an unreliable part")]
    UnreliablePart,
}
