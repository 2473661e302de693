//! What a player needs to have: claims, each with the reason for which it is full.

use usher_sdk::fleet::{Places, Roster};
use usher_sdk::prelude::*;
use usher_sdk::ticket::{self, AllocationId, PlayerId, ReservationId, TicketId};

/// One live connection.
pub(crate) fn of_player(player: &PlayerId) -> Claim {
    let key = Key::new("player").part(player.as_str());
    Claim::on(key).or(ticket::Reason::DuplicatePlayer.into())
}

/// One of the places that a reservation keeps. Where it names the players, being named is enough.
pub(crate) fn of_reservation(
    reservation: &ReservationId,
    player: &PlayerId,
    places: &Places,
) -> Result<Option<Claim>, ticket::Reason> {
    match places {
        Places::Named(_) if places.admit(player) => Ok(None),
        Places::Named(_) => Err(ticket::Reason::ReservationInvalid),
        Places::Open { seats } => {
            let key = Key::new("hold").secret(reservation.expose());
            Ok(Some(roster_claim(key, *seats)))
        }
    }
}

/// One of the seats of a party, first come, first served.
pub(crate) fn of_party(
    allocation: &AllocationId,
    ticket: &TicketId,
    roster: &Roster,
) -> Result<Option<Claim>, ticket::Reason> {
    let party = roster.party(ticket).ok_or(ticket::Reason::NotInRoster)?;
    let key = Key::new("ticket").part(allocation.as_str());
    let key = key.secret(ticket.expose());
    Ok(Some(roster_claim(key, party.size())))
}

/// One of the seats of a match that has no roster. Whoever knows its id gets in, so here it is a secret.
pub(crate) fn of_match(allocation: &AllocationId, cap: u32) -> Claim {
    let key = Key::new("allocation").secret(allocation.as_str());
    roster_claim(key, cap)
}

fn roster_claim(key: Key, seats: u32) -> Claim {
    let full = ticket::Reason::RosterFull;
    Claim::on(key).at_most(seats).or(full.into())
}
