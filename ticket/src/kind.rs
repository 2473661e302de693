//! How a player got to the door.

use core::fmt;

/// What a ticket is about, and so which evidence is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The player holds a place, reserved alone or with a party.
    Reservation,
    /// A match was made with the player in it.
    Match,
    /// The player was added to a match that is played already.
    Backfill,
    /// The player came straight, to a host on the same network.
    Lan,
}

impl Kind {
    /// All of them, in the protocol's order.
    pub const ALL: [Kind; 4] = [Kind::Reservation, Kind::Match, Kind::Backfill, Kind::Lan];

    /// The word in a ticket.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Reservation => "reservation",
            Kind::Match => "match",
            Kind::Backfill => "backfill",
            Kind::Lan => "lan",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
