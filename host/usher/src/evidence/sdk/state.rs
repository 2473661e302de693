//! What the tasks of the endpoint share: the endpoint itself, and what is known of it.

use super::claims::Claims;
use super::endpoint::{Answer, Call, Endpoint};
use super::lobby::{Lobby, Patience};
use super::tracking::{ClearedBy, Happened, Phase, Tracking};
use super::view::View;
use crate::evidence::http::HttpError;
use crate::metrics;
use crate::seldom::Seldom;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// How often a call that failed is worth a line.
const SAID_EVERY: Duration = Duration::from_secs(10);

/// How often one thing that happens to the game server is worth a line.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// Everything that is known.
pub(super) struct State {
    pub(super) tracking: Tracking,
    pub(super) lobby: Lobby,
    pub(super) claims: Claims,
    /// Whether the watch stream is open and has shown the game server.
    pub(super) watching: bool,
    /// How often the watch stream was opened again.
    pub(super) reconnects: u64,
    /// The last call that failed, and when.
    pub(super) last_error: Option<(String, Instant)>,
}

/// Lets players in, or not, as the platform says.
pub(super) trait Gate: Send + Sync {
    /// The game server is to go away.
    fn close(&self);

    /// It is not, after all.
    fn open(&self);
}

/// What the tasks share.
pub(super) struct Shared {
    endpoint: Box<dyn Endpoint>,
    gate: Box<dyn Gate>,
    state: watch::Sender<State>,
    failing: Seldom,
    happening: Happening,
}

/// Lines of what happens to the game server. One that flaps must not fill the log.
struct Happening {
    received: Seldom,
    odd: Seldom,
    cleared: Seldom,
    closing: Seldom,
    reopened: Seldom,
    reachable: Seldom,
}

impl Shared {
    pub(super) fn new(
        endpoint: Box<dyn Endpoint>,
        gate: Box<dyn Gate>,
        patience: Patience,
    ) -> Shared {
        let state = State {
            tracking: Tracking::default(),
            lobby: Lobby::new(patience),
            claims: Claims::default(),
            watching: false,
            reconnects: 0,
            last_error: None,
        };
        Shared {
            endpoint,
            gate,
            state: watch::Sender::new(state),
            failing: Seldom::new(SAID_EVERY),
            happening: Happening {
                received: Seldom::new(TOLD_EVERY),
                odd: Seldom::new(TOLD_EVERY),
                cleared: Seldom::new(TOLD_EVERY),
                closing: Seldom::new(TOLD_EVERY),
                reopened: Seldom::new(TOLD_EVERY),
                reachable: Seldom::new(TOLD_EVERY),
            },
        }
    }

    pub(super) fn endpoint(&self) -> &dyn Endpoint {
        &*self.endpoint
    }

    /// Looks at what is known.
    pub(super) fn read<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.borrow())
    }

    /// Changes what is known, and wakes those who wait for that.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut changed = None;
        self.state
            .send_modify(|state| changed = Some(change(state)));
        changed.expect("the closure above is called once")
    }

    /// Changes what nobody waits for.
    pub(super) fn quietly<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut changed = None;
        self.state.send_if_modified(|state| {
            changed = Some(change(state));
            false
        });
        changed.expect("the closure above is called once")
    }

    /// Tells of changes.
    pub(super) fn changes(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Waits until something is so. Returns whether it was in time.
    pub(super) async fn until(&self, within: Duration, so: impl FnMut(&State) -> bool) -> bool {
        let mut changes = self.state.subscribe();
        let waited = timeout(within, changes.wait_for(so)).await;
        matches!(waited, Ok(Ok(_)))
    }

    /// Makes a call, and notes if it fails.
    pub(super) async fn call(&self, call: Call) -> Result<Answer, HttpError> {
        let word = call.word();
        let answer = self.endpoint.call(call).await;
        match &answer {
            Ok(answer) if answer.is_success() => metrics::sdk_called(word, "ok"),
            Ok(answer) => {
                metrics::sdk_called(word, "refused");
                // What is wrong with these is known to who reads them, and a hold that is not there yet is
                // no failure.
                if !matches!(word, "hold" | "backfills") {
                    self.failed(format!("{word}: status {}", answer.status));
                }
            }
            Err(error) => {
                metrics::sdk_called(word, "lost");
                self.failed(format!("{word}: {error}"));
            }
        }
        answer
    }

    /// Notes a failure. What it says has nothing of what the endpoint sent in it.
    pub(super) fn failed(&self, what: String) {
        if let Some(unsaid) = self.failing.may_say(std::time::Instant::now()) {
            tracing::warn!(unsaid, "the local SDK endpoint fails: {what}");
        }
        self.quietly(|state| state.last_error = Some((what, Instant::now())));
    }

    /// Takes over what the endpoint says of the game server.
    pub(super) fn take(&self, view: &View) {
        let happened = self.change(|state| state.take(view));
        for happened in happened {
            self.carry_on(happened);
        }
    }

    /// The same, where it came over the watch stream.
    pub(super) fn watched(&self, view: &View) {
        self.quietly(|state| state.watching = true);
        self.take(view);
    }

    /// The watch stream is opened again.
    pub(super) fn reconnecting(&self) {
        metrics::sdk_reconnecting();
        self.quietly(|state| state.reconnects += 1);
    }

    fn carry_on(&self, happened: Happened) {
        match &happened {
            Happened::Closing => self.gate.close(),
            Happened::Reopened => self.gate.open(),
            Happened::Received(_) | Happened::Cleared(..) | Happened::Reachable => {}
        }
        self.say(&happened);
    }

    fn say(&self, happened: &Happened) {
        let said = &self.happening;
        let said = match happened {
            Happened::Received(_) => &said.received,
            Happened::Cleared(..) => &said.cleared,
            Happened::Closing => &said.closing,
            Happened::Reopened => &said.reopened,
            Happened::Reachable => &said.reachable,
        };
        let now = std::time::Instant::now();
        if let Happened::Received(allocation) = happened
            && (allocation.cut || !allocation.context_valid)
            && let Some(unsaid) = self.happening.odd.may_say(now)
        {
            let what = match allocation.context_valid {
                true => "its roster is longer than any match: the rest is left out",
                false => "its context is no JSON object: no match ticket gets in",
            };
            tracing::warn!(%allocation, unsaid, "{what}");
        }
        let Some(unsaid) = said.may_say(now) else {
            return;
        };
        match happened {
            Happened::Received(allocation) => {
                let origin = allocation.origin.word();
                tracing::info!(%allocation, origin, unsaid, "the game server has a session");
            }
            Happened::Cleared(allocation, ClearedBy::Game) => {
                tracing::info!(%allocation, unsaid, "the session has ended");
            }
            Happened::Cleared(allocation, ClearedBy::Platform) => {
                tracing::info!(%allocation, unsaid, "the session was ended by others");
            }
            Happened::Closing => tracing::info!(
                unsaid,
                "the platform shuts this game server down: nobody is let in any more"
            ),
            Happened::Reopened => tracing::info!(
                unsaid,
                "the platform does not shut this game server down after all"
            ),
            Happened::Reachable => {
                tracing::info!(unsaid, "the local SDK endpoint answers again");
            }
        }
    }

    /// The endpoint has not answered for too long.
    pub(super) fn lost(&self) {
        tracing::warn!("the local SDK endpoint does not answer");
        self.change(|state| state.tracking.lost());
    }
}

impl State {
    fn take(&mut self, view: &View) -> Vec<Happened> {
        let now = Instant::now();
        let happened = self.tracking.take(view);
        let received = happened
            .iter()
            .any(|it| matches!(it, Happened::Received(_)));
        let (current, unnamed) = (self.tracking.current(), self.tracking.is_unnamed());
        self.lobby.follow(current, received, unnamed, now);
        happened
    }

    /// Whether this host or the game server is about to stop.
    pub(super) fn is_stopping(&self) -> bool {
        matches!(self.tracking.phase(), Phase::ShuttingDown | Phase::Stopping)
    }
}
