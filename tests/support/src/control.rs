//! What `/fake/...` does with any stand-in that is run by hand: faults, absence, the log of calls.
//! What a stand-in holds is scripted by its own.

use crate::fault::Fault;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::shared::{Shared, Vanish};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Answers a request to `/fake/...`; `None` for what is the stand-in's own.
pub(crate) fn answer(shared: &Arc<Shared>, request: &Request) -> Option<Reply> {
    let body = request.json().unwrap_or_default();
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/fake/calls") => Some(calls(shared)),
        ("POST", "/fake/fault") => Some(match Fault::read(&body) {
            Ok(fault) => {
                shared.faults().add(fault);
                Reply::done()
            }
            Err(problem) => Reply::message(400, problem),
        }),
        ("DELETE", "/fake/fault") => {
            shared.faults().clear();
            Some(Reply::done())
        }
        ("POST", "/fake/gone") => {
            shared.vanish(seconds(&body), Vanish::Listener);
            Some(Reply::done())
        }
        ("POST", "/fake/die") => {
            shared.vanish(seconds(&body), Vanish::Everything);
            Some(Reply::done())
        }
        _ => None,
    }
}

/// Refuses what has a key that nobody reads: a misspelt one would be left out in silence.
pub(crate) fn misspelt(body: &Value, known: &[&str]) -> Option<Reply> {
    let keys = body.as_object()?.keys();
    let unknown = keys
        .into_iter()
        .find(|key| !known.contains(&key.as_str()))?;
    let known = known.join(", ");
    let problem = format!("there is no key {unknown:?}; there are: {known}");
    Some(Reply::message(400, problem))
}

fn seconds(body: &Value) -> Duration {
    Duration::from_secs(body["seconds"].as_u64().unwrap_or(10))
}

fn calls(shared: &Shared) -> Reply {
    let calls = shared.calls().all();
    let lines: Vec<_> = calls
        .iter()
        .map(|call| {
            json!({
                "method": call.method,
                "path": call.path,
                "query": call.query,
                "body": call.body,
                "seconds_ago": call.at.elapsed().as_secs_f64(),
            })
        })
        .collect();
    Reply::json(200, &json!({ "calls": lines }))
}

/// What can be said to any of them.
pub(crate) const HELP: &str = r#"
curl -d '{"path":"/ready","method":"POST","do":"delay","ms":500,"skip":0,"times":1}' $BASE/fake/fault
    do: delay, late (done at once, answered later), silence, mute (done, never answered), close, lose
    (done, closed), drip (a byte every ms), cut (after bytes), flood (bytes), page (status),
    say (status, body)
curl -X DELETE $BASE/fake/fault                  behave again
curl -d '{"seconds":10}' $BASE/fake/gone         refuse connections for a while
curl -d '{"seconds":10}' $BASE/fake/die          the same, and close those that are open
curl $BASE/fake/calls                            what was asked
"#;
