//! Claims a session of an idle game server: one claim at a time, however many want one, and none that could
//! replace a match.

use super::allocation::Origin;
use super::claims::{Flight, Next, Outcome};
use super::endpoint::{Answer, Call};
use super::lobby::Prospect;
use super::state::{Shared, State};
use super::tracking::Counts;
use crate::evidence::http::HttpError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long the game server has to show a session that was claimed.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);

/// What someone who wanted a session has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// A session that was claimed.
    Claimed,
    /// None: there is another, told as JSON.
    Allocated(String),
    /// None; why.
    Failed(&'static str),
}

/// What to do next.
enum Step {
    Done(Claim),
    /// Wait until what is known has changed.
    Wait(&'static str),
    /// Wait for a session of the last claim.
    HeldBack,
    Join(Flight),
    Send(watch::Sender<Option<Outcome>>, Flight, Counts),
}

/// For whom a session is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum For {
    /// Someone who will get in by it, or give it back.
    Claimant,
    /// Those who are in already.
    Seated,
}

/// Claims a session, or finds the one that is there. Whoever gives up only stops waiting.
pub(super) async fn claim(shared: &Arc<Shared>, whom: For) -> Claim {
    let patience = Instant::now() + SHOWN_WITHIN;
    loop {
        let left = patience.saturating_duration_since(Instant::now());
        match shared.quietly(|state| step(state, whom, Instant::now())) {
            Step::Done(claim) => return claim,
            Step::Wait(why) => {
                let moved = |state: &State| !matches!(blocked(state), Some(Step::Wait(_)));
                if !shared.until(left, moved).await {
                    return Claim::Failed(why);
                }
            }
            Step::HeldBack => {
                let shown = |state: &State| state.tracking.current().is_some();
                if !shared.until(left, shown).await {
                    return Claim::Failed("an earlier claim was not answered");
                }
            }
            Step::Join(flight) => return join(shared, flight, whom).await,
            Step::Send(tell, flight, sent) => {
                tokio::spawn(fly(shared.clone(), tell, sent));
                return join(shared, flight, whom).await;
            }
        }
    }
}

/// What stands in the way of a claim, if anything does.
fn blocked(state: &State) -> Option<Step> {
    if state.is_stopping() {
        return Some(Step::Done(Claim::Failed(
            "the game server is shutting down",
        )));
    }
    let Some(current) = state.tracking.current() else {
        // Where nothing is heard of the game server, a claim could replace a match.
        if !state.watching {
            return Some(Step::Wait("the watch stream is not open"));
        }
        let unnamed = state.tracking.is_unnamed();
        let failed = Claim::Failed("the game server is allocated, and has no id for it");
        return unnamed.then_some(Step::Done(failed));
    };
    Some(match (state.tracking.open_json(), current.origin) {
        (None, _) => Step::Wait("the session before is still being ended"),
        (Some(_), Origin::SelfMade) => Step::Done(Claim::Claimed),
        (Some(current), Origin::Platform) => Step::Done(Claim::Allocated(current)),
    })
}

fn step(state: &mut State, whom: For, now: Instant) -> Step {
    if let Some(step) = blocked(state) {
        if whom == For::Claimant && matches!(step, Step::Done(Claim::Claimed)) {
            state.lobby.claimed(now);
        }
        return step;
    }
    let counts = state.tracking.counts();
    match state.claims.next(counts, now) {
        Next::HeldBack => Step::HeldBack,
        Next::Join(flight) => Step::Join(flight),
        Next::Send(tell, flight) => {
            state.lobby.asked(now);
            Step::Send(tell, flight, counts)
        }
    }
}

async fn join(shared: &Arc<Shared>, mut flight: Flight, whom: For) -> Claim {
    let outcome = flight.wait_for(Option::is_some).await;
    let outcome = outcome.ok().and_then(|outcome| *outcome);
    match outcome {
        Some(Outcome::Claimed) => {
            if whom == For::Claimant {
                shared.quietly(|state| state.lobby.claimed(Instant::now()));
            }
            Claim::Claimed
        }
        Some(Outcome::Failed(why)) => Claim::Failed(why),
        // The host stops.
        None => Claim::Failed("the claim was given up"),
    }
}

/// Sends the claim, and waits until the game server shows the session.
async fn fly(shared: Arc<Shared>, tell: watch::Sender<Option<Outcome>>, sent: Counts) {
    let outcome = send(&shared, sent).await;
    shared.change(|state| state.claims.landed());
    tell.send_replace(Some(outcome));
}

async fn send(shared: &Shared, sent: Counts) -> Outcome {
    let answer = shared.call(Call::Allocate).await;
    let prospect = prospect(&answer);
    shared.quietly(|state| state.lobby.answered(prospect, Instant::now()));
    let lost = match answer {
        Ok(answer) if answer.is_success() => false,
        Ok(_) => return Outcome::Failed("the local SDK endpoint refused the claim"),
        Err(_) => {
            shared.quietly(|state| state.claims.hold_back(sent, Instant::now()));
            true
        }
    };
    // The view may have come before the answer.
    let shown = |state: &State| {
        let current = state.tracking.current();
        state.tracking.counts().self_made > sent.self_made
            || current.is_some_and(|it| it.origin == Origin::SelfMade)
    };
    match (shared.until(SHOWN_WITHIN, shown).await, lost) {
        (true, _) => Outcome::Claimed,
        (false, true) => Outcome::Failed("the claim was not answered"),
        (false, false) => {
            shared.quietly(|state| state.claims.hold_back(sent, Instant::now()));
            Outcome::Failed("the game server does not show the session that was claimed")
        }
    }
}

/// Whether a session can come of a claim that was answered so.
fn prospect(answer: &Result<Answer, HttpError>) -> Prospect {
    match answer {
        Ok(answer) if answer.is_success() => Prospect::Open,
        // There is no such call, so nothing was done.
        Ok(answer) if matches!(answer.status, 404 | 501) => Prospect::None,
        // Something may have failed after the claim was written down, or only the way back of the answer.
        Ok(_) => Prospect::Soon,
        // Nobody heard it.
        Err(HttpError::Unreachable) => Prospect::None,
        Err(_) => Prospect::Open,
    }
}
