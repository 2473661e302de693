//! What `/fake/...` does with a Discovery that is run by hand: reservations, answers to heartbeats.

use super::state::{HeartbeatAnswer, Reservation, State};
use crate::control::{HELP, misspelt};
use crate::reply::Reply;
use crate::request::Request;
use serde_json::{Value, json};
use std::time::Duration;

/// What can be said of a reservation, a verdict or an answer to a heartbeat.
const KEYS: [&str; 9] = [
    "id",
    "seats",
    "players",
    "server",
    "seconds",
    "answer",
    "yes",
    "status",
    "retryAfter",
];

/// Answers a request to `/fake/<rest>`.
pub(super) fn answer(state: &mut State, rest: &str, request: &Request) -> Reply {
    let body = request.json().unwrap_or_default();
    if let Some(refused) = misspelt(&body, &KEYS) {
        return refused;
    }
    let id = body["id"].as_str().unwrap_or_default();
    match (request.method.as_str(), rest) {
        ("GET", "") => return Reply::new(200, "text/plain", help()),
        ("GET", "state") => {
            let figures = json!({
                "listed": state.listed,
                "lastHeartbeat": state.beat,
                "verdictsOnly": state.verdicts_only,
            });
            return Reply::json(200, &figures);
        }
        ("POST", "reserve" | "release" | "verify") if id.is_empty() => {
            return Reply::message(400, "there must be an id: {\"id\":\"...\"}");
        }
        ("POST", "reserve") => state.reserve(reservation(id, &body)),
        ("POST", "release") => state.release(id),
        ("POST", "verify") => {
            state.scripted.insert(id.to_owned(), body["answer"].clone());
        }
        ("POST", "verdicts-only") => {
            state.verdicts_only = body["yes"].as_bool().unwrap_or(true);
        }
        ("POST", "heartbeat") => {
            let status = body["status"]
                .as_u64()
                .and_then(|it| u16::try_from(it).ok());
            let answer = match (status, body["retryAfter"].as_u64()) {
                (Some(429), after) => HeartbeatAnswer::TooMany(after.unwrap_or(1)),
                (Some(409), _) => HeartbeatAnswer::OverTheCap,
                (Some(status), _) => HeartbeatAnswer::Refused(status, json!({ "error": true })),
                (None, _) => HeartbeatAnswer::Accepted,
            };
            state.beats.push_back(answer);
        }
        _ => return Reply::message(404, format!("there is no /fake/{rest}: see GET /fake/")),
    }
    Reply::done()
}

fn reservation(id: &str, body: &Value) -> Reservation {
    let mut reservation = match body["players"].as_array() {
        Some(players) => {
            let names: Vec<_> = players.iter().filter_map(Value::as_str).collect();
            Reservation::named(id, &names)
        }
        None => {
            let seats = body["seats"].as_u64().and_then(|it| u32::try_from(it).ok());
            Reservation::open(id, seats.unwrap_or(1))
        }
    };
    reservation.server = body["server"].as_str().map(str::to_owned);
    match body["seconds"].as_u64() {
        Some(seconds) => reservation.lasting(Duration::from_secs(seconds)),
        None => reservation,
    }
}

fn help() -> String {
    format!(
        r#"Script Discovery from another terminal, with BASE=http://127.0.0.1:PORT:

curl -d '{{"id":"r-1","seats":2}}' $BASE/fake/reserve            for whoever has its id
curl -d '{{"id":"r-2","players":["p1"],"seconds":60}}' $BASE/fake/reserve   for these players
curl -d '{{"id":"r-1"}}' $BASE/fake/release                      it is gone
curl -d '{{"id":"r-3","answer":{{"error":false,"valid":true}}}}' $BASE/fake/verify   always say this
curl -d '{{"yes":true}}' $BASE/fake/verdicts-only                say no more than valid or not
curl -d '{{"status":429,"retryAfter":3}}' $BASE/fake/heartbeat   of the next heartbeat
curl $BASE/fake/state                                          who is listed
{HELP}"#
    )
}
