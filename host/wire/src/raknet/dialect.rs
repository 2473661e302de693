//! The one table of what differs between the protocols of this family.
//!
//! Framing, acknowledgements, splits and offline messages are the same for all; a new member is a row.

use super::limits::{IP_UDP_HEADER, MAX_MTU, MIN_MTU};

/// One member of the RakNet family.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Its name, for logs and settings.
    pub name: &'static str,
    /// The protocol numbers that its first request may carry. The first one is ours when we are the client.
    pub protocols: &'static [u8],
    /// The MTUs that a client tries, largest first. The first request fills a datagram of each.
    pub rungs: &'static [u16],
    /// How many addresses stand in CONNECTION_REQUEST_ACCEPTED and NEW_INCOMING_CONNECTION.
    pub addresses: usize,
    /// Whether the session exchange (ids 80 to 83) stands between NEW_INCOMING_CONNECTION and the game.
    ///
    /// Without it a client can be refused with a bare id before CONNECTION_REQUEST_ACCEPTED, and is told no
    /// text and no status while it waits.
    pub session_exchange: bool,
    /// Whether a disconnect notification may carry a reason.
    pub disconnect_reason: bool,
    /// The first message id that is the game's own.
    pub first_application: u8,
}

/// Every member, in no order.
pub static DIALECTS: [Dialect; 3] = [
    Dialect {
        name: "mafianet",
        protocols: &[7],
        rungs: &[1400, 1280, 1024, 576],
        addresses: 10,
        session_exchange: true,
        disconnect_reason: true,
        first_application: 0x87,
    },
    // RakNet 4 and SLikeNet.
    Dialect {
        name: "raknet4",
        protocols: &[6],
        rungs: &[1492, 1200, 576],
        addresses: 10,
        session_exchange: false,
        disconnect_reason: false,
        first_application: 0x86,
    },
    // Minecraft Bedrock. Some of its stacks send 10 addresses, which is accepted too.
    Dialect {
        name: "bedrock",
        protocols: &[11, 10],
        rungs: &[1492, 1200, 576],
        addresses: 20,
        session_exchange: false,
        disconnect_reason: false,
        first_application: 0xfe,
    },
];

impl Dialect {
    /// MafiaNet 0.15 and newer.
    pub const MAFIANET: &'static Self = &DIALECTS[0];
    /// RakNet 4 and SLikeNet.
    pub const RAKNET4: &'static Self = &DIALECTS[1];
    /// Minecraft Bedrock.
    pub const BEDROCK: &'static Self = &DIALECTS[2];

    /// The member whose first request carries this protocol number.
    #[must_use]
    pub fn of(protocol: u8) -> Option<&'static Self> {
        DIALECTS
            .iter()
            .find(|dialect| dialect.protocols.contains(&protocol))
    }

    /// The MTU to offer in answer to a first request whose UDP payload had this many bytes.
    #[must_use]
    pub fn offered_mtu(payload: usize) -> u16 {
        let whole = payload.saturating_add(usize::from(IP_UDP_HEADER));
        u16::try_from(whole).map_or(MAX_MTU, |whole| whole.min(MAX_MTU))
    }

    /// The MTU that both sides use once a second request named this one.
    #[must_use]
    pub fn agreed_mtu(named: u16) -> u16 {
        named.clamp(MIN_MTU, MAX_MTU)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_number_finds_its_row_and_no_other() {
        assert_eq!(Dialect::of(7), Some(Dialect::MAFIANET));
        assert_eq!(Dialect::of(6), Some(Dialect::RAKNET4));
        assert_eq!(Dialect::of(10), Some(Dialect::BEDROCK));
        assert_eq!(Dialect::of(11), Some(Dialect::BEDROCK));
        for unknown in (0..=5).chain([8, 9]).chain(12..=255) {
            assert_eq!(Dialect::of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn the_offered_mtu_is_what_arrived_and_never_above_1400() {
        assert_eq!(Dialect::offered_mtu(1372), 1400);
        assert_eq!(Dialect::offered_mtu(1252), 1280);
        assert_eq!(Dialect::offered_mtu(548), 576);
        assert_eq!(Dialect::offered_mtu(1464), 1400);
        assert_eq!(Dialect::offered_mtu(usize::MAX), 1400);
    }

    #[test]
    fn the_agreed_mtu_is_clamped() {
        assert_eq!(Dialect::agreed_mtu(0), 576);
        assert_eq!(Dialect::agreed_mtu(1024), 1024);
        assert_eq!(Dialect::agreed_mtu(1492), 1400);
    }

    #[test]
    fn rungs_go_down_and_application_ids_lie_above_what_the_handshake_uses() {
        for dialect in &DIALECTS {
            assert!(dialect.rungs.is_sorted_by(|a, b| a > b), "{}", dialect.name);
            assert_eq!(dialect.rungs.last(), Some(&MIN_MTU));
            assert!(dialect.first_application > 0x83);
        }
    }
}
