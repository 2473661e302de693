//! A client of the RakNet family's protocols, of MafiaNet above all.
//!
//! [`Client::connect`] opens a connection, hands the server its payload, waits while the server decides (for
//! as long as the server says that it still does), and returns once the game may start. From then on
//! [`Client::recv`] must be called again and again: it is what acknowledges, answers pings and notices the end
//! of the session. It is safe to cancel, so it fits in a `select!` beside whatever else the game waits for.
//!
//! ```no_run
//! use usher_client::raknet::{Client, Options, Reliability};
//!
//! # async fn play() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options::default()
//!     .payload("ticket=abc")
//!     .on_step(|step| println!("{step}"));
//! let mut client = Client::connect("game.example.net:4243", options).await?;
//!
//! client.send(b"\x87hello", Reliability::ReliableOrdered, 0).await?;
//! let answer = client.recv().await?;
//! println!("told {:?} on channel {}", answer.bytes, answer.channel);
//!
//! client.leave(b"").await?;
//! # Ok(())
//! # }
//! ```
//!
//! Dropping a [`Client`], or the future of [`Client::connect`], is what a crash looks like to the server: it
//! notices ten seconds later. [`Client::leave`] says goodbye.

mod client;
mod error;
mod socket;
mod step;

pub use client::{Client, Options};
pub use error::Error;
pub use step::Step;
pub use usher_wire::raknet::initiator::Unsent;
pub use usher_wire::raknet::{
    Dialect, Guid, Incoming as Message, MAX_PASSWORD, MAX_SESSION_PAYLOAD, Malformed, Refusal,
    Reliability,
};
