//! Whose a datagram is, as tables have it.

use std::net::SocketAddrV4;

/// A client's address and port as one number: looked up for each datagram, and hashed in one step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Client(u64);

impl Client {
    pub(super) fn of(address: SocketAddrV4) -> Client {
        Client(u64::from(u32::from(*address.ip())) << 16 | u64::from(address.port()))
    }
}
