//! The places that a hosted game server holds for a reservation.

use serde::Deserialize;

use super::context::Context;
use super::places::Places;
use super::{document, question};
use crate::contract::{Answer, UnixMillis};
use crate::early::Early;
use crate::facts::Facts;
use crate::ticket::ReservationId;

/// What the fleet says of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// It holds places for it.
    Found(HoldFacts),
    /// It holds none: the reservation is unknown, given back or expired.
    Missing,
    /// Nothing was learned, and why.
    Unavailable(String),
}

/// A hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldFacts {
    /// For whom.
    pub places: Places,
    /// What the backend sent along.
    pub context: Option<Context>,
    /// Until when. One that was over when the host looked is [`Hold::Missing`].
    pub expires_at: UnixMillis,
    /// Who made it: `backend` or `player`.
    pub owner_kind: Option<String>,
    /// The player who made it.
    pub owner_player_id: Option<String>,
}

impl Facts {
    /// What the fleet holds for a reservation. On a game server that is not hosted: nothing is learned.
    pub fn hold(&self, reservation: &ReservationId) -> Result<Hold, Early> {
        Ok(match self.get(question::hold(reservation))? {
            Answer::Found(body) => match document::read::<Written>(body) {
                Ok(written) => Hold::Found(written.into()),
                Err(why) => Hold::Unavailable(why),
            },
            Answer::Missing => Hold::Missing,
            Answer::Unavailable(why) => Hold::Unavailable(why.clone()),
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(deserialize_with = "document::present")]
    seats: Option<i64>,
    #[serde(deserialize_with = "document::present")]
    player_ids: Option<Vec<String>>,
    context: Option<Context>,
    expires_at: UnixMillis,
    owner_kind: Option<String>,
    owner_player_id: Option<String>,
}

impl From<Written> for HoldFacts {
    fn from(written: Written) -> HoldFacts {
        HoldFacts {
            places: Places::new(written.seats, written.player_ids),
            context: written.context,
            expires_at: written.expires_at,
            owner_kind: written.owner_kind,
            owner_player_id: written.owner_player_id,
        }
    }
}
