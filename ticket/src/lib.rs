//! Join tickets: what a game client presents at a door, and the nineteen reasons why it is not let in.
//!
//! A ticket is one small JSON object. [`JoinTicket::decode`] takes what the protocol allows and refuses the
//! rest with the [`Reason`] that every implementation gives for it, so a [`JoinTicket`] is well formed, whoever
//! it came from. Whether it is *true* is for a policy and its evidence; nothing here is asked about that.
//!
//! ```
//! use usher_ticket::{JoinTicket, Reason};
//!
//! let payload = br#"{"v":1,"kind":"lan","protocolVersion":3,"playerId":"lan-7f3a2c91"}"#;
//! let ticket = JoinTicket::decode(payload)?;
//! assert_eq!(ticket.player_id().as_str(), "lan-7f3a2c91");
//!
//! let refused = JoinTicket::decode(br#"{"v":2,"colour":"red"}"#).unwrap_err();
//! assert_eq!(refused.reason(), Reason::UnsupportedVersion);
//! # Ok::<(), usher_ticket::Refusal>(())
//! ```
//!
//! Ticket and reservation ids are secrets: they are types that print a [`SecretRef`] and nothing else.
//! The same code runs in doors, in policies (so it is `no_std` and small) and in clients, which make ids with
//! `TicketId::mint` (feature `mint`).

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod decode;
mod encode;
mod json;
mod kind;
#[cfg(feature = "mint")]
mod mint;
mod reason;
mod refusal;
mod secret;
mod text;
mod ticket;
mod version;

pub use decode::MAX_BYTES;
pub use encode::EncodeError;
pub use kind::Kind;
#[cfg(feature = "mint")]
pub use mint::MintError;
pub use reason::{Reason, UnknownReason};
pub use refusal::Refusal;
pub use secret::{ReservationId, SecretRef, TicketId};
pub use text::{AllocationId, DisplayName, PlayerId, WrongLength};
pub use ticket::{BackfillTicket, JoinTicket, Joiner, LanTicket, MatchTicket, ReservationTicket};
pub use version::ProtocolVersion;
