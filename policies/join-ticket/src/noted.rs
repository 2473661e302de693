//! What the operator's log is told: each ticket by the ref under which the client's log knows it as well.

use usher_sdk::Decision;
use usher_sdk::prelude::*;
use usher_sdk::ticket::{self, JoinTicket};

/// What became of a ticket, once that is known.
pub(crate) fn outcome(ticket: &JoinTicket, decision: &Decision) {
    let outcome = match decision {
        Decision::Reject(reason) => &reason.code,
        Decision::Pass(_) => "good",
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

/// That evidence could not be read. No evidence, no entry: that nothing was learned proves nothing.
pub(crate) fn unverifiable(why: &str) -> ticket::Reason {
    log::warn(format_args!("no evidence: {why}"));
    ticket::Reason::ReservationUnverifiable
}
