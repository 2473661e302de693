//! The calls about requests.

use super::asking::Asking;
use super::parts::{Asked, Name, asked, body, key, name, unknown};
use super::streams::request_events;
use crate::doors::http::api::{Answer, NewRequest, Problem, Wait, WaitAfter};
use crate::doors::http::book::{Begun, Life, NotBegun, NotGivenUp, Replaced};
use crate::doors::http::desk::Desk;
use axum::Json;
use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;
use usher_core::Digest;

/// How long the first answer may take where the call does not say: most decisions are out by then.
const FIRST_WAIT: Duration = Duration::from_secs(10);

fn respond(answer: &Answer) -> Response {
    let status = match answer.is_final() {
        true => StatusCode::OK,
        false => StatusCode::ACCEPTED,
    };
    (status, Json(answer)).into_response()
}

/// `POST /v1/requests`.
pub(super) async fn begin(
    State(desk): State<Arc<Desk>>,
    Extension(life): Extension<Life>,
    query: Asked<Wait>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.headers())?;
    let wait = asked(query)?.or(FIRST_WAIT)?;
    let new: NewRequest = body(&desk, request).await?;
    let payload = new.payload()?;
    let same = serde_json::to_string(&new).map_err(|_| Problem::malformed("not JSON"))?;
    let (same, id) = (Digest::of(&same), desk.next_request());
    let begun = desk.with(|book, now| {
        book.check(life)?;
        Ok::<_, Replaced>(book.begin(id, key, same, new, payload, now).map(|begun| {
            let (Begun::New(id) | Begun::Known(id)) = begun;
            (id, book.ask(id))
        }))
    })?;
    let (id, watched) = begun.map_err(|error| match error {
        NotBegun::Reused => reused(),
        NotBegun::Busy => {
            let detail =
                "the payloads of those who wait take all the room that there is: try again";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail)
        }
    })?;
    // It is known, because it was begun under the same lock.
    let watched = watched.ok_or_else(|| unknown("request"))?;
    let mut asking = Asking::new(desk, id, watched);
    let answer = asking.answer(wait, None).await;
    Ok(respond(&answer))
}

/// What a key means does not change.
pub(super) fn reused() -> Problem {
    let detail = "this Idempotency-Key was used with another body: take a new key for a new player, \
                  and repeat a call as it was";
    Problem::new(StatusCode::CONFLICT, "key-reused", detail)
}

/// `GET /v1/requests/{id}`.
pub(super) async fn answer(
    State(desk): State<Arc<Desk>>,
    id: Name,
    query: Asked<WaitAfter>,
) -> Result<Response, Problem> {
    let query = asked(query)?;
    let wait = query.wait()?;
    let asking = Asking::begin(&desk, &name(id));
    let mut asking = asking.ok_or_else(|| unknown("request"))?;
    let answer = asking.answer(wait, query.after).await;
    Ok(respond(&answer))
}

/// `GET /v1/requests/{id}/events`.
pub(super) async fn watch(State(desk): State<Arc<Desk>>, id: Name) -> Result<Response, Problem> {
    let asking = Asking::begin(&desk, &name(id));
    request_events(&desk, asking.ok_or_else(|| unknown("request"))?)
}

/// `DELETE /v1/requests/{id}`.
pub(super) async fn give_up(
    State(desk): State<Arc<Desk>>,
    Extension(life): Extension<Life>,
    id: Name,
) -> Result<Response, Problem> {
    let name = name(id);
    let given_up = desk.with(|book, now| {
        book.check(life).map_err(|Replaced| NotGivenUp::Replaced)?;
        let id = book.find(&name).ok_or(NotGivenUp::Unknown)?;
        let answer = book.give_up(id, now)?;
        // Who gives up is told how it stands, as who asks is.
        book.ask(id);
        book.asked(id, answer.is_final(), now);
        Ok(answer)
    });
    match given_up {
        Ok(answer) => {
            desk.note_told();
            Ok(respond(&answer))
        }
        Err(NotGivenUp::Replaced) => Err(Replaced.into()),
        Err(NotGivenUp::Unknown) => Err(unknown("request")),
        Err(NotGivenUp::Confirmed) => {
            let detail = "the player is in: POST /v1/sessions/{id}/end when it is gone";
            Err(Problem::new(StatusCode::CONFLICT, "confirmed", detail))
        }
    }
}
