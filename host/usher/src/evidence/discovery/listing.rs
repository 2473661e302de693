//! Keeps this server listed: sends its heartbeats, and takes it off the list when the host stops.

use super::beat;
use super::directory::{CALL, Directory, address, authorization};
use super::schedule::{Outcome, Schedule};
use crate::config;
use crate::evidence::http::{Call, Http, HttpError, Limits, Method, Settings, push_encoded};
use crate::metrics;
use rand::TryRng as _;
use rand::rngs::SysRng;
use serde::Serialize;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};
use usher_core::Secret;

/// Questions to the directory under way at once. Heartbeats do not wait for these.
const IN_FLIGHT: usize = 1024;

/// How long a heartbeat that is under way has to end when the host stops: one that came after the end of the
/// listing would begin it anew.
const LAST_BEAT: Duration = Duration::from_secs(1);

/// How long the directory has to take this server off its list.
const DELIST: Duration = Duration::from_secs(2);

/// A listing that is kept.
pub struct Listing {
    directory: Directory,
    token: watch::Sender<Secret>,
    status: watch::Receiver<ListingStatus>,
    stop: Mutex<Option<oneshot::Sender<oneshot::Sender<()>>>>,
}

/// How the listing stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ListingStatus {
    /// `starting`, `listed`, `failing`, `refused` or `over`.
    pub state: &'static str,
    /// As what this server is listed, or was.
    pub server_id: Option<String>,
    /// What came of the last heartbeat that was not accepted.
    pub last_error: Option<String>,
}

impl Listing {
    /// Whether the directory could be asked, without asking it.
    ///
    /// # Errors
    ///
    /// Those of [`Listing::start`].
    pub fn check(settings: &config::Discovery) -> Result<(), HttpError> {
        client(settings, false, 1).map(drop)
    }

    /// Begins to list this server, and the future that goes on with it, which ends only after
    /// [`Listing::stop`]. `players` is how many play.
    ///
    /// # Errors
    ///
    /// [`HttpError::NoCertificates`] when the directory is asked by `https` and the system has none.
    pub fn start(
        settings: config::Discovery,
        players: watch::Receiver<u32>,
    ) -> Result<(Listing, impl Future<Output = ()> + Send + use<>), HttpError> {
        let token = watch::Sender::new(settings.token.secret.clone());
        let own = watch::Sender::new(None);
        let status = watch::Sender::new(ListingStatus {
            state: "starting",
            server_id: None,
            last_error: None,
        });
        let (stop, stopped) = oneshot::channel();
        let directory = Directory {
            url: settings.url.clone(),
            http: client(&settings, true, IN_FLIGHT)?,
            token: token.subscribe(),
            own: own.subscribe(),
        };
        let keeper = Keeper {
            http: client(&settings, false, 1)?,
            token: token.subscribe(),
            settings,
            own,
            status: status.clone(),
        };
        let listing = Listing {
            directory,
            token,
            status: status.subscribe(),
            stop: Mutex::new(Some(stop)),
        };
        Ok((listing, keeper.run(players, stopped)))
    }

    /// Whom to ask about reservations.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// How it stands.
    pub fn status(&self) -> ListingStatus {
        self.status.borrow().clone()
    }

    /// Takes over the token of a configuration that was read again.
    pub fn configure(&self, settings: &config::Discovery) {
        self.token.send_if_modified(|token| {
            let takes = *token != settings.token.secret;
            if takes {
                token.clone_from(&settings.token.secret);
                tracing::info!("another token of the directory is in force");
            }
            takes
        });
    }

    /// Takes this server off the list. Returns when that is done, or has taken too long: 3 s at most.
    pub async fn stop(&self) {
        let stop = self.stop.lock().map(|mut stop| stop.take());
        let (done, is_done) = oneshot::channel();
        if let Ok(Some(stop)) = stop
            && stop.send(done).is_ok()
        {
            let _ = is_done.await;
        }
    }
}

fn client(settings: &config::Discovery, keep: bool, in_flight: usize) -> Result<Http, HttpError> {
    Http::new(Settings {
        tls: settings.url.starts_with("https:"),
        keep,
        in_flight,
    })
}

struct Keeper {
    http: Http,
    settings: config::Discovery,
    token: watch::Receiver<Secret>,
    own: watch::Sender<Option<Arc<str>>>,
    status: watch::Sender<ListingStatus>,
}

impl Keeper {
    async fn run(
        self,
        mut players: watch::Receiver<u32>,
        mut stopped: oneshot::Receiver<oneshot::Sender<()>>,
    ) {
        let start = Instant::now();
        let mut schedule = Schedule::new(Duration::ZERO, *players.borrow_and_update());
        let done = loop {
            let due = schedule.due().map(|due| start + due);
            let is_due = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                done = &mut stopped => break done,
                Ok(()) = players.changed() => schedule.players(*players.borrow_and_update()),
                () = is_due => {
                    let players = schedule.send(start.elapsed());
                    let beat = self.beat(players);
                    tokio::pin!(beat);
                    let outcome = tokio::select! {
                        outcome = &mut beat => outcome,
                        done = &mut stopped => {
                            let _ = timeout(LAST_BEAT, beat).await;
                            break done;
                        }
                    };
                    schedule.answered(outcome, start.elapsed(), jitter());
                    if schedule.is_over() {
                        tracing::error!("the directory lists no more servers for this token or address: no further heartbeat is sent");
                    }
                }
            }
        };
        self.delist().await;
        if let Ok(done) = done {
            let _ = done.send(());
        }
    }

    async fn beat(&self, players: u32) -> Outcome {
        let own = self.own.borrow().clone();
        let wanted = own.as_ref().or(self.settings.server_id.as_ref());
        let body = beat::body(&self.settings, wanted.map(|id| &**id), players);
        let Some(uri) = address(&self.settings.url, "/v1/heartbeat") else {
            return Outcome::Over;
        };
        let mut call = Call::json(Method::POST, uri, body);
        call.headers.push(authorization(&self.token.borrow()));
        let answer = self.http.request(call, CALL).await;
        let (outcome, id) = beat::outcome(&answer);
        let problem = match &answer {
            Ok(answer) if answer.is_success() => "its answer is malformed".to_owned(),
            Ok(answer) => format!("it answered {}", answer.status),
            Err(error) => error.to_string(),
        };
        self.note(outcome, id, problem);
        outcome
    }

    /// Keeps what came of a heartbeat, and says it where that is new.
    fn note(&self, outcome: Outcome, id: Option<Arc<str>>, problem: String) {
        let (state, word) = match outcome {
            Outcome::Accepted => ("listed", "accepted"),
            Outcome::Failed | Outcome::NotBefore(_) => ("failing", "failed"),
            Outcome::Refused => ("refused", "refused"),
            Outcome::Over => ("over", "refused"),
        };
        metrics::heartbeat(word);
        let accepted = id.is_some();
        if let Some(id) = id {
            self.own.send_if_modified(|own| {
                let changes = own.as_ref() != Some(&id);
                *own = Some(id);
                changes
            });
        }
        let server_id = self.own.borrow().clone();
        let news = self.status.send_if_modified(|status| {
            let before = status.clone();
            *status = ListingStatus {
                state,
                server_id: server_id.as_deref().map(str::to_owned),
                last_error: match accepted {
                    true => None,
                    false => Some(problem.clone()),
                },
            };
            *status != before
        });
        match (news, server_id) {
            (true, Some(id)) if accepted => {
                tracing::info!(server_id = &*id, "this server is listed")
            }
            (true, _) => tracing::warn!("the directory did not take a heartbeat: {problem}"),
            (false, _) => (),
        }
    }

    /// Takes this server off the list, if it may be on it.
    async fn delist(&self) {
        let own = self.own.borrow().clone();
        // A heartbeat can be heard though its answer is lost.
        let unsure = matches!(self.status.borrow().state, "starting" | "failing");
        let wanted = || self.settings.server_id.clone().filter(|_| unsure);
        let Some(id) = own.or_else(wanted) else {
            if unsure {
                tracing::warn!(
                    "whether the directory lists this server is not known: it may do so for 90 s more"
                );
            }
            return;
        };
        let mut path = "/v1/servers/".to_owned();
        push_encoded(&id, &mut path);
        let Some(uri) = address(&self.settings.url, &path) else {
            return;
        };
        let call = Call {
            method: Method::DELETE,
            headers: vec![authorization(&self.token.borrow())],
            ..Call::get(uri)
        };
        let limits = Limits {
            timeout: DELIST,
            ..CALL
        };
        match self.http.request(call, limits).await {
            Ok(answer) if answer.is_success() || answer.status == 404 => {
                tracing::info!("this server is off the list");
            }
            Ok(answer) => tracing::warn!(
                "the directory did not take this server off its list: it answered {}",
                answer.status
            ),
            Err(error) => {
                tracing::warn!("the directory did not take this server off its list: {error}");
            }
        }
    }
}

/// A number from 0 to 1.
fn jitter() -> f64 {
    let drawn = SysRng.try_next_u32().unwrap_or(u32::MAX / 2);
    f64::from(drawn) / f64::from(u32::MAX)
}
