//! The `rtyp` protocol: a login over TCP gives a session token, the token binds a UDP endpoint.
//!
//! All integers are little-endian. A TCP frame is a u16 length (not counting itself) and a body; the body
//! starts with a kind on one u8 and its fields follow ([`Framer`], [`ClientMessage`], [`ServerMessage`]).
//! A string is a u16 length in bytes and its bytes. A datagram is an 18-byte header and a payload
//! ([`Datagram`]). Each side numbers its datagrams and acknowledges the other's ([`Sequencer`]).
//!
//! ```
//! use usher_wire::rtyp::{ClientMessage, Framer, PlayerName, RejectReason};
//!
//! let mut framer = Framer::new();
//! framer.push(&[0x06, 0x00, 0x01, 0x01, 0x02, 0x00, 0x52, 0x39]);
//! let frame = framer.next_frame()?.expect("a whole frame was pushed");
//! let ClientMessage::LoginRequest(login) = ClientMessage::decode(frame)? else { panic!("not a login") };
//! assert_eq!(login.outcome(), Ok("R9".parse::<PlayerName>()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This module decides nothing about sessions: whether a token is current, who may bind it and when a
//! session ends belong to the door. Section numbers in these docs are those of the `rtyp` specification;
//! `docs/protocols/rtyp.md` is the page for authors of clients.

mod frame;
mod limits;
mod malformed;
mod name;
mod reason;
mod sequence;
mod tcp;
mod token;
mod udp;

pub use frame::Framer;
pub use limits::{
    HEADER, MAGIC, MAX_DATAGRAM, MAX_FRAME, MAX_NAME, MAX_PAYLOAD, RECEIVE_BUFFER, VERSION,
};
pub use malformed::Malformed;
pub use name::{InvalidName, PlayerName};
pub use reason::{LogoutReason, RejectReason};
pub use sequence::{Arrival, Sequencer};
pub use tcp::{ClientMessage, LoginRequest, ServerMessage};
pub use token::SessionToken;
pub use udp::{Datagram, DatagramError, EncodeError, Fault, Kind, Side, Stray};
