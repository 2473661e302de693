//! The routes of Agones' own local endpoint, whose errors and view differ.

mod errors;
mod lists;

use super::integer::integer;
use super::publish::{changed, push, watch};
use super::shared::Sdk;
use super::state::{Figures, State};
use super::view;
use crate::reply::Reply;
use crate::request::Request;
use errors::{error, failed, misread};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Answers a request.
pub(super) fn answer(sdk: &Arc<Sdk>, request: &Request) -> Reply {
    let segments = request.segments();
    let path: Vec<&str> = segments.iter().map(String::as_str).collect();
    let mut state = sdk.state();
    state.integrated |= !matches!(request.method.as_str(), "GET" | "HEAD") && is_known(&path);
    let reply = match (request.method.as_str(), path.as_slice()) {
        ("GET", ["gameserver"]) => Some(Reply::json(200, &view::of(&state))),
        ("GET", ["watch", "gameserver"]) => {
            let mut reply = Reply::done();
            reply.content = watch(&mut state);
            Some(reply)
        }
        ("POST", ["health"]) => Some(health(request)),
        ("POST", ["ready" | "allocate" | "shutdown"]) if !is_object_or_empty(request) => {
            Some(misread())
        }
        ("POST", ["ready"]) => {
            state.make_ready();
            Some(changed(&mut state, Reply::done()))
        }
        ("POST", ["allocate"]) => {
            state.enter("Allocated");
            Some(changed(&mut state, Reply::done()))
        }
        ("POST", ["shutdown"]) => {
            state.shut_down();
            Some(changed(&mut state, Reply::done()))
        }
        ("POST", ["reserve"]) => Some(reserve(sdk, &mut state, request)),
        ("PUT", ["metadata", kind @ ("label" | "annotation")]) => {
            Some(note(&mut state, kind, request))
        }
        (_, ["v1beta1", "counters", name]) => counter(&mut state, name, request),
        (_, ["v1beta1", "lists", name]) => lists::answer(&mut state, name, request),
        (_, ["alpha", "player", ..]) => Some(failed("PlayerTracking not enabled")),
        _ => None,
    };
    reply.unwrap_or_else(|| {
        if is_known(&path) {
            error(501, 12, "Method Not Allowed")
        } else {
            error(404, 5, "Not Found")
        }
    })
}

fn is_known(path: &[&str]) -> bool {
    matches!(
        path,
        ["gameserver" | "ready" | "allocate" | "shutdown" | "health" | "reserve"]
            | ["watch", "gameserver"]
            | ["metadata", "label" | "annotation"]
            | ["v1beta1", "counters" | "lists", _]
            | ["alpha", "player", ..]
    )
}

fn is_object_or_empty(request: &Request) -> bool {
    request.body.is_empty() || request.json().is_some_and(|body| body.is_object())
}

/// A stream of `{}`; of one with nothing in it only the status is answered.
fn health(request: &Request) -> Reply {
    let mut pings = serde_json::Deserializer::from_slice(&request.body).into_iter::<Value>();
    match pings.next() {
        None => Reply::new(400, "application/json", ""),
        Some(Ok(_)) if pings.all(|ping| ping.is_ok()) => Reply::done(),
        Some(_) => misread(),
    }
}

fn reserve(sdk: &Arc<Sdk>, state: &mut State, request: &Request) -> Reply {
    let body = request.json().unwrap_or_default();
    let Some(seconds) = integer(&body["seconds"]) else {
        return misread();
    };
    let seconds = seconds.and_then(|it| u64::try_from(it).ok()).unwrap_or(0);
    if seconds == 0 {
        // For ever; a reservation that runs already goes on running.
        "Reserved".clone_into(&mut state.phase);
    } else {
        state.enter("Reserved");
        let (turn, sdk) = (state.turn, Arc::clone(sdk));
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            let mut state = sdk.state();
            if state.turn == turn {
                state.enter("Ready");
                push(&mut state);
            }
        });
    }
    changed(state, Reply::done())
}

fn note(state: &mut State, kind: &str, request: &Request) -> Reply {
    let Some(body) = request.json() else {
        return misread();
    };
    let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
    let key = format!("agones.dev/sdk-{}", text("key"));
    match kind {
        "label" => state.labels.insert(key, text("value")),
        _ => state.annotations.insert(key, text("value")),
    };
    changed(state, Reply::done())
}

/// A counter is read or changed: first the capacity, then the count. Nobody who watches is told.
fn counter(state: &mut State, name: &str, request: &Request) -> Option<Reply> {
    let Some((mut count, mut capacity)) = state.counter(name) else {
        return Some(failed(format!("not found. {name} Counter not found")));
    };
    match request.method.as_str() {
        "GET" => {}
        "PATCH" => {
            let Some(body) = request.json() else {
                return Some(misread());
            };
            let read = |key: &str| integer(&body[key]);
            let (Some(new), Some(diff), Some(room)) =
                (read("count"), read("countDiff"), read("capacity"))
            else {
                return Some(misread());
            };
            capacity = room.unwrap_or(capacity);
            count = new.unwrap_or(count);
            count = count.saturating_add(diff.unwrap_or(0));
            if (new.is_some() || diff.is_some()) && !(0..=capacity).contains(&count) {
                return Some(failed(format!(
                    "out of range. Count must be within range [0,Capacity]. Found Count: {count}, \
                     Capacity: {capacity}"
                )));
            }
            let figures = Figures {
                count: Some(count),
                capacity: Some(capacity),
            };
            state.counters.insert(name.to_owned(), figures);
        }
        _ => return None,
    }
    Some(Reply::json(
        200,
        &json!({
            "name": name,
            "count": count.to_string(),
            "capacity": capacity.to_string(),
        }),
    ))
}
