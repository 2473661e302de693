//! Both ends of a datagram's way.

use std::net::{IpAddr, SocketAddr};

/// Both ends of a datagram's way, as the socket knows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::doors) struct Path {
    /// The player's end.
    pub(in crate::doors) remote: SocketAddr,
    /// Our end, where the system tells it: the answer leaves from where the datagram came to.
    pub(in crate::doors) local: Option<IpAddr>,
}
