//! Ends sessions when the lobby says so.

use super::endpoint::Call;
use super::lobby::Ending;
use super::state::{Shared, State};
use std::future::pending;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Ends what is due, for as long as the host runs.
pub(super) async fn keep(shared: Arc<Shared>, mut players: watch::Receiver<u32>) {
    let mut changes = shared.changes();
    loop {
        let seated = *players.borrow_and_update();
        if shared.read(|state| state.lobby.seated() != seated) {
            shared.change(|state| state.lobby.players(seated, Instant::now()));
        }
        changes.mark_unchanged();
        let (ending, due) = shared.quietly(look);
        if let Some(ending) = ending {
            end(&shared, &ending).await;
            continue;
        }
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

fn look(state: &mut State) -> (Option<Ending>, Option<Instant>) {
    let ending = state.lobby.take_due(Instant::now());
    if let Some(Ending::Session(id)) = &ending {
        // Before it is told, so that the view that comes of it is known for what it is.
        state.tracking.ending(id);
    }
    (ending, state.lobby.due())
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
    let answer = shared.call(call).await;
    shared.change(|state| {
        if let (Ending::Session(id), Ok(answer)) = (ending, &answer)
            && !answer.is_success()
        {
            // Whoever ends it now is someone else. Of a lost answer nobody knows what it was.
            state.tracking.not_ending(id);
        }
        let heard = answer.is_ok_and(|answer| answer.is_success());
        state.lobby.told(ending, heard, Instant::now());
    });
}
