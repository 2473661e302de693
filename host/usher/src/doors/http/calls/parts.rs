//! What calls are made of: a key, a body, a query, the name of something.

use crate::doors::http::api::{Problem, Unfit};
use crate::doors::http::book::Replaced;
use crate::doors::http::desk::Desk;
use crate::web::{BodyError, read_body, single};
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request};
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::timeout;
use usher_core::Digest;

/// The longest body: a payload of 64 KiB in base64, or as text of which much is escaped, and the rest.
const BODY_LIMIT: usize = 512 * 1024;

/// How long a body may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest key.
const KEY_LIMIT: usize = 128;

/// The name in a path.
pub(super) type Name = Result<Path<String>, PathRejection>;

/// What stands behind the path.
pub(super) type Asked<T> = Result<Query<T>, QueryRejection>;

/// The name in a path. One that is no name at all names nothing, too.
pub(super) fn name(name: Name) -> String {
    name.map(|Path(name)| name).unwrap_or_default()
}

/// What stands behind the path.
pub(super) fn asked<T>(query: Asked<T>) -> Result<T, Problem> {
    match query {
        Ok(Query(query)) => Ok(query),
        // What is said of the mistake may quote it.
        Err(_) => Err(Problem::malformed(
            "what stands behind the path is not as /openapi.json has it: only what is named there, each once",
        )),
    }
}

/// The key that a call is repeated with. Only what can be compared is kept of it: game servers may take
/// something for it that is a secret.
pub(super) fn key(headers: &HeaderMap) -> Result<Digest, Problem> {
    let fits = |key: &&str| {
        !key.is_empty() && key.len() <= KEY_LIMIT && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let key = single(headers, "idempotency-key").ok().flatten();
    let key = key.filter(fits).map(Digest::of);
    key.ok_or_else(|| {
        Problem::malformed(
            "give an Idempotency-Key of 1 to 128 printable ASCII characters: a new one for each \
             player who comes, and the same again when the call is repeated",
        )
    })
}

/// The body, as JSON.
pub(super) async fn body<T: DeserializeOwned>(desk: &Desk, request: Request) -> Result<T, Problem> {
    let kind = single(request.headers(), header::CONTENT_TYPE)
        .ok()
        .flatten();
    let essence = kind.and_then(|kind| kind.split(';').next());
    if !essence.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        let detail = "the body must be JSON, and Content-Type: application/json say so";
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Problem::new(status, "not-json", detail));
    }
    let _reading = timeout(PATIENCE, desk.read()).await.map_err(|_| {
        let detail = "too many bodies are being read: send each at once";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail)
    })?;
    let body = read_body(request.into_body(), BODY_LIMIT, PATIENCE).await;
    let body = body.map_err(|error| {
        let code = match error {
            BodyError::TooLong(_) => "too-long",
            BodyError::Late => "too-late",
            BodyError::Broken => "malformed",
        };
        Problem::new(error.status(), code, error.to_string())
    })?;
    // serde would take a list of values for an object without keys.
    if body.trim_ascii_start().first() == Some(&b'[') {
        return Err(Problem::malformed("the body must be a JSON object"));
    }
    serde_json::from_slice(&body).map_err(|error| {
        // What serde says may quote a value, and a value may be a ticket.
        Problem::malformed(format!(
            "the body is not as /openapi.json has it, at line {} column {}",
            error.line(),
            error.column()
        ))
    })
}

impl From<Unfit> for Problem {
    fn from(unfit: Unfit) -> Problem {
        Problem::malformed(unfit.to_string())
    }
}

impl From<Replaced> for Problem {
    fn from(Replaced: Replaced) -> Problem {
        let detail = "another game server has come to this door in the place of this one: end it, or \
                      give each a door of its own";
        Problem::new(StatusCode::CONFLICT, "replaced", detail)
    }
}

/// There is nothing of this name.
pub(super) fn unknown(what: &str) -> Problem {
    let detail = format!(
        "there is no {what} of this name, or not any more: names are those that Usher gave, and \
         only as long as it runs"
    );
    Problem::new(StatusCode::NOT_FOUND, "unknown", detail)
}
