//! Beside a fleet: all evidence is what Discovery says of a reservation.

use usher_sdk::Early;
use usher_sdk::fleet::Verified;
use usher_sdk::prelude::*;
use usher_sdk::ticket::{self, ReservationTicket};

use crate::noted::unverifiable;
use crate::seats;

/// A reservation: Discovery knows it for this server and this player.
pub(crate) fn reservation(
    ticket: &ReservationTicket,
    facts: &Facts,
) -> Result<Option<Claim>, Early> {
    let (id, player) = (&ticket.reservation_id, &ticket.joiner.player_id);
    match facts.verify(id, player)? {
        Verified::Valid(Some(places)) => Ok(seats::of_reservation(id, player, &places)?),
        // Discovery counts its seats itself.
        Verified::Valid(None) => Ok(None),
        Verified::Invalid | Verified::WrongServer | Verified::NotInReservation => {
            Err(ticket::Reason::ReservationInvalid.into())
        }
        Verified::Unavailable(why) => Err(unverifiable(&why).into()),
    }
}
