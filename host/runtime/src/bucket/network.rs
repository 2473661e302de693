//! IP networks, and which of many an address is in.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// An IP network. Bits behind the prefix are zero, and what maps IPv4 into IPv6 is IPv4, so that there is
/// one way to state a network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// The network of an address with a prefix of so many bits; `None` if the address has fewer.
    pub fn new(address: IpAddr, prefix: u8) -> Option<Network> {
        /// So many bits say that an IPv6 address is one of IPv4.
        const MAPPED: u8 = 96;
        let (address, prefix) = match address {
            IpAddr::V4(_) if prefix > 32 => return None,
            IpAddr::V6(_) if prefix > 128 => return None,
            // A shorter prefix has more in it than IPv4, and stays what it is.
            IpAddr::V6(v6) if prefix >= MAPPED => match v6.to_ipv4_mapped() {
                Some(v4) => (IpAddr::V4(v4), prefix - MAPPED),
                None => (address, prefix),
            },
            address => (address, prefix),
        };
        let address = match address {
            IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask_v4(prefix))),
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask_v6(prefix))),
        };
        Some(Network { address, prefix })
    }

    /// The network of one address.
    pub fn of(address: IpAddr) -> Network {
        let address = address.to_canonical();
        let prefix = if address.is_ipv4() { 32 } else { 128 };
        Network { address, prefix }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Network::of(self.address) {
            write!(f, "{}", self.address)
        } else {
            write!(f, "{}/{}", self.address, self.prefix)
        }
    }
}

fn mask_v4(prefix: u8) -> u32 {
    u32::MAX
        .checked_shl(32 - u32::from(prefix.min(32)))
        .unwrap_or(0)
}

fn mask_v6(prefix: u8) -> u128 {
    u128::MAX
        .checked_shl(128 - u32::from(prefix.min(128)))
        .unwrap_or(0)
}

/// Networks, each with a note.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Networks {
    notes: HashMap<Network, Arc<str>>,
    /// The lengths of prefixes that there are, the longest first: a look-up a length, and lists have few.
    v4: Vec<u8>,
    v6: Vec<u8>,
}

impl Networks {
    /// Puts a network in; one that is there has the new note.
    pub(super) fn insert(&mut self, network: Network, note: Arc<str>) {
        let lengths = match network.address {
            IpAddr::V4(_) => &mut self.v4,
            IpAddr::V6(_) => &mut self.v6,
        };
        if let Err(place) = lengths.binary_search_by(|length| network.prefix.cmp(length)) {
            lengths.insert(place, network.prefix);
        }
        self.notes.insert(network, note);
    }

    /// The note of exactly this network.
    pub(super) fn get(&self, network: &Network) -> Option<&Arc<str>> {
        self.notes.get(network)
    }

    /// The note of the smallest network that an address is in.
    pub(super) fn of(&self, address: IpAddr) -> Option<&Arc<str>> {
        let address = address.to_canonical();
        let lengths = match address {
            IpAddr::V4(_) => &self.v4,
            IpAddr::V6(_) => &self.v6,
        };
        let networks = lengths
            .iter()
            .filter_map(|length| Network::new(address, *length));
        networks
            .filter_map(|network| self.notes.get(&network))
            .next()
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.notes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn network(text: &str) -> Network {
        let (address, prefix) = text.split_once('/').expect("a network");
        let prefix = prefix.parse().expect("a number");
        Network::new(address.parse().expect("an address"), prefix).expect("short enough")
    }

    #[test]
    fn there_is_one_way_to_state_a_network() {
        for (given, shown) in [
            ("192.0.2.77/24", "192.0.2.0/24"),
            ("192.0.2.77/32", "192.0.2.77"),
            ("192.0.2.77/0", "0.0.0.0/0"),
            ("2001:db8::7/32", "2001:db8::/32"),
            ("2001:db8::7/128", "2001:db8::7"),
            ("2001:db8::7/0", "::/0"),
            ("::ffff:192.0.2.77/128", "192.0.2.77"),
            ("::ffff:192.0.2.77/120", "192.0.2.0/24"),
            ("::ffff:192.0.2.77/96", "0.0.0.0/0"),
            ("::ffff:192.0.2.77/95", "::fffe:0:0/95"),
        ] {
            assert_eq!(network(given).to_string(), shown, "{given}");
        }
        assert_eq!(Network::new(address("192.0.2.1"), 33), None);
        assert_eq!(Network::new(address("::1"), 129), None);
        let mapped = Network::of(address("::ffff:192.0.2.1"));
        assert_eq!(mapped.to_string(), "192.0.2.1");
    }

    #[test]
    fn an_address_has_the_note_of_the_smallest_network_that_it_is_in() {
        let mut networks = Networks::default();
        for text in [
            "10.0.0.0/8",
            "10.1.0.0/16",
            "10.1.2.3/32",
            "10.1.2.128/25",
            "0.0.0.0/1",
            "2001:db8::/32",
            "2001:db8:7::/48",
            "fe80::1/128",
        ] {
            networks.insert(network(text), text.into());
        }
        for (asked, found) in [
            ("10.1.2.3", Some("10.1.2.3/32")),
            ("10.1.2.4", Some("10.1.0.0/16")),
            ("10.1.2.127", Some("10.1.0.0/16")),
            ("10.1.2.128", Some("10.1.2.128/25")),
            ("10.1.2.255", Some("10.1.2.128/25")),
            ("10.1.3.0", Some("10.1.0.0/16")),
            ("10.255.255.255", Some("10.0.0.0/8")),
            ("11.0.0.0", Some("0.0.0.0/1")),
            ("127.255.255.255", Some("0.0.0.0/1")),
            ("128.0.0.0", None),
            ("::ffff:10.1.2.3", Some("10.1.2.3/32")),
            ("::10.1.2.3", None),
            ("2001:db8:7:ffff::", Some("2001:db8:7::/48")),
            ("2001:db8:8::", Some("2001:db8::/32")),
            ("2001:db9::", None),
            ("fe80::1", Some("fe80::1/128")),
            ("fe80::2", None),
        ] {
            let note = networks.of(address(asked)).map(|note| &**note);
            assert_eq!(note, found, "{asked}");
        }
    }

    #[test]
    fn all_of_one_family_is_nothing_of_the_other() {
        let mut networks = Networks::default();
        networks.insert(network("0.0.0.0/0"), "v4".into());
        let found = |networks: &Networks, text| networks.of(address(text)).cloned();
        assert_eq!(
            found(&networks, "::ffff:255.255.255.255").as_deref(),
            Some("v4")
        );
        assert_eq!(found(&networks, "::1"), None);
        let mut networks = Networks::default();
        networks.insert(network("::/0"), "v6".into());
        assert_eq!(found(&networks, "::1").as_deref(), Some("v6"));
        assert_eq!(found(&networks, "255.255.255.255"), None);
    }

    #[test]
    fn a_network_that_is_put_in_again_has_the_new_note() {
        let mut networks = Networks::default();
        networks.insert(network("192.0.2.0/24"), "old".into());
        networks.insert(network("192.0.2.9/24"), "new".into());
        assert_eq!(networks.len(), 1);
        let note = networks.of(address("192.0.2.200")).map(|note| &**note);
        assert_eq!(note, Some("new"));
    }
}
