//! What this host tells the platform where it owns the game server's lifecycle: that players may come, that
//! all is well, and how many there are. Where the game owns it, none of this runs.

use super::backoff::Backoff;
use super::endpoint::Call;
use super::state::Shared;
use super::tracking::Phase;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};

/// How often the platform is told that all is well.
const HEALTH: Duration = Duration::from_secs(2);

/// How far apart two figures are, at least.
const APART: Duration = Duration::from_millis(500);

/// How long after it heard that players may come the platform may still show that they may not. Agones writes
/// down what it heard some time later.
const FORGOTTEN: Duration = Duration::from_secs(10);

/// Tells the platform, once the doors are open.
pub(super) async fn tell(
    shared: Arc<Shared>,
    mut opened: watch::Receiver<bool>,
    players: watch::Receiver<u32>,
) {
    if opened.wait_for(|opened| *opened).await.is_err() {
        // The host stops before it has opened.
        return pending().await;
    }
    let health = async {
        ready(&shared).await;
        health(&shared, &players).await;
    };
    tokio::join!(health, count(&shared, players.clone()));
}

/// Says that players may come, until it is heard.
async fn ready(shared: &Shared) {
    let mut backoff = Backoff::default();
    loop {
        let answer = shared.call(Call::Ready).await;
        if answer.is_ok_and(|answer| answer.is_success()) {
            shared.change(|state| state.tracking.readied());
            return;
        }
        sleep(backoff.next()).await;
    }
}

async fn health(shared: &Shared, players: &watch::Receiver<u32>) {
    let mut heard = Instant::now();
    let mut ticks = interval_at(Instant::now() + HEALTH, HEALTH);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let phase = shared.read(|state| state.tracking.phase());
        if matches!(phase, Phase::Ready | Phase::InSession | Phase::Unreachable) {
            // What fails is noted; the next one is due soon.
            let _ = shared.call(Call::Health).await;
        }
        // A platform that was started anew has heard nothing, and takes the game for one that is not ready.
        let forgot = shared.read(|state| state.tracking.is_scheduled());
        if forgot && heard.elapsed() >= FORGOTTEN {
            let count = *players.borrow();
            let _ = shared.call(Call::Players(count)).await;
            ready(shared).await;
            heard = Instant::now();
        }
    }
}

/// Tells how many players there are: what the count is when the last figure is through, not each one that
/// it was.
async fn count(shared: &Shared, mut players: watch::Receiver<u32>) {
    loop {
        let count = *players.borrow_and_update();
        // A game server without such a counter says so, and is told the next figure all the same.
        let _ = shared.call(Call::Players(count)).await;
        sleep(APART).await;
        if players.changed().await.is_err() {
            return pending().await;
        }
    }
}
