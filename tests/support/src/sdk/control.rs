//! What `/fake/...` does with an endpoint that is run by hand: allocations, holds, backfills.

use super::hold::{Backfill, Hold};
use super::publish::changed;
use super::shared::Sdk;
use super::view;
use crate::control::{HELP, misspelt};
use crate::reply::Reply;
use crate::request::Request;
use crate::{context, text};
use serde_json::{Value, json};
use std::time::Duration;

/// What can be said of an allocation, a hold or a backfill.
const KEYS: [&str; 8] = [
    "id", "context", "tickets", "session", "seats", "players", "seconds", "after",
];

/// Answers a request to `/fake/<rest>`.
pub(super) fn answer(sdk: &Sdk, rest: &str, request: &Request) -> Reply {
    let body = request.json().unwrap_or_default();
    if let Some(refused) = misspelt(&body, &KEYS) {
        return refused;
    }
    let id = body["id"].as_str().unwrap_or_default();
    let mut state = sdk.state();
    match (request.method.as_str(), rest) {
        ("GET", "") => return Reply::new(200, "text/plain", help()),
        ("GET", "state") => {
            let holds: Vec<_> = state.holds().into_iter().cloned().collect();
            return Reply::json(
                200,
                &json!({
                    "view": view::of(&state),
                    "holds": holds,
                    "backfills": state.backfills,
                    "joinable": state.joinable,
                    "integrated": state.integrated,
                    "draining": state.draining(),
                    "watches": state.watches(),
                }),
            );
        }
        ("POST", "clear") => state.clear_allocation(),
        ("POST", "shutdown") => state.shut_down(),
        ("POST", "undo-shutdown") => state.undo_shut_down(),
        ("POST", "allocate" | "hold" | "release" | "expire" | "backfill") if id.is_empty() => {
            return Reply::message(400, "there must be an id: {\"id\":\"...\"}");
        }
        ("POST", "allocate") => {
            let context = match &body["context"] {
                Value::Null => {
                    let tickets = tickets(&body);
                    match tickets.is_empty() {
                        true => context::rosterless(),
                        false => context::matchmaker(&tickets),
                    }
                }
                context => context.clone(),
            };
            state.allocate(id, Some(&context.to_string()));
        }
        ("POST", "hold") => {
            let after = body["after"].as_u64().unwrap_or(0);
            state.keep(hold(id, &body), u32::try_from(after).unwrap_or(u32::MAX));
            return Reply::done();
        }
        ("POST", "release") => {
            state.release(id);
            return Reply::done();
        }
        ("POST", "expire") => {
            state.expire(id, false);
            return Reply::done();
        }
        ("POST", "backfill") => {
            let current = state.allocation_id().unwrap_or_default();
            let session = body["session"].as_str().unwrap_or(current);
            let backfill = Backfill::new(id, session, &tickets(&body));
            state.backfills.push(backfill);
        }
        _ => return Reply::message(404, format!("there is no /fake/{rest}: see GET /fake/")),
    }
    changed(&mut state, Reply::done())
}

/// `{"tickets": {"t1": 2}}`: tickets and how many each brings in.
fn tickets(body: &Value) -> Vec<(&str, u32)> {
    let tickets = body["tickets"].as_object().into_iter().flatten();
    tickets
        .filter_map(|(ticket, size)| {
            let size = u32::try_from(size.as_u64()?).ok()?;
            Some((ticket.as_str(), size))
        })
        .collect()
}

fn hold(id: &str, body: &Value) -> Hold {
    let players = body["players"].as_array();
    let hold = match players {
        Some(players) => {
            let names: Vec<_> = players.iter().filter_map(Value::as_str).collect();
            Hold::named(id, &names)
        }
        None => {
            let seats = body["seats"].as_u64().and_then(|it| u32::try_from(it).ok());
            Hold::open(id, seats.unwrap_or(1))
        }
    };
    match body["seconds"].as_u64() {
        Some(seconds) => hold.lasting(Duration::from_secs(seconds)),
        None => hold,
    }
}

fn help() -> String {
    let id = format!("match-{}", text::now_ms() % 1000);
    format!(
        r#"Script the endpoint from another terminal, with BASE=http://127.0.0.1:PORT:

curl -d '{{"id":"r-1","seats":2}}' $BASE/fake/hold               a hold for whoever has its id
curl -d '{{"id":"r-2","players":["p1"],"seconds":60}}' $BASE/fake/hold    one for these players
curl -d '{{"id":"r-1"}}' $BASE/fake/release                      it is gone (or /fake/expire)
curl -d '{{"id":"{id}","tickets":{{"t1":2}}}}' $BASE/fake/allocate   a match, with a roster
curl -d '{{"id":"b-1","tickets":{{"t2":1}}}}' $BASE/fake/backfill      a backfill for it
curl -X POST $BASE/fake/clear                                  the allocation is taken back
curl -X POST $BASE/fake/shutdown                               shut down (or /fake/undo-shutdown)
curl $BASE/fake/state                                          what it holds
{HELP}"#
    )
}
