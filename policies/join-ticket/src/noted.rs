//! What the operator's log is told: each ticket by the ref under which the client's log knows it as well.

use usher_sdk::Decision;
use usher_sdk::prelude::*;
use usher_sdk::ticket::{self, JoinTicket};

/// What became of a ticket, once that is known.
pub(crate) fn outcome(ticket: &JoinTicket, decision: &Decision) {
    let outcome = match decision {
        Decision::Reject(reason) => &reason.code,
        // Whether there is a seat is found out later.
        Decision::Pass(_) => "its evidence is good",
        _ => return,
    };
    match ticket {
        JoinTicket::Reservation(it) => {
            log::info(format_args!("reservation {}: {outcome}", it.reservation_id));
        }
        JoinTicket::Match(it) => log::info(format_args!("ticket {}: {outcome}", it.ticket_id)),
        JoinTicket::Backfill(it) => log::info(format_args!("ticket {}: {outcome}", it.ticket_id)),
        JoinTicket::Lan(_) => log::info(format_args!("lan ticket: {outcome}")),
    }
}

/// What is wrong with a payload, by field and rule; where there is none, its reason says all.
pub(crate) fn no_ticket(wrong: ticket::Refusal) -> ticket::Reason {
    if wrong.reason() != ticket::Reason::PayloadEmpty {
        log::info(format_args!("no join ticket: {wrong}"));
    }
    wrong.reason()
}

/// That evidence could not be read. No evidence, no entry: that nothing was learned proves nothing.
pub(crate) fn unverifiable(why: &str) -> ticket::Reason {
    log::warn(format_args!("no evidence: {why}"));
    ticket::Reason::ReservationUnverifiable
}
