//! Datagrams: an 18-byte header and a payload.
//!
//! | offset | field | |
//! |---|---|---|
//! | 0 | magic | `52 54 59 50` |
//! | 4 | version u8 | 1 |
//! | 5 | type u8 | [`Kind`] |
//! | 6 | sequence u16 | this datagram's number |
//! | 8 | ack u16 | newest number received, FFFF before any |
//! | 10 | ack_bits u32 | bit i: number `ack - 1 - i` was received |
//! | 14 | session u32 | the session's token |

use super::limits::{HEADER, MAGIC, MAX_DATAGRAM, MAX_PAYLOAD, VERSION};
use super::token::SessionToken;

/// The type of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// 1, from a client: bind this source endpoint to the session (section 3.4).
    Connect = 1,
    /// 2, from the server: the endpoint is bound.
    Accept = 2,
    /// 3: up to [`MAX_PAYLOAD`] bytes of the game, opaque here.
    Data = 3,
    /// 4: nothing but the header, after a second of sending nothing.
    KeepAlive = 4,
}

impl Kind {
    /// The type of this byte; `None` for 0 and 5 to 255.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Connect),
            2 => Some(Self::Accept),
            3 => Some(Self::Data),
            4 => Some(Self::KeepAlive),
            _ => None,
        }
    }

    /// The byte on the wire.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Longest payload of this type, in bytes.
    #[must_use]
    pub const fn max_payload(self) -> usize {
        match self {
            Self::Data => MAX_PAYLOAD,
            Self::Connect | Self::Accept | Self::KeepAlive => 0,
        }
    }
}

/// Which end a datagram comes from: only a client sends Connect, only the server sends Accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A game client.
    Client,
    /// The game server.
    Server,
}

/// One datagram. [`Sequencer::stamp`](super::Sequencer::stamp) makes the next one to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// The type.
    pub kind: Kind,
    /// This datagram's number.
    pub sequence: u16,
    /// The newest number that the sender has received.
    pub ack: u16,
    /// Bit i: the sender has received number `ack - 1 - i`.
    pub ack_bits: u32,
    /// The session's token.
    pub session: SessionToken,
    /// Empty, except in Data.
    pub payload: &'a [u8],
}

/// Why bytes are not a datagram that the sending side may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DatagramError {
    /// It names no session, so there is nothing to do but drop it.
    #[error("not a datagram of this protocol: {0}")]
    Stray(Stray),
    /// It names a session, and is invalid.
    ///
    /// From the endpoint bound to that very session the session ends with
    /// [`ProtocolError`](super::LogoutReason::ProtocolError); from anyone else it is dropped. Look the token
    /// up before acting.
    #[error("invalid datagram: {fault}")]
    Invalid {
        /// The session field, as found.
        session: SessionToken,
        /// What is wrong.
        fault: Fault,
    },
}

/// Why a datagram names no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stray {
    /// Shorter than the header.
    #[error("shorter than its header")]
    Short,
    /// The first four bytes are not [`MAGIC`].
    #[error("wrong magic")]
    Magic,
    /// The session field is 0, which is never a token.
    #[error("session 0")]
    NoSession,
}

/// What is wrong with a datagram that names a session. They are looked for in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A version other than [`VERSION`].
    #[error("version {0}")]
    Version(u8),
    /// A type that does not exist.
    #[error("type {0}")]
    Kind(u8),
    /// A type that this side may not send: an Accept from a client, a Connect from the server.
    #[error("{0:?} from the wrong side")]
    WrongSide(Kind),
    /// More payload than this type may have.
    #[error("{kind:?} with a payload of {length} bytes")]
    Payload {
        /// The type.
        kind: Kind,
        /// Its payload, in bytes.
        length: usize,
    },
}

/// A [`Datagram`] whose payload its type does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind:?} may have a payload of {} bytes, not of {length}", .kind.max_payload())]
pub struct EncodeError {
    /// The type.
    pub kind: Kind,
    /// The payload that it was given, in bytes.
    pub length: usize,
}

impl<'a> Datagram<'a> {
    /// Decodes a datagram that came from `side`.
    ///
    /// Receive into at least [`RECEIVE_BUFFER`](super::RECEIVE_BUFFER) bytes, or a payload over the limit
    /// passes for one that fits.
    ///
    /// # Errors
    ///
    /// [`DatagramError::Stray`] when no session can be read from it, [`DatagramError::Invalid`] with the
    /// session when one can.
    pub fn decode(bytes: &'a [u8], side: Side) -> Result<Self, DatagramError> {
        let (header, payload) = bytes
            .split_first_chunk::<HEADER>()
            .ok_or(DatagramError::Stray(Stray::Short))?;
        let [
            m0,
            m1,
            m2,
            m3,
            version,
            kind,
            q0,
            q1,
            a0,
            a1,
            b0,
            b1,
            b2,
            b3,
            s0,
            s1,
            s2,
            s3,
        ] = *header;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(DatagramError::Stray(Stray::Magic));
        }
        let session = SessionToken::new(u32::from_le_bytes([s0, s1, s2, s3]))
            .ok_or(DatagramError::Stray(Stray::NoSession))?;
        let kind = check(version, kind, side, payload.len())
            .map_err(|fault| DatagramError::Invalid { session, fault })?;
        Ok(Self {
            kind,
            sequence: u16::from_le_bytes([q0, q1]),
            ack: u16::from_le_bytes([a0, a1]),
            ack_bits: u32::from_le_bytes([b0, b1, b2, b3]),
            session,
            payload,
        })
    }

    /// Writes the datagram into `buffer` and returns the part of it to send.
    ///
    /// # Errors
    ///
    /// When the payload is longer than its type allows. Nothing is written then.
    pub fn encode<'b>(&self, buffer: &'b mut [u8; MAX_DATAGRAM]) -> Result<&'b [u8], EncodeError> {
        let length = self.payload.len();
        if length > self.kind.max_payload() {
            return Err(EncodeError {
                kind: self.kind,
                length,
            });
        }
        buffer[0..4].copy_from_slice(&MAGIC);
        buffer[4] = VERSION;
        buffer[5] = self.kind.byte();
        buffer[6..8].copy_from_slice(&self.sequence.to_le_bytes());
        buffer[8..10].copy_from_slice(&self.ack.to_le_bytes());
        buffer[10..14].copy_from_slice(&self.ack_bits.to_le_bytes());
        buffer[14..HEADER].copy_from_slice(&self.session.expose().to_le_bytes());
        buffer[HEADER..HEADER + length].copy_from_slice(self.payload);
        Ok(&buffer[..HEADER + length])
    }
}

fn check(version: u8, kind: u8, side: Side, length: usize) -> Result<Kind, Fault> {
    if version != VERSION {
        return Err(Fault::Version(version));
    }
    let kind = Kind::from_byte(kind).ok_or(Fault::Kind(kind))?;
    match (kind, side) {
        (Kind::Accept, Side::Client) | (Kind::Connect, Side::Server) => {
            return Err(Fault::WrongSide(kind));
        }
        _ => {}
    }
    if length > kind.max_payload() {
        return Err(Fault::Payload { kind, length });
    }
    Ok(kind)
}

#[cfg(test)]
mod tests;
