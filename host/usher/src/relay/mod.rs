//! The relay: a game server behind the doors that is sent what players send, and answers them.
//!
//! Each player has a UDP socket of its own towards the game server, so the server sees an endpoint a player,
//! and a datagram of anyone but the server reaches nobody: the sockets are connected. The doors own the
//! sockets and carry the data themselves; neither the core nor a thread between them has a part in it.

mod line;
mod lines;
mod losses;
mod server;

pub use line::Line;
pub use lines::Lines;
pub use server::{Relay, unreachable};
