//! Stand-ins: servers that say what a fleet's local SDK endpoint and Discovery would say.
//!
//! They are real HTTP servers on real loopback sockets, each with a thread of its own, so a test may
//! block or be asynchronous. What they hold is scripted through methods; how they misbehave, through
//! [`Fault`]s; what was asked of them is in [`Call`]s. `cargo xtask fake-sdk` and
//! `cargo xtask fake-discovery` run them by hand, scripted with `curl`.
//!
//! They know nothing of Usher, and share no code with it.

mod calls;
pub mod cli;
pub mod context;
mod control;
mod discovery;
mod fault;
mod reply;
mod request;
mod sdk;
mod server;
mod text;

pub use calls::{Call, Calls};
pub use discovery::{FakeDiscovery, HeartbeatAnswer, Reservation};
pub use fault::{Fault, What};
pub use sdk::{Backfill, Dialect, FakeSdk, Hold};
pub use server::Options;
