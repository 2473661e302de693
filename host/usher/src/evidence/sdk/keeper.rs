//! Ends sessions when the lobby says so, and claims one for players whose session was ended under them.

use super::claim::{self, Claim, For};
use super::endpoint::Call;
use super::late::Seen;
use super::lobby::{Ending, Told};
use super::state::{Shared, State};
use crate::evidence::http::HttpError;
use crate::metrics;
use std::future::pending;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// What is due.
enum Due {
    End(Ending),
    See(Seen),
    /// Nothing before this.
    Later(Option<Instant>),
}

/// Ends what is due, for as long as the host runs.
pub(super) async fn keep(shared: Arc<Shared>, mut players: watch::Receiver<u32>) {
    let mut changes = shared.changes();
    loop {
        let seated = *players.borrow_and_update();
        if shared.read(|state| state.lobby.seated() != seated) {
            shared.change(|state| state.lobby.players(seated, Instant::now()));
        }
        changes.mark_unchanged();
        let due = match shared.quietly(look) {
            // Nothing is waited for in between, so nobody is seated, as far as the core has said.
            Due::End(ending) => {
                end(&shared, &ending).await;
                continue;
            }
            Due::See(seen) => {
                see(&shared, seen).await;
                continue;
            }
            Due::Later(due) => due,
        };
        tokio::select! {
            // Whoever changes it is in this very task too, so it is never gone.
            _ = changes.changed() => {}
            changed = players.changed() => if changed.is_err() {
                // The core has ended, and the host with it.
                pending::<()>().await;
            },
            () = wait(due) => {}
        }
    }
}

fn look(state: &mut State) -> Due {
    let now = Instant::now();
    if let Some(ending) = state.lobby.take_due(now) {
        mark(state, &ending);
        return Due::End(ending);
    }
    match state.lobby.take_late(now) {
        Some(seen) => Due::See(seen),
        None => Due::Later(state.lobby.due()),
    }
}

/// To be done before the end is told, so that nobody joins the session any more, and the view that comes of
/// it is known for what it is.
pub(super) fn mark(state: &mut State, ending: &Ending) {
    if let Ending::Session(id) = ending {
        state.tracking.ending(id);
    }
}

async fn wait(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => pending().await,
    }
}

/// Tells the endpoint that a session is over.
pub(super) async fn end(shared: &Shared, ending: &Ending) {
    let call = match ending {
        Ending::Session(id) => Call::Ended(id.clone()),
        Ending::Unnamed => Call::Ready,
    };
    let told = match shared.call(call).await {
        Ok(answer) if answer.is_success() => Told::Heard,
        // Whoever ends it now is someone else.
        Ok(_) | Err(HttpError::Unreachable) => Told::Refused,
        Err(_) => Told::Lost,
    };
    shared.change(|state| {
        if let (Ending::Session(id), Told::Refused) = (ending, told) {
            state.tracking.not_ending(id);
        }
        state.lobby.told(ending, told, Instant::now());
    });
}

/// Sees to players who are in no session.
async fn see(shared: &Arc<Shared>, seen: Seen) {
    if seen.first {
        metrics::sdk_stranded();
        tracing::warn!(
            claims = seen.claim,
            "a player was let in while the session was being ended, and is in none"
        );
    }
    if seen.claim
        && let Claim::Failed(why) = claim::claim(shared, For::Seated).await
    {
        shared.failed(format!("no session for who is in none: {why}"));
    }
}
