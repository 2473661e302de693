//! The doors: each speaks one protocol to players and the core's few verbs to the core. A door
//! translates; it decides nothing.

pub mod door;
pub mod game;
pub mod http;
pub mod link;
mod listener;
pub mod mafianet;
pub mod rtyp;
mod socket;
mod strangers;
pub mod tickets;
pub mod websocket;
