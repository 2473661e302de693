//! The game's own rule behind join tickets: there is a session to join, and a seat in it. It decides for
//! good, so it goes last, and it tells other hosts and players who joins.
//!
//! On a fleet a session is open while the game server is given to one, elsewhere always; and never while the
//! room is closed. A game that lets a lone player begin claims a session for whoever holds a reservation and
//! finds none. It must end every session that it claims, as the host does when the last player has left.
//!
//! Params, all optional:
//!
//! * `claim-sessions`: claim a session for a reservation on an idle game server (false).

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
            return Verdict::pass().into();
        }
        if !request.room.joinable {
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
                // The host asks again once it is done, with the player's seat held meanwhile.
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
