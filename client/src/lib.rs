//! The client side of the protocols that Usher's doors speak: what a game client or a load generator links.
//!
//! One module a protocol, each with a `Client` that logs in, sends and receives, and leaves:
//!
//! * [`raknet`]: MafiaNet and its family, all of it over UDP.
//! * [`rtyp`]: login over TCP, the game over UDP.
//! * [`websocket`]: all of it over one TCP connection, as web pages do it.
//!
//! [`ticket`] has the join tickets that any of them can carry, and mints ticket ids.
//!
//! A client is a value that its owner drives: no task is spawned and nothing happens behind its back, so it
//! needs nothing of the runtime but tokio's network and time.

#![forbid(unsafe_code)]

pub mod raknet;
pub mod rtyp;
pub mod websocket;
pub use usher_ticket as ticket;
