//! Addresses as the host counts them: IPv4-mapped IPv6 is IPv4, and IPv6 is counted by /64.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The same endpoint with an IPv4 address that is mapped into IPv6 given as IPv4.
pub fn canonical(endpoint: SocketAddr) -> SocketAddr {
    SocketAddr::new(endpoint.ip().to_canonical(), endpoint.port())
}

/// What shares one allowance: an IPv4 address, or an IPv6 /64, which is what one customer usually has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AddressGroup(IpAddr);

impl AddressGroup {
    /// The group of an address.
    pub fn of(address: IpAddr) -> AddressGroup {
        AddressGroup(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (!0 << 64))),
            v4 => v4,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_share_by_ipv4_address_and_ipv6_64() {
        let group = |text: &str| AddressGroup::of(text.parse().unwrap());
        for (a, b, same) in [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("::ffff:192.0.2.1", "192.0.2.1", true),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        ] {
            assert_eq!(group(a) == group(b), same, "{a} {b}");
        }
    }
}
