//! The calls: who may make one, and which function answers it.

mod asking;
mod parts;
mod requests;
mod sessions;
mod streams;

use requests::{answer, begin, give_up, watch};
use sessions::{begin_local, confirm, end, endings, list, renew};
use streams::follow;

use super::api::Problem;
use super::book::Life;
use super::desk::Desk;
use crate::seldom::Seldom;
use crate::web::{Call, Denied, Local, Place, check_page, check_token, single};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch::Receiver;
use usher_core::Secret;

/// Where the API describes itself; nobody needs a token to read it.
const DESCRIPTION: &str = "/openapi.json";

/// The header that a game server says with which of its lives this is.
const INSTANCE: &str = "usher-instance";

/// The longest name of an instance.
const INSTANCE_LIMIT: usize = 64;

/// Whoever reaches the door can have calls refused, as fast as it likes.
const REFUSALS_APART: Duration = Duration::from_secs(1);

/// Who may call.
struct Doorkeeper {
    desk: Arc<Desk>,
    token: Receiver<Option<Secret>>,
    refusals: Seldom,
}

/// Every call, behind the doorkeeper; `description` is that of the API. Each
/// request must carry a [`Local`] and a [`Place`].
pub(super) fn router(
    desk: Arc<Desk>,
    token: Receiver<Option<Secret>>,
    description: String,
) -> Router {
    let description = Bytes::from(description);
    let doorkeeper = Arc::new(Doorkeeper {
        desk: desk.clone(),
        token,
        refusals: Seldom::new(REFUSALS_APART),
    });
    Router::new()
        .route(DESCRIPTION, get(|| async move { describe(description) }))
        .route("/v1/requests", post(begin))
        .route("/v1/requests/{id}", get(answer).delete(give_up))
        .route("/v1/requests/{id}/events", get(watch))
        .route("/v1/sessions", get(list))
        .route("/v1/sessions/local", post(begin_local))
        .route("/v1/sessions/{id}/confirm", post(confirm))
        .route("/v1/sessions/{id}/end", post(end))
        .route("/v1/endings", get(endings))
        .route("/v1/events", get(follow))
        .route("/v1/lease", post(renew))
        .fallback(|| async {
            let detail = "there is no such path: GET /openapi.json lists those that there are";
            Problem::new(StatusCode::NOT_FOUND, "no-such-path", detail)
        })
        .method_not_allowed_fallback(|| async {
            let detail = "this path takes another method: the header Allow says which";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "wrong-method", detail)
        })
        .layer(middleware::from_fn_with_state(doorkeeper, admit))
        .with_state(desk)
}

fn describe(description: Bytes) -> Response {
    let mut response = Response::new(Body::from(description));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    // Whoever reads it may be a stranger, and stays none.
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// Lets a call through that may be made, and takes it for a sign of life.
async fn admit(
    State(doorkeeper): State<Arc<Doorkeeper>>,
    Extension(Local(local)): Extension<Local>,
    Extension(place): Extension<Place>,
    mut request: Request,
    next: Next,
) -> Response {
    if request.uri().path() == DESCRIPTION {
        return next.run(request).await;
    }
    let call = Call {
        uri: request.uri(),
        headers: request.headers(),
        local,
    };
    // A stream is answered with its head: that it goes on is no sign of life.
    let calling = match doorkeeper.check(call) {
        Ok(calling) => calling,
        Err(problem) => return problem.into_response(),
    };
    request.extensions_mut().insert(calling.life);
    place.admitted().await;
    next.run(request).await
}

/// A call, until it is answered or its connection breaks.
struct Calling {
    desk: Arc<Desk>,
    life: Life,
}

impl Drop for Calling {
    fn drop(&mut self) {
        let life = self.life;
        self.desk.with(|book, now| book.answered(life, now));
    }
}

impl Doorkeeper {
    fn check(&self, call: Call<'_>) -> Result<Calling, Problem> {
        let checked = match &*self.token.borrow() {
            Some(token) => check_token(call.headers, token),
            // Then it is on loopback, where every page that someone at this machine opens calls, too.
            None => check_page(call),
        };
        checked.map_err(|denied| self.refuse(denied))?;
        let instance = instance(call.headers)?;
        let called = self.desk.with(|book, now| book.call(instance, now));
        let life = called?;
        let desk = self.desk.clone();
        Ok(Calling { desk, life })
    }

    fn refuse(&self, denied: Denied) -> Problem {
        if let Some(unsaid) = self.refusals.may_say(Instant::now()) {
            tracing::warn!(
                door = &*self.desk.name,
                unsaid,
                "a call was refused: {denied}"
            );
        }
        match denied {
            Denied::NoToken | Denied::WrongToken => Problem::unauthorized(),
            Denied::Host | Denied::Origin => {
                Problem::new(StatusCode::FORBIDDEN, "foreign-page", denied.to_string())
            }
        }
    }
}

fn instance(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let fits = |name: &&str| {
        !name.is_empty()
            && name.len() <= INSTANCE_LIMIT
            && name.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match single(headers, INSTANCE) {
        Ok(None) => Ok(None),
        Ok(Some(name)) if fits(&name) => Ok(Some(name)),
        _ => Err(Problem::malformed(
            "Usher-Instance must be 1 to 64 printable ASCII characters, once",
        )),
    }
}
