//! What stands in a bucket: text, or a network.

use super::network::Network;
use crate::escape::escaped;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// The longest entry, in bytes.
const LONGEST: usize = 256;

/// An entry of a bucket.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Entry {
    /// A name, a player id, or any other text; without space around it.
    Text(Arc<str>),
    /// An IP address, or a network of them.
    Network(Network),
}

/// A text that is no entry; the end of a sentence that begins with the text.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum BadEntry {
    /// Nothing but space.
    #[error("is empty")]
    Empty,
    /// More than any name or id has.
    #[error("has {0} bytes, and {LONGEST} are allowed")]
    TooLong(usize),
    /// What could not be seen in a file, or would end its line.
    #[error("has a control character")]
    Control,
    /// Meant as an address by the looks of it, and none.
    #[error("looks like an IP address and is none: write 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32")]
    NotAnAddress,
}

impl Entry {
    /// Understands a text: an IP address, a network in CIDR notation, or else text. Space around it does
    /// not count, nor do bits behind a network's prefix. What was clearly meant as an address but is none
    /// is an error, because a ban of such a text would ban nobody.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Entry, BadEntry> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BadEntry::Empty);
        }
        if text.len() > LONGEST {
            return Err(BadEntry::TooLong(text.len()));
        }
        if text.contains(char::is_control) {
            return Err(BadEntry::Control);
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Entry::Network(Network::of(address)));
        }
        if let Some((address, prefix)) = text.split_once('/')
            && let Ok(address) = address.parse::<IpAddr>()
        {
            let network = prefix_of(prefix).and_then(|prefix| Network::new(address, prefix));
            return network.map(Entry::Network).ok_or(BadEntry::NotAnAddress);
        }
        if looks_like_an_address(text) {
            return Err(BadEntry::NotAnAddress);
        }
        Ok(Entry::Text(text.into()))
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Text(text) => f.write_str(&escaped(text, LONGEST)),
            Entry::Network(network) => network.fmt(f),
        }
    }
}

/// Digits alone: a number's own parser also takes a sign.
fn prefix_of(text: &str) -> Option<u8> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// Whether whoever wrote this meant addresses: `192.0.2.256`, `192.0.2.*`, `192.0.2.1-9`, `10.0.0/8`,
/// `2001:db8::x`, or an address that a note is glued to.
fn looks_like_an_address(text: &str) -> bool {
    let glued = text.split(['#', ' ', '-', ',', ';', '%']).next();
    if glued.is_some_and(|first| first != text && is_address_or_network(first)) {
        return true;
    }
    let groups = |text: &str, least| {
        let plain = |group: &str| {
            !group.is_empty() && group.bytes().all(|byte| b"0123456789*-".contains(&byte))
        };
        text.split('.').count() >= least && text.split('.').all(plain)
    };
    match text.split_once('/') {
        Some((address, prefix)) if prefix_of(prefix).is_some() => groups(address, 2),
        Some((address, _)) => groups(address, 4),
        None => {
            let v6 = |byte: u8| byte.is_ascii_hexdigit() || b":.%*/".contains(&byte);
            groups(text, 4) || (text.contains("::") && text.bytes().all(v6))
        }
    }
}

fn is_address_or_network(text: &str) -> bool {
    let address = text.split('/').next().unwrap_or_default();
    address.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<String, String> {
        let entry = Entry::parse(text).map_err(|error| error.to_string())?;
        Ok(match &entry {
            Entry::Text(text) => format!("text {text}"),
            Entry::Network(network) => format!("network {network}"),
        })
    }

    #[test]
    fn an_entry_is_an_address_or_a_network_or_else_text() {
        for (given, understood) in [
            ("R9", "text R9"),
            ("  two words\u{a0}", "text two words"),
            ("R9#1234", "text R9#1234"),
            ("76561198000000000", "text 76561198000000000"),
            ("STEAM_0:1:12345", "text STEAM_0:1:12345"),
            ("0:1:2", "text 0:1:2"),
            ("a/b", "text a/b"),
            ("1.2", "text 1.2"),
            ("v1.2.3", "text v1.2.3"),
            ("one::two", "text one::two"),
            ("192.0.2.7", "network 192.0.2.7"),
            ("192.0.2.7/24", "network 192.0.2.0/24"),
            ("192.0.2.7/0", "network 0.0.0.0/0"),
            ("192.0.2.7/32", "network 192.0.2.7"),
            ("2001:DB8::1/32", "network 2001:db8::/32"),
            ("::1/128", "network ::1"),
            ("::", "network ::"),
            ("::ffff:192.0.2.7", "network 192.0.2.7"),
            ("::ffff:192.0.2.7/104", "network 192.0.0.0/8"),
        ] {
            assert_eq!(parsed(given).as_deref(), Ok(understood), "{given}");
        }
    }

    #[test]
    fn what_was_meant_as_an_address_and_is_none_is_refused() {
        for given in [
            "192.0.2.256",
            "192.0.2.07",
            "192.0.2.*",
            "192.0.2.1-9",
            "192.0.2.1-192.0.2.9",
            "192.0.2.1 - 192.0.2.9",
            "192.0.2.0/33",
            "192.0.2.0/",
            "192.0.2.0/+8",
            "192.0.2.0/-1",
            "192.0.2.0/255.255.255.0",
            "192.0.2/24",
            "10.0/8",
            "192.0.2.1#cheats",
            "192.0.2.1 cheats",
            "192.0.2.0/24 cheats",
            "192.0.2.1,192.0.2.2",
            "2001:db8::/129",
            "2001:db8::12345",
            "fe80::1%1",
            "fe80::1%eth0",
            "2001:db8::*",
        ] {
            let refused = parsed(given).expect_err(given);
            assert!(
                refused.starts_with("looks like an IP address"),
                "{given}: {refused}"
            );
        }
    }

    #[test]
    fn bounds_are_kept() {
        let long = "x".repeat(256);
        assert!(Entry::parse(&long).is_ok());
        for (given, says) in [
            ("", "is empty"),
            (" \t\u{3000}", "is empty"),
            (&format!("{long}x"), "has 257 bytes, and 256 are allowed"),
            ("a\nb", "has a control character"),
            ("a\tb", "has a control character"),
            ("a\u{9b}b", "has a control character"),
        ] {
            assert_eq!(parsed(given), Err(says.to_owned()));
        }
    }
}
