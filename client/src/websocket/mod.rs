//! A client of the `websocket` protocol, for programs that are no web page.
//!
//! [`Client::connect`] opens a connection, hands the server its payload, waits while the server decides (for as
//! long as the server says that it still does), and returns once the game may start. From then on
//! [`Client::recv`] must be called again and again: it is what answers pings and notices the end of the
//! session. It is safe to cancel, so it fits in a `select!` beside whatever else the game waits for.
//!
//! ```no_run
//! use usher_client::websocket::{Client, Options};
//!
//! # async fn play() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options::default()
//!     .name("R9")
//!     .payload("ticket=abc")
//!     .on_step(|step| println!("{step}"));
//! let (mut client, _) = Client::connect("ws://game.example.net:4245/", options).await?;
//!
//! client.send(b"hello").await?;
//! let answer = client.recv().await?;
//! println!("told {answer:?}");
//!
//! client.leave().await?;
//! # Ok(())
//! # }
//! ```
//!
//! TLS is left to whoever needs it: only `ws://` is spoken.

mod client;
mod error;
mod step;
mod told;

pub use client::{Client, MAX_PAYLOAD, Options};
pub use error::Error;
pub use step::{Accepted, Step};
