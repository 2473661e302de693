//! For whom a reservation keeps places.

use super::document;
use crate::ticket::PlayerId;

/// For whom a reservation keeps places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// For these players and nobody else, however many seats it says.
    Named(Vec<String>),
    /// For so many of whoever knows its id.
    Open {
        /// How many; 0 where the reservation does not say.
        seats: u32,
    },
}

impl Places {
    /// As a document has them. A number of seats below none is none.
    pub(super) fn new(seats: Option<i64>, players: Option<Vec<String>>) -> Places {
        match players {
            Some(players) => Places::Named(players),
            None => Places::Open {
                seats: document::count(seats.unwrap_or(0)),
            },
        }
    }

    /// Whether a player may take one.
    pub fn admit(&self, player: &PlayerId) -> bool {
        match self {
            Places::Named(players) => players.iter().any(|named| named == player.as_str()),
            Places::Open { .. } => true,
        }
    }
}
