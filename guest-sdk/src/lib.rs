//! Write the rules of a game server's door in Rust: who may enter, and what happens inside.
//!
//! Usher, the host, asks WebAssembly modules. An admission [`Policy`] is a pure function from a
//! request to a verdict; game [`Rules`] hold what happens in a room. This crate is all that a module
//! depends on. The smallest policy:
//!
//! ```
//! use usher_sdk::prelude::*;
//!
//! struct Open;
//!
//! impl Policy for Open {
//!     fn on_connect_request(_: &Request, _: &Facts) -> Decided {
//!         Verdict::accept().into()
//!     }
//! }
//!
//! usher_sdk::export_policy!(Open);
//! ```
//!
//! A policy counts nothing itself. It names [`Claim`]s, and the host takes all of them or none:
//!
//! ```
//! # use usher_sdk::prelude::*;
//! # fn decide(name: &str) -> Decided {
//! Verdict::accept()
//!     .identity(name)
//!     .claim(Claim::on(Key::slot()).at_most(4).lowest_index())
//!     .claim(Claim::on(Key::new("name").part(name)).or(Reason::new("name-taken", "That name is in use")))
//!     .into()
//! # }
//! ```
//!
//! The same code runs natively, where `testing` (not compiled to WebAssembly) stands in for the host,
//! so `cargo test` needs neither a host nor a WebAssembly toolchain.
//!
//! What this crate does not do: it holds no state for policies, opens no file or socket and knows no
//! protocol. Whatever a module can learn or do is in the contract, whose records and variants are
//! re-exported here under their own names.

// The generated bindings name this crate by its outer name, from inside it as well.
#[allow(unused_extern_crates)]
extern crate self as usher_sdk;

#[doc(hidden)]
#[allow(
    missing_docs,
    unreachable_pub,
    unsafe_code,
    rust_2018_idioms,
    clippy::all
)]
pub mod bindings;

#[doc(hidden)]
pub mod export;

mod address;
mod claim;
mod command;
mod contract;
mod early;
mod facts;
pub mod fleet;
mod host;
mod panic;
mod part;
mod policy;
mod request;
mod rules;
mod tell;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod unwritten;
mod verdict;

pub use contract::{
    Abandonment, Acceptance, Act, Admission, Answer, Attribute, AttributeValue, Broadcasting,
    BucketPut, Claim, Command, Decision, Delivery, Description, DoorAbilities, DoorInfo, Effect,
    Ending, Endpoint, Fact, HeldUnit, Inquiry, IpAddress, Key, KickIdentity, KickSession, Kicking,
    Message, Millis, Parting, Passing, Player, ProgressInfo, Question, Reason, ReasonAbility,
    RequestId, RoomState, Sending, SessionId, StatusAbility, UnixMillis, Until, Verdict, Waiter,
    Waiting, Why,
};
pub use early::{Decided, Early};
pub use facts::Facts;
pub use host::{bucket, clock, ledger, log, params, random};
pub use part::Part;
pub use policy::Policy;
pub use request::Request;
pub use rules::Rules;
/// Join tickets: a [`JoinTicket`](ticket::JoinTicket) is decoded from a request's payload as every door and
/// client does it.
pub use usher_ticket as ticket;

/// What a policy or rules commonly name; `use usher_sdk::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Answer, Claim, Command, Decided, Description, Effect, Ending, Facts, Key, Message, Part,
        Parting, Player, Policy, Question, Reason, Request, Rules, SessionId, UnixMillis, Verdict,
        Waiter, Waiting, Why, bucket, clock, ledger, log, params, random,
    };
}

/// The examples of the authors' guide are tested with this crate's own. A copy of the crate has no guide
/// beside it and runs no doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/policies.md")]
struct Guide;
