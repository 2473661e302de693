//! The calls, from path to answer.

use super::error::Refusal;
use super::guard::{Guard, HEALTH};
use super::host::{ActionError, Host, Loaded};
use super::status::Status;
use crate::metrics::Metrics;
use crate::seldom::Seldom;
use crate::text::Shown;
use crate::web::{Call, Local, Place, read_body};
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;
use usher_core::{Reason, SessionId};

/// A kick's reason is all that a body ever holds.
const BODY_LIMIT: usize = 16 * 1024;

/// A sentence for a player; longer ones are cut off by most protocols anyway.
const REASON_LIMIT: usize = 1024;

/// How long a call may take from its head to its answer. A reload compiles, on a machine that is busy
/// with players.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(120);

/// Whoever reaches the endpoint can have calls refused, as fast as it likes.
const REFUSALS_APART: Duration = Duration::from_secs(1);

struct App<H> {
    host: Arc<H>,
    metrics: Metrics,
    /// How long a body may take.
    patience: Duration,
}

impl<H> Clone for App<H> {
    fn clone(&self) -> App<H> {
        App {
            host: self.host.clone(),
            metrics: self.metrics.clone(),
            patience: self.patience,
        }
    }
}

/// Who may call, and when it is said that someone may not.
struct Doorkeeper {
    guard: Guard,
    refusals: Seldom,
}

/// A part of the path.
type Part = Result<Path<String>, PathRejection>;

/// Every call, behind the guard. Each request must carry a [`Local`] and a [`Place`].
pub(super) fn router<H: Host>(
    host: Arc<H>,
    metrics: Metrics,
    guard: Guard,
    patience: Duration,
) -> Router {
    let refusals = Seldom::new(REFUSALS_APART);
    let doorkeeper = Arc::new(Doorkeeper { guard, refusals });
    let app = App {
        host,
        metrics,
        patience,
    };
    Router::new()
        .route(HEALTH, get(health::<H>))
        .route("/metrics", get(show_metrics::<H>))
        .route("/v1/status", get(status::<H>))
        .route("/v1/policies/{name}/reload", post(reload::<H>))
        .route("/v1/policies/{name}/rollback", post(rollback::<H>))
        .route("/v1/policies/{name}/recheck", post(recheck::<H>))
        .route("/v1/sessions/{id}/kick", post(kick::<H>))
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "there is no such path") })
        .method_not_allowed_fallback(|| async {
            let error = "this path takes another method";
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, error)
        })
        .layer(middleware::from_fn_with_state(doorkeeper, admit))
        .with_state(app)
}

/// Lets a call through that may be made, and bounds how long it takes.
async fn admit(
    State(doorkeeper): State<Arc<Doorkeeper>>,
    Extension(Local(local)): Extension<Local>,
    Extension(place): Extension<Place>,
    request: Request,
    next: Next,
) -> Response {
    let call = Call {
        uri: request.uri(),
        headers: request.headers(),
        local,
    };
    if let Err(refusal) = doorkeeper.guard.check(call) {
        if let Some(unsaid) = doorkeeper.refusals.may_say(Instant::now()) {
            tracing::warn!(
                status = refusal.status.as_u16(),
                path = %Shown(request.uri().path()),
                unsaid,
                "an admin call was refused: {}",
                refusal.error
            );
        }
        return refusal.into_response();
    }
    let answered = async {
        place.admitted().await;
        next.run(request).await
    };
    match timeout(CALL_TIMEOUT, answered).await {
        Ok(response) => response,
        Err(_) => too_long().into_response(),
    }
}

fn too_long() -> Refusal {
    Refusal::new(StatusCode::REQUEST_TIMEOUT, "this took too long")
}

fn text(part: Part) -> Result<String, Refusal> {
    let Path(text) = part.map_err(|error| Refusal::new(error.status(), error.body_text()))?;
    Ok(text)
}

async fn health<H: Host>(State(app): State<App<H>>) -> (StatusCode, &'static str) {
    match app.host.draining() {
        false => (StatusCode::OK, "ok\n"),
        true => (StatusCode::SERVICE_UNAVAILABLE, "draining\n"),
    }
}

async fn show_metrics<H: Host>(State(app): State<App<H>>) -> Result<Response, Refusal> {
    let report = app.host.report().await.ok_or(ActionError::Stopping)?;
    let modules = app.host.modules();
    app.metrics.sample(&report, app.host.counts());
    for module in modules.policies.iter().chain(&modules.rules) {
        app.metrics
            .sample_module(&module.name, module.generation, module.calls, module.faults);
    }
    for door in app.host.doors() {
        app.metrics
            .sample_door(&door.name, &door.peers, door.held_bytes);
    }
    for bucket in &modules.buckets {
        app.metrics.sample_bucket(&bucket.name, bucket.entries);
    }
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    Ok((kind, app.metrics.render()).into_response())
}

async fn status<H: Host>(State(app): State<App<H>>) -> Result<Response, Refusal> {
    let report = app.host.report().await.ok_or(ActionError::Stopping)?;
    let modules = app.host.modules();
    let json = Status::new(&*app.host, report, modules).to_json();
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((kind, json).into_response())
}

async fn reload<H: Host>(State(app): State<App<H>>, name: Part) -> Result<Json<Loaded>, Refusal> {
    Ok(Json(app.host.reload(&text(name)?).await?))
}

async fn rollback<H: Host>(State(app): State<App<H>>, name: Part) -> Result<Json<Loaded>, Refusal> {
    Ok(Json(app.host.rollback(&text(name)?).await?))
}

/// Accepted, not done: who plays is asked about one after the other.
async fn recheck<H: Host>(
    State(app): State<App<H>>,
    name: Part,
    RawQuery(query): RawQuery,
) -> Result<(StatusCode, Json<serde_json::Value>), Refusal> {
    let name = text(name)?;
    let force = match query.as_deref() {
        None | Some("" | "force=false") => false,
        Some("force=true") => true,
        Some(_) => {
            let error = "what may stand behind the path is ?force=true";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, error));
        }
    };
    app.host.recheck(&name, force)?;
    let body = serde_json::json!({ "policy": name, "forced": force });
    Ok((StatusCode::ACCEPTED, Json(body)))
}

/// The body of a kick.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kick {
    reason: String,
}

async fn kick<H: Host>(
    State(app): State<App<H>>,
    id: Part,
    request: Request,
) -> Result<Json<serde_json::Value>, Refusal> {
    let id = text(id)?;
    let body = read_body(request.into_body(), BODY_LIMIT, app.patience).await;
    let body = body.map_err(|error| Refusal::new(error.status(), error.to_string()))?;
    let text = match body.is_empty() {
        true => String::new(),
        false => serde_json::from_slice::<Kick>(&body)
            .map(|kick| kick.reason)
            .map_err(|error| {
                let error = format!("the body must be {{\"reason\": \"text\"}}: {error}");
                Refusal::new(StatusCode::BAD_REQUEST, error)
            })?,
    };
    if text.len() > REASON_LIMIT {
        let error = format!("a reason has at most {REASON_LIMIT} bytes");
        return Err(Refusal::new(StatusCode::BAD_REQUEST, error));
    }
    let unknown = || {
        let error = format!("there is no session {id:?}; GET /v1/status lists them");
        Refusal::new(StatusCode::NOT_FOUND, error)
    };
    let session = id.parse().map(SessionId).map_err(|_| unknown())?;
    match app.host.kick(session, Reason::new("kicked", &text)).await {
        true => Ok(Json(serde_json::json!({ "kicked": session.0 }))),
        false => Err(unknown()),
    }
}
