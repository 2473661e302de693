//! The reliability layer of the RakNet family, through its public face.

mod bounds;
mod bytes;
mod delivery;
mod ends;
mod fairness;
mod loss;
mod memory;
mod network;
mod pair;
mod properties;
mod sending;
mod speed;
mod wrap;
