//! Which source answers what.

use super::discovery::{Listing, ListingStatus};
use super::fetch::{Services, text};
use super::http::HttpError;
use super::mode::Chosen;
use super::sdk::{Sdk, SdkStatus};
use crate::config::{Config, Mode};
use crate::core_loop::Handle;
use crate::text::Shown;
use serde::Serialize;
use std::sync::Arc;
use tokio::task::JoinSet;
use usher_core::{FactAnswer, Question, QuestionArg, RequestId, Secret, Wanted};

/// The act that claims a session of an idle game server.
const CLAIM_SESSION: &str = "claim-session";

/// The param by which a policy is told to do so.
const CLAIM_SESSIONS: &str = "claim-sessions";

/// Everything that can be asked.
pub struct Sources {
    mode: Mode,
    why: &'static str,
    sdk: Option<Arc<Sdk>>,
    listing: Option<Listing>,
    services: Services,
}

/// How evidence comes by, and how its sources do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourcesStatus {
    /// How this server came to be.
    pub mode: &'static str,
    /// What that was found by.
    pub why: &'static str,
    /// How it stands at the directory; none where it is not listed at one.
    pub discovery: Option<ListingStatus>,
    /// How it stands with the local SDK endpoint; none where no fleet hosts this server.
    pub sdk: Option<SdkStatus>,
}

impl Sources {
    /// Whether they could be asked, without asking any.
    ///
    /// # Errors
    ///
    /// Those of [`Sources::start`].
    pub fn check(config: &Config, chosen: &Chosen) -> Result<(), HttpError> {
        if let Some(settings) = &config.discovery
            && chosen.mode.is_listed()
        {
            Listing::check(settings)?;
        }
        Services::new(config).map(drop)
    }

    /// The sources of a configuration in the mode that was chosen. What they do by themselves goes into
    /// `parts`.
    ///
    /// # Errors
    ///
    /// [`HttpError::NoCertificates`] when something is to be asked by `https` and the system has none.
    pub fn start(
        config: &Config,
        chosen: &Chosen,
        core: &Handle,
        parts: &mut JoinSet<()>,
    ) -> Result<Sources, HttpError> {
        let listing = match &config.discovery {
            Some(settings) if chosen.mode.is_listed() => {
                let (listing, keeping) = Listing::start(settings.clone(), core.players_watch())?;
                parts.spawn(keeping);
                Some(listing)
            }
            Some(_) => {
                let mode = chosen.mode.word();
                tracing::info!(mode, "[discovery] is not used: this server is not listed");
                None
            }
            None => None,
        };
        let sdk = chosen
            .sdk_port
            .map(|port| Sdk::start(port, &config.sdk, claims_sessions(config), core, parts));
        Ok(Sources {
            mode: chosen.mode,
            why: chosen.why,
            sdk: sdk.transpose()?,
            listing,
            services: Services::new(config)?,
        })
    }

    /// Takes over the secrets of a configuration that was read again.
    pub fn configure(&self, config: &Config) {
        self.services.configure(config);
        if let (Some(listing), Some(settings)) = (&self.listing, &config.discovery) {
            listing.configure(settings);
        }
    }

    /// How they do.
    pub fn status(&self) -> SourcesStatus {
        SourcesStatus {
            mode: self.mode.word(),
            why: self.why,
            discovery: self.listing.as_ref().map(Listing::status),
            sdk: self.sdk.as_ref().map(|sdk| sdk.status()),
        }
    }

    /// Players can come in from now on.
    pub fn opened(&self) {
        if let Some(sdk) = &self.sdk {
            sdk.opened();
        }
    }

    /// Tells everyone outside that the host stops. Bounded in time.
    pub async fn stop(&self) {
        // A server has one of these at most.
        if let Some(listing) = &self.listing {
            listing.stop().await;
        }
        if let Some(sdk) = &self.sdk {
            sdk.stop().await;
        }
    }

    /// Finds something out.
    pub(super) async fn answer(&self, question: &Question, wanted: &Wanted) -> FactAnswer {
        match (&*question.name, &*question.args) {
            ("fetch", _) => self.services.fetch(question).await,
            ("verify", [reservation, player]) => match &self.listing {
                Some(listing) => {
                    let directory = listing.directory();
                    directory.verify(text(reservation), text(player)).await
                }
                None => self.not_here(),
            },
            ("verify", _) => unavailable("it takes a reservation and a player"),
            ("hold" | "allocation" | "backfill", args) => match &self.sdk {
                Some(sdk) => ask_sdk(sdk, &question.name, args, wanted).await,
                None => self.not_here(),
            },
            _ => unknown(question),
        }
    }

    /// Does something.
    pub(super) async fn act(&self, act: &Question) -> FactAnswer {
        match (&*act.name, &*act.args, &self.sdk) {
            (CLAIM_SESSION, [], Some(sdk)) => sdk.claim_session().await,
            (CLAIM_SESSION, [], None) => self.not_here(),
            (CLAIM_SESSION, ..) => unavailable("it takes nothing"),
            _ => unknown(act),
        }
    }

    /// Undoes something.
    pub(super) async fn compensate(&self, request: RequestId, act: &Question) {
        if let (CLAIM_SESSION, Some(sdk)) = (&*act.name, &self.sdk) {
            sdk.release_claim();
            return;
        }
        tracing::warn!(
            %request,
            act = %Shown(&act.name),
            "an act is to be undone, but no source is configured that could"
        );
    }

    /// The question's name as a metric may have it: a policy may ask for anything.
    pub(super) fn label(question: &Question) -> &'static str {
        const KNOWN: [&str; 6] = [
            "hold",
            "allocation",
            "backfill",
            "verify",
            "fetch",
            CLAIM_SESSION,
        ];
        let known = KNOWN.into_iter().find(|known| *known == &*question.name);
        known.unwrap_or("other")
    }

    fn not_here(&self) -> FactAnswer {
        unavailable(&format!("nobody knows in mode {}", self.mode.word()))
    }
}

/// Whether a policy is told to claim sessions.
fn claims_sessions(config: &Config) -> bool {
    let claims = |policy: &crate::config::Policy| {
        let param = policy.params.get(CLAIM_SESSIONS);
        param.is_some_and(|value| value == "true")
    };
    config.policies.iter().any(claims)
}

/// Asks the local SDK endpoint.
async fn ask_sdk(sdk: &Sdk, name: &str, args: &[QuestionArg], wanted: &Wanted) -> FactAnswer {
    match (name, args) {
        ("hold", [QuestionArg::Secret(reservation)]) => sdk.hold(reservation, wanted).await,
        ("hold", [QuestionArg::Plain(reservation)]) => {
            sdk.hold(&Secret::new(&**reservation), wanted).await
        }
        ("hold", _) => unavailable("it takes a reservation"),
        ("allocation", []) => sdk.allocation(),
        ("allocation", _) => unavailable("it takes nothing"),
        (_, [allocation]) => sdk.backfill(text(allocation), wanted).await,
        _ => unavailable("it takes an allocation"),
    }
}

fn unknown(question: &Question) -> FactAnswer {
    unavailable(&format!(
        "no source is configured for {}",
        Shown(&question.name)
    ))
}

fn unavailable(why: &str) -> FactAnswer {
    FactAnswer::Unavailable(why.into())
}
