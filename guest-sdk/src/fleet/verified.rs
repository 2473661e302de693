//! What Discovery says of a reservation on a game server that it only knows of.

use serde::Deserialize;

use super::places::Places;
use super::{document, question};
use crate::contract::Answer;
use crate::early::Early;
use crate::facts::Facts;
use crate::ticket::{PlayerId, ReservationId};

/// What Discovery says of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// It is good for this player at this server; with the places that it keeps, or without them where
    /// Discovery counts those itself.
    Valid(Option<Places>),
    /// It is unknown, given back or expired.
    Invalid,
    /// It is for another server.
    WrongServer,
    /// It names others.
    NotInReservation,
    /// Nothing was learned, and why.
    Unavailable(String),
}

impl Facts {
    /// Whether Discovery knows a reservation for this server and player. On a game server that it does not
    /// know: nothing is learned.
    pub fn verify(
        &self,
        reservation: &ReservationId,
        player: &PlayerId,
    ) -> Result<Verified, Early> {
        Ok(match self.get(question::verify(reservation, player))? {
            Answer::Found(body) => match document::read::<Written>(body) {
                Ok(written) => written.into(),
                Err(why) => Verified::Unavailable(why),
            },
            Answer::Missing => Verified::Unavailable("no answer".to_owned()),
            Answer::Unavailable(why) => Verified::Unavailable(why.clone()),
        })
    }
}

#[derive(Deserialize)]
struct Written {
    verdict: Verdict,
    #[serde(deserialize_with = "document::present")]
    detail: Option<Detail>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Valid,
    Invalid,
    WrongServer,
    NotInReservation,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    #[serde(deserialize_with = "document::present")]
    seats: Option<i64>,
    #[serde(deserialize_with = "document::present")]
    player_ids: Option<Vec<String>>,
}

impl From<Written> for Verified {
    fn from(written: Written) -> Verified {
        let places = |detail: Detail| Places::new(detail.seats, detail.player_ids);
        match written.verdict {
            Verdict::Valid => Verified::Valid(written.detail.map(places)),
            Verdict::Invalid => Verified::Invalid,
            Verdict::WrongServer => Verified::WrongServer,
            Verdict::NotInReservation => Verified::NotInReservation,
        }
    }
}
