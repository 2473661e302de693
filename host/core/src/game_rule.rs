//! Game rules: a policy that has the last word on who is taken, in the few words that everybody knows.
//!
//! A fleet's players know a short list of reasons. A policy of the game itself may have any others, so what it
//! says is told as [`code::REFUSED_BY_GAME`], unless it is one of the list that is the game's to say. What it
//! did say is kept beside, for the audit.

use crate::claim::Claim;
use crate::reason::{Reason, Said, code};
use crate::verdict::Decision;
use std::sync::Arc;

/// What a game rule may tell players.
const ITS_OWN: [&str; 3] = [
    code::NOT_IN_SESSION,
    code::NO_SEAT_LEFT,
    code::REFUSED_BY_GAME,
];

/// Puts a reason in words that are a game rule's to say. Returns the code that it had, if it changed. The
/// text stays: it is what the player reads where a door has room for it. A number would say the reason
/// again, in the protocol's words.
pub(crate) fn restate(reason: &mut Reason) -> Option<Arc<str>> {
    if ITS_OWN.contains(&&*reason.code) {
        return None;
    }
    reason.number = None;
    Some(std::mem::replace(
        &mut reason.code,
        code::REFUSED_BY_GAME.into(),
    ))
}

/// The same for all that a decision could have players told. While the server is `closed`, that is why a game
/// rule refuses: it need not know of it. Returns the code of a reject that changed; a claim keeps its own.
pub(crate) fn restate_decision(
    policy: &Arc<str>,
    decision: &mut Decision,
    closed: Option<Reason>,
) -> Option<Arc<str>> {
    let mut said = None;
    let mut claims: Vec<&mut Vec<Claim>> = Vec::new();
    match decision {
        Decision::Reject(reason) => {
            said = match closed {
                Some(closed) => Some(std::mem::replace(reason, closed).code),
                None => restate(reason),
            }
        }
        Decision::Pass(passing) => claims.push(&mut passing.claims),
        Decision::Wait(waiting) => claims.push(&mut waiting.claims),
        Decision::Ask(inquiry) => claims.push(&mut inquiry.hold),
        Decision::Accept(acceptance) => {
            claims.extend(acceptance.options.iter_mut().map(|it| &mut it.claims));
            let waiting = acceptance.otherwise_wait.iter_mut();
            claims.extend(waiting.map(|it| &mut it.claims));
        }
    }
    for claim in claims.into_iter().flatten() {
        claim.said = restate(&mut claim.when_full).map(|code| Said {
            policy: policy.clone(),
            code,
        });
    }
    said
}
