//! The questions by their names, for a policy that asks several in one round:
//! `facts.all(Verdict::ask(question::hold(id)).and(question::allocation()))?`.
//!
//! A policy names those that it may ask in its description, by the constants.

use crate::contract::Question;
use crate::part::Part;
use crate::ticket::{AllocationId, PlayerId, ReservationId};

/// The name of [`hold`].
pub const HOLD: &str = "hold";
/// The name of [`allocation`].
pub const ALLOCATION: &str = "allocation";
/// The name of [`backfill`].
pub const BACKFILL: &str = "backfill";
/// The name of [`verify`].
pub const VERIFY: &str = "verify";
/// The name of [`fetch`].
pub const FETCH: &str = "fetch";
/// The name of the act [`claim_session`](super::claim_session).
pub const CLAIM_SESSION: &str = "claim-session";

/// What the fleet holds for a reservation. It may take 2 s: a hold may arrive after its player.
pub fn hold(reservation: &ReservationId) -> Question {
    Question::new(HOLD).secret(reservation.expose())
}

/// Which session is current at this moment.
pub fn allocation() -> Question {
    Question::new(ALLOCATION)
}

/// Who was added to a running session. It may take 5 s: a backfill may arrive after its players.
pub fn backfill(allocation: &AllocationId) -> Question {
    Question::new(BACKFILL).arg(allocation.as_str())
}

/// Whether Discovery knows a reservation for this server and player.
pub fn verify(reservation: &ReservationId, player: &PlayerId) -> Question {
    Question::new(VERIFY)
        .secret(reservation.expose())
        .arg(player.as_str())
}

/// What a web service of the configuration answers.
pub fn fetch(
    service: &str,
    args: impl IntoIterator<Item = Part>,
    body: impl Into<Vec<u8>>,
) -> Question {
    let mut question = Question::new(FETCH).arg(service).body(body);
    question.args.extend(args);
    question
}
