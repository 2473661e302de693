//! Who belongs to a match: the tickets that were placed in it.

use std::fmt;

use serde::Deserialize;

use super::document;
use crate::ticket::TicketId;

/// The tickets of a match or a backfill, those that can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Roster(Vec<Party>);

impl Roster {
    /// The party that came with a ticket. Ids are the same when every byte is.
    pub fn party(&self, ticket: &TicketId) -> Option<&Party> {
        self.0
            .iter()
            .find(|party| party.ticket_id == ticket.expose())
    }

    /// How many tickets there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A ticket in a roster, and how many may come with it. Its id is a secret, which `Debug` does not show.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Party {
    ticket_id: String,
    party_size: i64,
    player_id: Option<String>,
}

impl Party {
    /// How many players it brings in, first come, first served.
    pub fn size(&self) -> u32 {
        document::count(self.party_size)
    }

    /// Who submitted the ticket, where a player did. The others of the party are named nowhere.
    pub fn submitted_by(&self) -> Option<&str> {
        self.player_id.as_deref()
    }
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Party")
            .field("size", &self.party_size)
            .field("submitted_by", &self.player_id)
            .finish_non_exhaustive()
    }
}
