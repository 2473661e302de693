//! Tells an offline datagram from one of a connection, by its first bytes.

use super::limits::MAGIC;

/// What a datagram is, before anyone knows whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// For [`Offline::parse`](super::Offline::parse), whoever sent it.
    Offline,
    /// For the connection of its source address, if there is one.
    Connected,
    /// For nobody: a socket's test of itself, out-of-band data, noise.
    Ignored,
}

/// What this datagram is.
#[must_use]
pub fn classify(datagram: &[u8]) -> Class {
    let &[first, _, _, ..] = datagram else {
        return Class::Ignored;
    };
    let offline = match first {
        0x01 | 0x02 => magic_at(datagram, 9),
        0x1c => magic_at(datagram, 17),
        0x05..=0x08 | 0x11 | 0x12 | 0x14 | 0x17 | 0x1a => {
            // A first request is longer than its magic by a protocol number only, and padded by far more.
            datagram.len() >= 25 && magic_at(datagram, 1)
        }
        0x19 => datagram.len() == 26 && magic_at(datagram, 2),
        _ => false,
    };
    if offline {
        Class::Offline
    } else if first & 0x80 != 0 {
        Class::Connected
    } else {
        Class::Ignored
    }
}

/// Whether a datagram of a connection has no messages, and only says what arrived or did not.
#[must_use]
pub fn acknowledges(datagram: &[u8]) -> bool {
    datagram.first().is_some_and(|first| first & 0x60 != 0)
}

fn magic_at(datagram: &[u8], at: usize) -> bool {
    datagram.get(at..at + MAGIC.len()) == Some(&MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_magic(first: u8, at: usize, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        bytes[0] = first;
        bytes[at..at + 16].copy_from_slice(&MAGIC);
        bytes
    }

    #[test]
    fn offline_ids_need_their_magic_in_its_place() {
        for first in [0x05, 0x06, 0x07, 0x08, 0x11, 0x12, 0x14, 0x17, 0x1a] {
            assert_eq!(classify(&with_magic(first, 1, 25)), Class::Offline);
            assert_eq!(classify(&with_magic(first, 2, 25)), Class::Ignored);
            assert_eq!(classify(&with_magic(first, 1, 24)), Class::Ignored);
        }
        for first in [0x01, 0x02] {
            assert_eq!(classify(&with_magic(first, 9, 33)), Class::Offline);
            assert_eq!(classify(&with_magic(first, 1, 33)), Class::Ignored);
        }
        assert_eq!(classify(&with_magic(0x1c, 17, 33)), Class::Offline);
        assert_eq!(classify(&with_magic(0x1c, 9, 33)), Class::Ignored);
    }

    #[test]
    fn an_incompatible_protocol_has_exactly_26_bytes() {
        assert_eq!(classify(&with_magic(0x19, 2, 26)), Class::Offline);
        assert_eq!(classify(&with_magic(0x19, 2, 27)), Class::Ignored);
    }

    #[test]
    fn an_invalid_password_is_never_offline() {
        assert_eq!(classify(&with_magic(0x18, 1, 25)), Class::Ignored);
    }

    #[test]
    fn the_first_bit_makes_a_datagram_of_a_connection() {
        assert_eq!(classify(&[0x84, 0, 0, 0]), Class::Connected);
        assert_eq!(classify(&[0xc0, 0, 1, 1, 0, 0, 0]), Class::Connected);
        assert_eq!(
            classify(&[0x84, 0]),
            Class::Ignored,
            "too short for anything"
        );
    }

    #[test]
    fn acks_and_naks_are_told_from_messages() {
        let firsts = [0x84, 0x8c, 0x80, 0xc0, 0xa0];
        let told = firsts.map(|first| acknowledges(&[first, 0, 1, 1, 0, 0, 0]));
        assert_eq!(told, [false, false, false, true, true]);
    }

    #[test]
    fn a_sockets_test_of_itself_is_ignored() {
        assert_eq!(classify(&[0, 0, 0, 0]), Class::Ignored);
        assert_eq!(classify(&[]), Class::Ignored);
    }

    #[test]
    fn out_of_band_data_is_ignored() {
        assert_eq!(classify(&with_magic(0x0d, 9, 40)), Class::Ignored);
    }
}
