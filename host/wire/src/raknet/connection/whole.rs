//! A whole message on its way from the datagrams to the application.

use std::fmt;

use super::super::frame::Frame;
use super::super::reliability::Reliability;

/// A message that arrived.
///
/// `Debug` shows its length and not its bytes, which may be a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Incoming {
    /// The message.
    pub bytes: Vec<u8>,
    /// How many bits of it count; the last byte may be used in part, from its highest bit.
    pub bits: u32,
    /// How it was sent.
    pub reliability: Reliability,
    /// The channel, 0 when its reliability has none.
    pub channel: u8,
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            bits,
            reliability,
            channel,
            ..
        } = self;
        write!(
            f,
            "Incoming({bits} bits, {reliability:?}, channel {channel})"
        )
    }
}

/// A message that is whole, with its place in its channel as on the wire.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) message: Incoming,
    pub(super) order: u32,
    pub(super) sequence: u32,
}

impl Whole {
    /// Of a frame that is no part.
    pub(super) fn new(frame: &Frame<'_>) -> Self {
        Self::assembled(frame, frame.bytes.to_vec(), frame.bits.into())
    }

    /// Of parts, with what is the same in all of them from any one.
    pub(super) fn assembled(frame: &Frame<'_>, bytes: Vec<u8>, bits: u32) -> Self {
        Self {
            message: Incoming {
                bytes,
                bits,
                reliability: frame.reliability,
                channel: frame.channel,
            },
            order: frame.order,
            sequence: frame.sequence,
        }
    }
}
