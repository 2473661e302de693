//! A client of the `rtyp` protocol.
//!
//! [`Client::connect`] logs in over TCP, waits for the answer (for as long as the server keeps the login
//! waiting), binds a UDP endpoint and returns once the game may start. From then on [`Client::recv`] must be
//! called again and again: it is what answers keep-alives, acknowledges and notices the end of the session.
//! It is safe to cancel, so it fits in a `select!` beside whatever else the game waits for.
//!
//! ```no_run
//! use usher_client::rtyp::{Client, Options};
//!
//! # async fn play() -> Result<(), Box<dyn std::error::Error>> {
//! let name = "R9".parse()?;
//! let options = Options::default().on_step(|step| println!("{step}"));
//! let mut client = Client::connect("game.example.net:4242", &name, options).await?;
//!
//! client.send(b"hello").await?;
//! let answer = client.recv().await?;
//! println!("player {} was told {answer:?}", client.player());
//!
//! client.leave().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Dropping a [`Client`], or the future of [`Client::connect`], closes the connection, and that ends the
//! session as well; [`Client::leave`] says goodbye first.

mod channel;
mod client;
mod error;
mod link;
mod step;

pub use channel::Dropped;
pub use client::{Client, Options};
pub use error::{Breach, Error};
pub use step::Step;
pub use usher_wire::rtyp::{InvalidName, LogoutReason, MAX_PAYLOAD, PlayerName, RejectReason};
