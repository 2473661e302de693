//! Decides about join tickets by the evidence behind them, and leaves who passes to the game's own rule: so
//! it goes first.
//!
//! The order of the checks is the protocol's: the ticket itself, its protocol version, whether the server is
//! stopping, then the evidence that the server's mode and the ticket's kind call for. Then come the claims:
//! one live connection a player, and the seats of the hold, the ticket or the match. A player id is what the
//! client says, so nobody gets in by one alone, and nobody is thrown out by one.
//!
//! Params:
//!
//! * `protocol-version`: the game's own network protocol, 0 to 2147483647. It must be given.

mod hosted;
mod noted;
mod seats;
mod verified;

use usher_sdk::fleet::{self, Mode};
use usher_sdk::prelude::*;
use usher_sdk::ticket::{self, JoinTicket};

/// The policy.
#[derive(Debug)]
pub struct JoinTickets;

impl Policy for JoinTickets {
    fn on_connect_request(request: &Request, facts: &Facts) -> Decided {
        // Before anything else, so that a mistake shows when the host starts.
        let protocol = protocol_version();
        if request.why == Why::Recheck {
            // Who plays had good evidence. It is used up, and the ticket is not kept.
            return Verdict::pass().into();
        }
        let ticket = JoinTicket::decode(&request.payload).map_err(noted::no_ticket)?;
        let decided = decide(request, facts, &ticket, protocol);
        let verdict = decided.unwrap_or_else(Verdict::from);
        noted::outcome(&ticket, &verdict.decision);
        verdict.into()
    }

    fn describe() -> Description {
        Description::new()
            .name("join-ticket")
            .question(fleet::question::HOLD)
            .question(fleet::question::ALLOCATION)
            .question(fleet::question::BACKFILL)
            .question(fleet::question::VERIFY)
    }
}

fn decide(request: &Request, facts: &Facts, ticket: &JoinTicket, protocol: u32) -> Decided {
    if ticket.protocol_version() != protocol {
        return Err(ticket::Reason::ProtocolMismatch.into());
    }
    // All of this runs again when evidence has come, so a server that began to stop meanwhile says so too.
    if fleet::is_stopping(request) {
        return Err(ticket::Reason::Stopping.into());
    }
    // Who has good evidence needs a seat, where seats are counted.
    let seat = match (fleet::mode(request), ticket) {
        (Mode::Hosted, JoinTicket::Reservation(ticket)) => hosted::reservation(ticket, facts)?,
        (Mode::Hosted, JoinTicket::Match(ticket)) => hosted::in_match(ticket, facts, request)?,
        (Mode::Hosted, JoinTicket::Backfill(ticket)) => hosted::backfill(ticket, facts)?,
        (Mode::SelfHosted | Mode::ListenOnline, JoinTicket::Reservation(ticket)) => {
            verified::reservation(ticket, facts)?
        }
        (Mode::ListenLan, JoinTicket::Lan(_)) => None,
        _ => return Err(ticket::Reason::KindNotAccepted.into()),
    };
    // The first claim that is full gives the reason: that the player is in already, before that no seat is left.
    let pass = Verdict::pass().claim(seats::of_player(ticket.player_id()));
    match seat {
        Some(seat) => pass.claim(seat).into(),
        None => pass.into(),
    }
}

fn protocol_version() -> u32 {
    let version: Option<u32> = params::number("protocol-version");
    match version {
        Some(version) if version <= i32::MAX.unsigned_abs() => version,
        _ => panic!("param `protocol-version` must be given, as a number from 0 to 2147483647"),
    }
}

usher_sdk::export_policy!(JoinTickets);

#[cfg(test)]
mod tests;
