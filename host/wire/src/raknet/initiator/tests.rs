//! The client in virtual time, against bytes of the protocol's own page and against a server that is a
//! connection and a script.

mod anything;
mod game;
mod opening;
mod server;
mod session;
