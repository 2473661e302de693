//! The local SDK endpoint of a hosted game server: what it says is evidence, and here it is read.
//!
//! A watch stream is followed for as long as the host runs, so the current allocation is always at hand;
//! holds and backfills are asked for when a policy wants them. Nothing is written, since any write tells the
//! platform that the game speaks to it: but what a policy's act asks for, and where this host owns the game
//! server's lifecycle, what that takes.

mod allocation;
mod backfill;
mod backfills;
mod backoff;
mod claim;
mod claims;
mod context;
mod endpoint;
mod fleet;
mod gate;
mod hold;
mod holds;
mod keeper;
mod late;
mod lines;
mod lobby;
mod loose;
mod roster;
mod state;
mod status;
#[cfg(test)]
mod tests;
mod tracking;
mod view;
mod watch;

pub use status::{AllocationStatus, ErrorStatus, SdkStatus};

use crate::config::{self, Lifecycle};
use crate::core_loop::Handle;
use crate::evidence::http::HttpError;
use backfills::Backfills;
use claim::{Claim, For};
use endpoint::{Call, Endpoint, Local};
use gate::Server;
use lobby::{Others, Patience};
use state::{Gate, Shared};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch as channel;
use tokio::task::JoinSet;
use tokio::time::timeout;
use usher_core::{FactAnswer, Secret, Wanted};

/// How long each of the last calls may take when the host stops.
const LAST_CALL: Duration = Duration::from_millis(1500);

/// How long a match may be without a player before the first one has come, where this host ends matches.
/// Tickets live for this long.
const UNJOINED: Duration = Duration::from_secs(300);

/// The endpoint.
pub struct Sdk {
    shared: Arc<Shared>,
    backfills: Arc<Backfills>,
    lifecycle: Lifecycle,
    opened: channel::Sender<bool>,
    wall: fn() -> u64,
}

/// What this needs of the host.
struct Host {
    endpoint: Box<dyn Endpoint>,
    gate: Box<dyn Gate>,
    players: channel::Receiver<u32>,
    /// Whether a policy may claim sessions, so that a claimed one that is there already is this host's.
    claims: bool,
    wall: fn() -> u64,
}

impl Sdk {
    /// Begins to follow the game server, at this port of 127.0.0.1. `claims` says whether a policy may claim
    /// sessions: then one that is there already is taken for this host's, from before it was started again. The
    /// tasks that must not end before the host does are added to `parts`. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// Why there is no client to ask it with, which no input can cause.
    pub fn start(
        port: u16,
        settings: &config::Sdk,
        claims: bool,
        core: &Handle,
        parts: &mut JoinSet<()>,
    ) -> Result<Arc<Sdk>, HttpError> {
        let host = Host {
            endpoint: Box::new(Local::new(port)?),
            gate: Box::new(Server(core.clone())),
            players: core.players_watch(),
            claims,
            wall,
        };
        Ok(Sdk::begin(settings, host, parts))
    }

    fn begin(settings: &config::Sdk, host: Host, parts: &mut JoinSet<()>) -> Arc<Sdk> {
        let owns = settings.lifecycle == Lifecycle::Usher;
        let patience = Patience {
            claimed: settings.claim_lobby,
            others: owns.then_some(Others {
                before: UNJOINED,
                after: settings.claim_lobby,
            }),
        };
        let shared = Arc::new(Shared::new(host.endpoint, host.gate, patience));
        if host.claims {
            shared.quietly(|state| state.lobby.adopt());
        }
        let (opened, is_open) = channel::channel(false);
        parts.spawn(watch::follow(shared.clone()));
        parts.spawn(keeper::keep(shared.clone(), host.players.clone()));
        if owns {
            parts.spawn(fleet::tell(shared.clone(), is_open, host.players));
        }
        Arc::new(Sdk {
            backfills: Arc::new(Backfills::new(shared.clone())),
            shared,
            lifecycle: settings.lifecycle,
            opened,
            wall: host.wall,
        })
    }

    /// Players can come in from now on.
    pub fn opened(&self) {
        self.opened.send_replace(true);
    }

    /// The hold of a reservation. Takes up to 2 s, and as long as the endpoint does, if there is none.
    pub async fn hold(&self, id: &Secret, wanted: &Wanted) -> FactAnswer {
        holds::look_up(&self.shared, id, wanted, self.wall).await
    }

    /// The current allocation. Known at once.
    pub fn allocation(&self) -> FactAnswer {
        match self.shared.read(|state| state.tracking.told()) {
            Ok(told) => FactAnswer::Found(told),
            Err(why) => FactAnswer::Unavailable(why.into()),
        }
    }

    /// A backfill. Takes up to 5 s, and a little more, if there is none.
    pub async fn backfill(&self, id: &str, wanted: &Wanted) -> FactAnswer {
        self.backfills.wait_for(id, wanted).await
    }

    /// Claims a session of an idle game server. Whoever does must have it given back, by
    /// [`Sdk::release_claim`], if nobody gets in by it.
    pub async fn claim_session(&self) -> FactAnswer {
        let found = |json: String| FactAnswer::Found(json.into_bytes().into());
        match claim::claim(&self.shared, For::Claimant).await {
            Claim::Claimed => found(r#"{"outcome":"claimed"}"#.to_owned()),
            Claim::Allocated(current) => {
                found(format!(r#"{{"outcome":"allocated","current":{current}}}"#))
            }
            Claim::Failed(why) => FactAnswer::Unavailable(why.into()),
        }
    }

    /// A claim was in vain: the session ends, unless someone is in it or has a claim to it too.
    pub fn release_claim(&self) {
        self.shared.change(|state| state.lobby.given_back());
    }

    /// Ends what has to be ended before the host stops. Takes a few seconds at most.
    pub async fn stop(&self) {
        self.shared.change(|state| state.tracking.stopping());
        // A claim that is under way may still become a session.
        let settled = |state: &state::State| !state.claims.under_way();
        self.shared.until(LAST_CALL, settled).await;
        let at_last = |state: &mut state::State| {
            let ending = state.lobby.to_end_at_last()?;
            keeper::mark(state, &ending);
            Some(ending)
        };
        if let Some(ending) = self.shared.quietly(at_last) {
            let _ = timeout(LAST_CALL, keeper::end(&self.shared, &ending)).await;
        }
        if self.lifecycle == Lifecycle::Usher {
            let _ = timeout(LAST_CALL, self.shared.call(Call::Shutdown)).await;
        }
    }

    /// How things stand.
    pub fn status(&self) -> SdkStatus {
        let word = self.lifecycle.word();
        self.shared.read(|state| SdkStatus::new(state, word))
    }
}

/// The wall clock, in milliseconds since 1970. Holds expire by it, not by the host's own clock, which takes
/// no part in its corrections.
fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}
