//! The game's own rule behind join tickets: is there a session to join, and a seat in it? It accepts, so it
//! goes last, and it states who joins: the player id and the display name of the ticket.
//!
//! On a fleet a session is open while the game server is given to one; elsewhere one is always open. A room
//! that the game's rules have closed is none.
//!
//! So that a player can begin alone, it may claim a session on an idle game server of a fleet, for who holds
//! a reservation. The host ends such a session when nobody is in it.
//!
//! Params, all optional:
//!
//! * `claim-sessions`: whether it does (false).

use usher_sdk::fleet::{self, Current, Mode, SessionClaim};
use usher_sdk::prelude::*;
use usher_sdk::ticket::{self, JoinTicket};
use usher_sdk::{Acceptance, Early};

/// The policy.
#[derive(Debug)]
pub struct SessionOpen;

impl Policy for SessionOpen {
    fn on_connect_request(request: &Request, facts: &Facts) -> Decided {
        let claim_sessions = params::flag("claim-sessions").unwrap_or(false);
        if request.why == Why::Recheck {
            // Who plays is in a session.
            return Verdict::pass().into();
        }
        if !request.joinable {
            return Err(ticket::Reason::NotInSession.into());
        }
        let ticket = JoinTicket::decode(&request.payload).ok();
        let welcome = welcome(request, ticket.as_ref());
        if fleet::mode(request) != Mode::Hosted {
            return welcome.into();
        }
        match facts.claimed_session() {
            None => {}
            // Also where the server was given to a match meanwhile: then that is open.
            Some(SessionClaim::Claimed | SessionClaim::Allocated(_)) => return welcome.into(),
            Some(SessionClaim::Failed(why)) => return Err(refused("no session claimed", &why)),
        }
        match facts.allocation()? {
            Current::Allocation(_) => welcome.into(),
            Current::Idle if claim_sessions && is_reservation(ticket.as_ref()) => {
                // Once it is done the host asks again, and holds the player's seat meanwhile.
                welcome.then(fleet::claim_session()).into()
            }
            Current::Idle => Err(ticket::Reason::NotInSession.into()),
            Current::Unavailable(why) => Err(refused("no session known", &why)),
        }
    }

    fn describe() -> Description {
        Description::new()
            .name("session-open")
            .question(fleet::question::ALLOCATION)
            .question(fleet::question::CLAIM_SESSION)
    }
}

/// Lets the player in, if there is a seat, under the names of its ticket.
fn welcome(request: &Request, ticket: Option<&JoinTicket>) -> Acceptance {
    let full = ticket::Reason::ServerFull;
    let seat = Claim::on(Key::server())
        .at_most(request.max_players)
        .or(full.into());
    let welcome = Verdict::accept().claim(seat);
    match ticket {
        Some(ticket) => welcome.joiner(ticket),
        None => welcome,
    }
}

fn is_reservation(ticket: Option<&JoinTicket>) -> bool {
    matches!(ticket, Some(JoinTicket::Reservation(_)))
}

fn refused(what: &str, why: &str) -> Early {
    log::warn(format_args!("{what}: {why}"));
    ticket::Reason::RefusedByGame.into()
}

usher_sdk::export_policy!(SessionOpen);

#[cfg(test)]
mod tests;
