//! The routes of the fleet's own supervisor.

use super::integer::integer;
use super::publish::{changed, watch};
use super::state::{Figures, Joinable, State};
use crate::reply::Reply;
use crate::request::Request;
use serde_json::{Map, Value, json};

/// The longest that a label or an annotation may be.
const LONGEST_VALUE: usize = 2048;

/// Answers a request. Every write to a path that there is makes the game integrated, refused ones too.
pub(super) fn answer(state: &mut State, request: &Request) -> Reply {
    let segments = request.segments();
    let path: Vec<&str> = segments.iter().map(String::as_str).collect();
    let reply = match request.method.as_str() {
        "GET" => return read(state, &path).unwrap_or_else(unknown),
        "POST" => post(state, &path, request),
        "PUT" => put(state, &path, request),
        "PATCH" => patch(state, &path, request),
        "DELETE" => delete(state, &path),
        _ => None,
    };
    state.integrated |= reply.is_some();
    reply.unwrap_or_else(unknown)
}

fn unknown() -> Reply {
    Reply::json(501, &json!({ "error": "not_implemented" }))
}

fn read(state: &mut State, path: &[&str]) -> Option<Reply> {
    Some(match path {
        ["gameserver"] => Reply::json(200, &super::view::of(state)),
        ["watch", "gameserver"] => {
            let mut reply = Reply::done();
            reply.content = watch(state);
            reply
        }
        ["v1beta1", "counters", name] => counter(state, name),
        ["v1beta1", "lists", name] => no_list(name),
        ["v1", "backfills"] => Reply::json(200, &json!({ "backfills": state.backfills })),
        ["pingcore", "reservations"] => Reply::json(200, &json!({ "reservations": state.holds() })),
        ["pingcore", "reservations", id] => match state.look_up(id) {
            Some(hold) => Reply::json(200, hold),
            None => Reply::message(404, "reservation not found"),
        },
        ["alpha", "player", "capacity" | "count"] => Reply::json(200, &json!({ "count": "0" })),
        ["alpha", "player", "connected"] => Reply::json(200, &json!({ "list": [] })),
        ["alpha", "player", "connected", _] => Reply::json(200, &json!({ "bool": false })),
        _ => return None,
    })
}

fn post(state: &mut State, path: &[&str], request: &Request) -> Option<Reply> {
    match path {
        ["ready"] => state.make_ready(),
        ["health" | "reserve"] => return Some(Reply::done()),
        ["shutdown"] => state.shut_down(),
        ["allocate"] => state.self_allocate(),
        ["v1", "sessions", id, "ended"] => state.end(id),
        ["v1", "sessions", id, "joinable"] => return Some(joinable(state, id, request)),
        ["alpha", "player", "connect" | "disconnect"] => {
            return Some(Reply::json(200, &json!({ "bool": true })));
        }
        ["v1beta1", "lists", name] => return Some(no_list(name)),
        _ => return None,
    }
    Some(changed(state, Reply::done()))
}

fn put(state: &mut State, path: &[&str], request: &Request) -> Option<Reply> {
    let kind = match path {
        ["metadata", kind @ ("label" | "annotation")] => *kind,
        ["alpha", "player", "capacity"] => return Some(Reply::done()),
        _ => return None,
    };
    let body = request.json().unwrap_or_default();
    let text = |key: &str| body[key].as_str().map(str::to_owned);
    let (Some(key), Some(value)) = (text("key"), text("value")) else {
        return Some(Reply::message(400, "key and value must be strings"));
    };
    if value.len() > LONGEST_VALUE {
        return Some(Reply::message(400, "value must be at most 2048 bytes"));
    }
    match kind {
        "label" => state.labels.insert(key, value),
        _ => state.annotations.insert(key, value),
    };
    Some(changed(state, Reply::done()))
}

fn patch(state: &mut State, path: &[&str], request: &Request) -> Option<Reply> {
    match path {
        ["v1beta1", "counters", name] => {
            let Some(patch) = Patch::read(request) else {
                return Some(Reply::message(
                    400,
                    "count/countDiff/capacity must be integers",
                ));
            };
            let (old, _) = state.counter(name).unwrap_or_default();
            let figures: &mut Figures = state.counters.entry((*name).to_owned()).or_default();
            // A count that is said comes before one that is reckoned.
            let diff = patch.count_diff.map(|diff| old.saturating_add(diff));
            if let Some(count) = patch.count.or(diff) {
                figures.count = Some(count.max(0));
            }
            figures.capacity = patch.capacity.or(figures.capacity);
            let reply = counter(state, name);
            Some(changed(state, reply))
        }
        ["v1beta1", "lists", name] => Some(no_list(name)),
        _ => None,
    }
}

fn delete(state: &mut State, path: &[&str]) -> Option<Reply> {
    let ["v1", "sessions", id, "joinable"] = path else {
        return None;
    };
    let mine = state
        .joinable
        .as_ref()
        .is_some_and(|it| it.session_id == *id);
    if mine {
        state.joinable = None;
    }
    Some(Reply::done())
}

fn counter(state: &State, name: &str) -> Reply {
    match state.counter(name) {
        Some((count, capacity)) => Reply::json(
            200,
            &json!({
                "name": name,
                "count": count.to_string(),
                "capacity": capacity.to_string(),
            }),
        ),
        None => Reply::message(404, format!("counter {name} not found")),
    }
}

fn no_list(name: &str) -> Reply {
    let name = name.split(':').next().unwrap_or(name);
    Reply::message(404, format!("list {name} not found"))
}

/// What a counter's change says.
#[derive(Default)]
struct Patch {
    count: Option<i64>,
    count_diff: Option<i64>,
    capacity: Option<i64>,
}

impl Patch {
    /// `None` if a number is none. A body that is no JSON is taken for `{}`.
    fn read(request: &Request) -> Option<Patch> {
        let body = request.json().unwrap_or_default();
        Some(Patch {
            count: integer(&body["count"])?,
            count_diff: integer(&body["countDiff"])?,
            capacity: integer(&body["capacity"])?,
        })
    }
}

/// Stores the record, and says it back.
fn joinable(state: &mut State, session: &str, request: &Request) -> Reply {
    let body = request.json().unwrap_or_default();
    let Some(open_seats) = body["openSeats"].as_u64() else {
        return Reply::message(400, "openSeats must be a non-negative integer");
    };
    let positive = |key: &str| body[key].as_u64().filter(|&it| it > 0);
    let queue = body["queue"].as_str().map(str::trim).unwrap_or_default();
    let record = Joinable {
        queue: if queue.is_empty() { "default" } else { queue }.to_owned(),
        open_seats,
        session_size: positive("sessionSize"),
        attributes: attributes(&body["attributes"]),
        session_id: session.to_owned(),
        ttl_seconds: positive("ttlSeconds"),
    };
    let reply = Reply::json(200, &record);
    state.joinable = Some(record);
    reply
}

fn attributes(value: &Value) -> Option<Map<String, Value>> {
    let mut attributes = value.as_object()?.clone();
    attributes.retain(|_, value| !value.is_null());
    Some(attributes)
}
