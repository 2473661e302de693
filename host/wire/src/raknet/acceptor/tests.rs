//! What a server sees of its peers, and they of it, in virtual time.

mod anything;
mod crossing;
mod endings;
mod game;
mod late;
mod opening;
mod session;
mod silent;
mod together;
mod world;
