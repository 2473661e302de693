//! The calls about sessions.

use super::parts::{Asked, Name, asked, body, key, name, unknown};
use super::requests::reused;
use crate::doors::http::api::{
    After, End, EndHow, Ended, Endings, Lease, NewLocal, Problem, Session, SessionState, Sessions,
};
use crate::doors::http::book::{Life, NotLocal, Replaced, Stage, Unknown};
use crate::doors::http::desk::Desk;
use axum::Json;
use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use usher_core::Departure;

/// How long the core may take to carry something out. It takes microseconds, unless the host stops.
const CORE_PATIENCE: Duration = Duration::from_secs(5);

/// Where a session stands, once that is what was asked for, or it is over.
async fn reached(
    stage: Result<watch::Receiver<Stage>, Unknown>,
    wanted: impl Fn(&Stage) -> bool,
) -> Result<Stage, Problem> {
    let mut stage = stage.map_err(|Unknown| unknown("session"))?;
    let reached = stage.wait_for(|stage| wanted(stage) || matches!(stage, Stage::Over(_)));
    match timeout(CORE_PATIENCE, reached).await {
        Ok(Ok(stage)) => Ok(stage.clone()),
        _ => Err(Problem::stopping()),
    }
}

/// `GET /v1/sessions`.
pub(super) async fn list(State(desk): State<Arc<Desk>>) -> Json<Sessions> {
    Json(desk.with(|book, now| Sessions {
        sessions: book.list(now),
        next: book.place(*book.watch_endings().borrow()),
    }))
}

/// `POST /v1/sessions/local`.
pub(super) async fn begin_local(
    State(desk): State<Arc<Desk>>,
    Extension(life): Extension<Life>,
    request: Request,
) -> Result<Json<Session>, Problem> {
    let key = key(request.headers())?;
    let new: NewLocal = body(&desk, request).await?;
    let player = new.name()?;
    let session = desk.with(|book, now| {
        book.check(life)?;
        let session = book.local(key, player, now);
        Ok::<_, Replaced>(session.map(|session| book.session(&session, now)))
    })?;
    match session {
        // It is listed, because it was begun under the same lock.
        Ok(session) => session.map(Json).ok_or_else(|| unknown("session")),
        Err(NotLocal::Reused) => Err(reused()),
        Err(NotLocal::Over) => {
            let detail = "the session of this key has ended: take a new key for a new one";
            Err(Problem::new(StatusCode::GONE, "session-over", detail))
        }
        Err(NotLocal::Full) => {
            let detail = "there are 16 local sessions: end one first";
            Err(Problem::new(StatusCode::CONFLICT, "enough", detail))
        }
    }
}

/// `POST /v1/sessions/{id}/confirm`.
pub(super) async fn confirm(
    State(desk): State<Arc<Desk>>,
    Extension(life): Extension<Life>,
    id: Name,
) -> Result<Json<Session>, Problem> {
    let name = name(id);
    let stage = desk.with(|book, _| {
        book.check(life)?;
        Ok::<_, Replaced>(book.confirm(&name))
    })?;
    let stage = reached(stage, |stage| *stage == Stage::Confirmed).await?;
    let listed = desk.with(|book, now| book.session(&name, now));
    match (stage, listed) {
        (Stage::Confirmed, Some(session)) if session.state != SessionState::Unconfirmed => {
            Ok(Json(session))
        }
        _ => {
            let detail = "the session has ended: send the player away";
            Err(Problem::new(StatusCode::GONE, "session-over", detail))
        }
    }
}

/// `POST /v1/sessions/{id}/end`.
pub(super) async fn end(
    State(desk): State<Arc<Desk>>,
    Extension(life): Extension<Life>,
    id: Name,
    request: Request,
) -> Result<Json<Ended>, Problem> {
    let name = name(id);
    let end: End = body(&desk, request).await?;
    let how = match end.how {
        EndHow::Left => Departure::Left,
        EndHow::Dropped => Departure::Dropped,
    };
    let stage = desk.with(|book, now| {
        book.check(life)?;
        Ok::<_, Replaced>(book.end(&name, how, now))
    })?;
    match reached(stage, |_| false).await? {
        Stage::Over(ended) => Ok(Json(ended)),
        _ => Err(Problem::stopping()),
    }
}

/// `GET /v1/endings`.
pub(super) async fn endings(
    State(desk): State<Arc<Desk>>,
    query: Asked<After>,
) -> Result<Json<Endings>, Problem> {
    let query = asked(query)?;
    let (until, after) = (Instant::now() + query.wait()?, query.after()?);
    let held = desk.hold();
    let (mut stopping, mut more) = (
        desk.watch_stopping(),
        desk.with(|book, _| book.watch_endings()),
    );
    loop {
        more.borrow_and_update();
        let (read, next) = desk.with(|book, _| {
            let read = book.endings(after);
            let next = book.place(read.next);
            book.told_endings(read.next);
            (read, next)
        });
        let in_vain = read.ended.is_empty() && !read.missed;
        let waited = Instant::now() >= until || *stopping.borrow_and_update();
        if !in_vain || waited || held.is_none() {
            desk.note_told();
            return Ok(Json(Endings {
                ended: read.ended,
                next,
                missed: read.missed,
            }));
        }
        let changed = async {
            tokio::select! {
                _ = more.changed() => {}
                _ = stopping.changed() => {}
            }
        };
        let _ = timeout_at(until, changed).await;
    }
}

/// `POST /v1/lease`.
pub(super) async fn renew(State(desk): State<Arc<Desk>>) -> Json<Lease> {
    Json(desk.with(|book, _| book.lease()))
}
