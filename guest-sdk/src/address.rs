//! IP addresses, which the contract has as the 128 bits of IPv6.

use std::net::{IpAddr, Ipv6Addr};

use crate::contract::IpAddress;

/// As the contract has it.
pub(crate) fn to_contract(address: IpAddr) -> IpAddress {
    let bits = match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
        IpAddr::V6(v6) => v6.to_bits(),
    };
    // The halves of it.
    ((bits >> 64) as u64, bits as u64)
}

/// An IPv4 address that is mapped into IPv6 is the IPv4 address.
pub(crate) fn of_contract((high, low): IpAddress) -> IpAddr {
    let bits = u128::from(high) << 64 | u128::from(low);
    IpAddr::V6(Ipv6Addr::from_bits(bits)).to_canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_same_there_and_back() {
        for text in ["192.0.2.1", "2001:db8::1:2", "::", "255.255.255.255"] {
            let address: IpAddr = text.parse().expect("an address");
            assert_eq!(of_contract(to_contract(address)), address);
        }
        let mapped = "::ffff:192.0.2.1".parse().expect("an address");
        let plain: IpAddr = "192.0.2.1".parse().expect("an address");
        assert_eq!(of_contract(to_contract(mapped)), plain);
        assert_eq!(to_contract(plain), (0, 0xffff_c000_0201));
    }
}
