//! What the fuzz targets check, as plain functions that panic on a finding.
//!
//! The fuzz crate calls them with what its engine makes up; an ordinary test calls them with the committed
//! corpus and mutations of it, so that a finding stays found on machines without a fuzzer.

mod raknet;
mod raknet_model;
mod raknet_pair;
mod raknet_parts;
mod rtyp;
mod ticket;

pub use raknet::{raknet_datagram, raknet_offline};
pub use raknet_pair::raknet_pair;
pub use raknet_parts::raknet_reassembly;
pub use rtyp::{rtyp_tcp, rtyp_udp};
pub use ticket::ticket;
