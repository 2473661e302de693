//! The rule that every side of the benchmark `decision` follows, and the bench that it is measured on.
//!
//! A player's name is taken from a payload of 200 bytes and checked, looked up in a ban list of the
//! host's, and let in with a claim on the name if the host's ledger has a seat left. [`requests`] is what
//! is asked, each with the verdict that is right; [`World`] answers for the host; [`native`] is the rule as a
//! Rust function; [`run`] checks a side, measures it and prints what came of it.
//!
//! It depends on nothing, and knows neither the host nor the languages that are compared.

mod bench;
mod figures;
pub mod native;
mod request;
mod verdict;
mod world;

pub use bench::{Calls, Options, Side, run};
pub use figures::{Figures, Spread};
pub use request::{Case, MAX_PLAYERS, Request, requests};
pub use verdict::Verdict;
pub use world::World;
