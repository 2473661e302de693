//! What a game server knows of its place in a fleet, as types: in which mode it runs, which session is
//! current, and the evidence that stands behind a join ticket.
//!
//! The host finds the evidence out; a policy asks for it as for any other fact:
//!
//! ```
//! use usher_sdk::fleet::Hold;
//! use usher_sdk::prelude::*;
//! use usher_sdk::ticket::{self, JoinTicket};
//!
//! fn on_connect_request(request: &Request, facts: &Facts) -> Decided {
//!     let ticket = JoinTicket::decode(&request.payload).map_err(|wrong| wrong.reason())?;
//!     let Some(reservation) = ticket.reservation_id() else {
//!         return Err(ticket::Reason::KindNotAccepted.into());
//!     };
//!     match facts.hold(reservation)? {
//!         Hold::Found(hold) if hold.places.admit(ticket.player_id()) => {
//!             Verdict::accept().joiner(&ticket).into()
//!         }
//!         Hold::Found(_) | Hold::Missing => Err(ticket::Reason::ReservationInvalid.into()),
//!         Hold::Unavailable(_) => Err(ticket::Reason::ReservationUnverifiable.into()),
//!     }
//! }
//! ```
//!
//! Every answer is one of three: it was found, there surely is no such thing, or nothing was learned. A
//! document that nobody can read teaches nothing either. What an answer means is for the policy to say.

mod allocation;
mod backfill;
mod claimed;
mod context;
mod document;
mod fetched;
mod hold;
mod joiner;
mod known;
mod mode;
mod places;
pub mod question;
mod roster;
mod verified;

pub use allocation::{Allocation, Current, Origin};
pub use backfill::{Backfill, Delivered};
pub use claimed::{SessionClaim, claim_session};
pub use context::Context;
pub use fetched::Fetched;
pub use hold::{Hold, HoldFacts};
pub use joiner::shown_name;
pub use mode::{Mode, is_stopping, mode};
pub use places::Places;
pub use roster::{Party, Roster};
pub use verified::Verified;

#[cfg(test)]
mod tests;
