//! The RakNet family: MafiaNet, RakNet 4 and SLikeNet, Minecraft Bedrock. Which one is a [`Dialect`].
//!
//! All of it is UDP. [`classify()`] tells the [`Offline`] datagrams, by which a connection begins, from those
//! of a connection: data, ACK and NAK ([`Datagram`]). Data carries [`Frame`]s, each a message or a part of
//! one; [`Connection`] makes of them whole messages that arrive as their [`Reliability`] says, and a
//! [`Message`] is what one of them means.
//!
//! Integers are big-endian, but for the little-endian u24 that count datagrams and messages. A message may
//! end inside a byte: its length is in bits. What the protocol calls padding (the tail of a first request,
//! low bits of flags and headers, a tail of one or two bytes) is ignored; everything else is strict and exact,
//! as everywhere in this crate.
//!
//! Secured builds, IPv6 addresses inside of messages and congestion fields are not of this family's default
//! builds: bytes that need them are malformed.

pub mod acceptor;
mod address;
mod classify;
mod clock;
mod connection;
mod datagram;
mod dialect;
mod frame;
mod guid;
#[cfg(test)]
mod hex;
pub mod initiator;
mod limits;
mod malformed;
mod message;
mod number;
mod offline;
mod password;
mod ranges;
mod read;
mod reliability;
mod timestamp;

pub use address::{Addresses, UNASSIGNED};
pub use classify::{Class, acknowledges, classify};
pub use connection::{Budget, Connection, Incoming, Limits, SendError, Share};
pub use datagram::{Datagram, Frames, begin_data, encode_ack, encode_nak};
pub use dialect::{DIALECTS, Dialect};
pub use frame::{Frame, Part};
pub use guid::Guid;
pub use limits::{
    CHANNELS, IP_UDP_HEADER, MAGIC, MAX_MTU, MAX_PASSWORD, MAX_PONG_TEXT, MAX_SESSION_PAYLOAD,
    MIN_MTU, PART_OVERHEAD,
};
pub use malformed::Malformed;
pub use message::Message;
pub use offline::{Offline, Refusal};
pub use password::Password;
pub use ranges::Ranges;
pub use reliability::Reliability;
pub use timestamp::{Timestamped, clock_ahead, our_time};
