//! Answers that do not end at once: server-sent events.

use super::asking::Asking;
use super::parts::{Asked, asked};
use crate::doors::http::api::{Answer, Behind, Problem};
use crate::doors::http::desk::Desk;
use crate::web::single;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use serde_json::json;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep_until};

/// The longest that a stream lasts: whoever still listens opens another.
const LASTS: Duration = Duration::from_secs(300);

/// How often something is sent, so that it shows when nobody listens any more.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// What ends a stream, beside that there is nothing more to tell.
struct Ending {
    until: Instant,
    stopping: watch::Receiver<bool>,
    _held: OwnedSemaphorePermit,
}

impl Ending {
    fn new(desk: &Desk) -> Result<Ending, Problem> {
        let held = desk.hold().ok_or_else(|| {
            let detail = "there are too many streams: poll with ?wait= in place of this one";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail)
        })?;
        Ok(Ending {
            until: Instant::now() + LASTS,
            stopping: desk.watch_stopping(),
            _held: held,
        })
    }

    async fn comes(&mut self) {
        tokio::select! {
            () = sleep_until(self.until) => {}
            _ = self.stopping.wait_for(|stopping| *stopping) => {}
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // There is nothing in it that JSON could not carry, and JSON is one line.
    let data = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(data)
}

fn respond(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let alive = KeepAlive::new().interval(SIGN_OF_LIFE);
    Sse::new(events).keep_alive(alive).into_response()
}

/// How a request stands, until it has its answer.
pub(super) fn request_events(desk: &Desk, asking: Asking) -> Result<Response, Problem> {
    /// One that listens to how a request stands.
    struct Asker {
        asking: Asking,
        ending: Ending,
        last: Option<Arc<Answer>>,
    }
    let listener = Asker {
        asking,
        ending: Ending::new(desk)?,
        last: None,
    };
    let events = stream::unfold(listener, |mut listener| async move {
        let answer = match &listener.last {
            None => listener.asking.answer(Duration::ZERO, None).await,
            Some(last) if last.is_final() => return None,
            Some(_) => tokio::select! {
                biased;
                answer = listener.asking.next() => answer?,
                () = listener.ending.comes() => return None,
            },
        };
        listener.last = Some(answer.clone());
        Some((Ok(event(answer.word(), &*answer)), listener))
    });
    Ok(respond(events))
}

/// One that listens to what ends.
struct Listener {
    desk: Arc<Desk>,
    ending: Ending,
    more: watch::Receiver<u64>,
    after: Option<String>,
    unsent: VecDeque<Event>,
}

impl Listener {
    /// Takes up what has ended since.
    fn read(&mut self) {
        self.more.borrow_and_update();
        let (read, ids) = self.desk.with(|book, _| {
            let read = book.endings(self.after.as_deref());
            book.told_endings(read.next);
            let first = read.next - u64::try_from(read.ended.len()).unwrap_or(0);
            let ids: Vec<String> = (first..=read.next).map(|id| book.place(id)).collect();
            (read, ids)
        });
        self.after = ids.last().cloned();
        if read.missed {
            let id = ids.first().cloned().unwrap_or_default();
            self.unsent.push_back(event("missed", &json!({})).id(id));
        }
        let ids = ids.into_iter().skip(1);
        let ended = read.ended.iter().zip(ids);
        self.unsent
            .extend(ended.map(|(ended, id)| event("ended", ended).id(id)));
    }

    async fn next(&mut self) -> Option<Event> {
        let mut over = false;
        loop {
            if let Some(event) = self.unsent.pop_front() {
                return Some(event);
            }
            self.read();
            if !self.unsent.is_empty() {
                continue;
            }
            self.desk.note_told();
            if over {
                return None;
            }
            tokio::select! {
                changed = self.more.changed() => changed.ok()?,
                // What came at the same moment is still told.
                () = self.ending.comes() => over = true,
            }
        }
    }
}

/// `GET /v1/events`.
pub(super) async fn follow(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    query: Asked<Behind>,
) -> Result<Response, Problem> {
    let given = asked(query)?;
    let given = given.after()?.map(str::to_owned);
    let last = single(&headers, "last-event-id").ok().flatten();
    let listener = Listener {
        ending: Ending::new(&desk)?,
        more: desk.with(|book, _| book.watch_endings()),
        desk,
        after: last.map(str::to_owned).or(given),
        unsent: VecDeque::new(),
    };
    let events = stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok(event), listener))
    });
    Ok(respond(events))
}
