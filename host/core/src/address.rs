//! Addresses as the host counts them: IPv4-mapped IPv6 is IPv4, and IPv6 is counted by /64.

use std::net::{IpAddr, SocketAddr};

/// The same endpoint with an IPv4 address that is mapped into IPv6 given as IPv4.
pub fn canonical(endpoint: SocketAddr) -> SocketAddr {
    SocketAddr::new(endpoint.ip().to_canonical(), endpoint.port())
}

/// What shares one allowance: an IPv4 address, or an IPv6 /64, which is what one customer usually has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AddressGroup {
    /// Which of the two; numbers of four bytes have zeros after them. In bytes, because each who waits has
    /// one and it must not be padded.
    v6: bool,
    number: [u8; 8],
}

impl AddressGroup {
    /// The group of an address.
    pub fn of(address: IpAddr) -> AddressGroup {
        match address.to_canonical() {
            IpAddr::V4(v4) => {
                let [a, b, c, d] = v4.octets();
                AddressGroup {
                    v6: false,
                    number: [a, b, c, d, 0, 0, 0, 0],
                }
            }
            IpAddr::V6(v6) => {
                let [a, b, c, d, e, f, g, h, ..] = v6.octets();
                AddressGroup {
                    v6: true,
                    number: [a, b, c, d, e, f, g, h],
                }
            }
        }
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
            ("c000:201::1", "192.0.2.1", false),
        ] {
            assert_eq!(group(a) == group(b), same, "{a} {b}");
        }
    }
}
