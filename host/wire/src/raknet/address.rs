//! Addresses as they stand in messages: IPv4, each octet inverted.

use std::net::{Ipv4Addr, SocketAddrV4};

use super::dialect::Dialect;
use super::malformed::Malformed;
use super::read::Reader;

/// Bytes of an address on the wire.
pub(super) const ADDRESS: usize = 7;

/// The address that stands where there is none.
pub const UNASSIGNED: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0);

/// The most addresses that any dialect puts into a message.
const MOST: usize = 20;

/// The fewest: what stacks of other dialects send that do not keep their own number.
const USUAL: usize = 10;

pub(super) fn read(reader: &mut Reader<'_>) -> Result<SocketAddrV4, Malformed> {
    let family = reader.u8("address")?;
    if family != 4 {
        return Err(Malformed::Address(family));
    }
    let octets: [u8; 4] = reader.array("address")?;
    let port = reader.u16("port")?;
    Ok(SocketAddrV4::new(
        Ipv4Addr::from(octets.map(|octet| !octet)),
        port,
    ))
}

pub(super) fn write(address: SocketAddrV4, out: &mut Vec<u8>) {
    out.push(4);
    out.extend(address.ip().octets().map(|octet| !octet));
    out.extend(address.port().to_be_bytes());
}

/// The list of a peer's own addresses in 10 and 13, filled up with [`UNASSIGNED`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    all: [SocketAddrV4; MOST],
    length: u8,
}

impl Addresses {
    /// A list as long as the dialect has it: the first of these, and [`UNASSIGNED`].
    #[must_use]
    pub fn new(known: &[SocketAddrV4], dialect: &Dialect) -> Self {
        let length = dialect.addresses.min(MOST);
        let mut all = [UNASSIGNED; MOST];
        for (place, address) in all[..length].iter_mut().zip(known) {
            *place = *address;
        }
        Self {
            all,
            length: length as u8,
        }
    }

    /// All of them, the unassigned ones included.
    #[must_use]
    pub fn as_slice(&self) -> &[SocketAddrV4] {
        // The constructors keep `length` within `MOST`.
        &self.all[..usize::from(self.length)]
    }

    /// Reads all that stand before the last `tail` bytes: as many as the dialect has, or the usual ten.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        tail: usize,
        dialect: &Dialect,
    ) -> Result<Self, Malformed> {
        let bytes = reader.left().saturating_sub(tail);
        let length = bytes / ADDRESS;
        let known = length == USUAL || length == dialect.addresses.min(MOST);
        if !bytes.is_multiple_of(ADDRESS) || !known {
            return Err(Malformed::Addresses(bytes));
        }
        let mut all = [UNASSIGNED; MOST];
        for place in &mut all[..length] {
            *place = read(reader)?;
        }
        Ok(Self {
            all,
            length: length as u8,
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for address in self.as_slice() {
            write(*address, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(address: SocketAddrV4) -> Vec<u8> {
        let mut out = Vec::new();
        write(address, &mut out);
        out
    }

    #[test]
    fn octets_are_inverted_and_the_port_is_not() {
        let bytes = [0x04, 0x80, 0xff, 0xff, 0xfe, 0xee, 0x52];
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 61010);
        assert_eq!(wire(address), bytes);
        assert_eq!(read(&mut Reader::new(&bytes)), Ok(address));
    }

    #[test]
    fn the_unassigned_address_is_all_ones_and_port_0() {
        assert_eq!(wire(UNASSIGNED), [4, 0xff, 0xff, 0xff, 0xff, 0, 0]);
    }

    #[test]
    fn another_family_fails() {
        assert_eq!(read(&mut Reader::new(&[6; 29])), Err(Malformed::Address(6)));
    }
}
