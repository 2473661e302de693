//! On a fleet: all evidence is what the local SDK endpoint says of this game server.

use usher_sdk::Early;
use usher_sdk::fleet::{Current, Delivered, Hold, Origin};
use usher_sdk::prelude::*;
use usher_sdk::ticket::{self, BackfillTicket, MatchTicket, ReservationTicket};

use crate::noted::unverifiable;
use crate::seats;

/// A reservation: the fleet holds a place for it. No session has to be open for that.
pub(crate) fn reservation(
    ticket: &ReservationTicket,
    facts: &Facts,
) -> Result<Option<Claim>, Early> {
    let (id, player) = (&ticket.reservation_id, &ticket.joiner.player_id);
    match facts.hold(id)? {
        Hold::Found(hold) => Ok(seats::of_reservation(id, player, &hold.places)?),
        Hold::Missing => Err(ticket::Reason::ReservationInvalid.into()),
        Hold::Unavailable(why) => Err(unverifiable(&why).into()),
    }
}

/// A match: it is the current session, and the ticket is in its roster.
pub(crate) fn in_match(
    ticket: &MatchTicket,
    facts: &Facts,
    request: &Request,
) -> Result<Option<Claim>, Early> {
    let id = &ticket.allocation_id;
    let session = match facts.allocation()? {
        Current::Allocation(session) if session.is(id) => session,
        Current::Allocation(_) | Current::Idle => {
            return Err(ticket::Reason::AllocationMismatch.into());
        }
        Current::Unavailable(why) => return Err(unverifiable(&why).into()),
    };
    if session.origin == Origin::Own {
        // Its id can be guessed, so it is nobody's ticket.
        return Err(ticket::Reason::NotInRoster.into());
    }
    if session.is_rosterless() {
        // A backend handed its id out, and who knows it belongs to it.
        let cap = session.cap().unwrap_or(request.max_players);
        return Ok(Some(seats::of_match(id, cap)));
    }
    Ok(seats::of_party(id, &ticket.ticket_id, &session.roster)?)
}

/// A backfill: it was delivered, it joins the current session, and the ticket is in its roster.
pub(crate) fn backfill(ticket: &BackfillTicket, facts: &Facts) -> Result<Option<Claim>, Early> {
    let id = &ticket.allocation_id;
    let backfill = match facts.backfill(id)? {
        Delivered::Backfill(backfill) if backfill.is(id) => backfill,
        Delivered::Backfill(_) | Delivered::Missing => {
            return Err(ticket::Reason::BackfillUnknown.into());
        }
        Delivered::Unavailable(why) => return Err(unverifiable(&why).into()),
    };
    // Asked for only now: a backfill may be waited for, and the session may end meanwhile.
    match facts.allocation()? {
        Current::Allocation(session) if backfill.joins(&session) => {
            Ok(seats::of_party(id, &ticket.ticket_id, &backfill.roster)?)
        }
        Current::Allocation(_) | Current::Idle => Err(ticket::Reason::BackfillUnknown.into()),
        Current::Unavailable(why) => Err(unverifiable(&why).into()),
    }
}
