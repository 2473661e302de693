//! What `/fake/...` does with any stand-in that is run by hand: faults, absence, the log of calls.
//! What a stand-in holds is scripted by its own.

use crate::fault::{Fault, What};
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
        ("POST", "/fake/fault") => Some(match fault(&body) {
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

/// Reads `{"path": "/ready", "do": "delay", "ms": 500}`; `method`, `skip` and `times` may be there too.
fn fault(body: &Value) -> Result<Fault, String> {
    let number = |key: &str| body[key].as_u64();
    let pause = Duration::from_millis(number("ms").unwrap_or(1000));
    let bytes = number("bytes").and_then(|it| usize::try_from(it).ok());
    let status = number("status").and_then(|it| u16::try_from(it).ok());
    let what = match body["do"].as_str().unwrap_or_default() {
        "delay" => What::Delay(pause),
        "late" => What::Late(pause),
        "silence" => What::Silence,
        "mute" => What::Mute,
        "close" => What::Close,
        "lose" => What::Lose,
        "drip" => What::Drip(pause),
        "cut" => What::Cut(bytes.unwrap_or(1)),
        "flood" => What::Flood(bytes.unwrap_or(8 << 20)),
        "page" => What::page(status.unwrap_or(404)),
        "say" => What::json(status.unwrap_or(500), body["body"].to_string()),
        other => return Err(format!("{other:?} is no fault: see GET /fake")),
    };
    let mut fault = Fault::at(body["path"].as_str().unwrap_or_default(), what);
    if let Some(method) = body["method"].as_str() {
        fault = fault.method(method);
    }
    let calls = |key: &str| number(key).and_then(|it| u32::try_from(it).ok());
    fault = fault.skip(calls("skip").unwrap_or(0));
    Ok(match calls("times") {
        Some(times) => fault.times(times),
        None => fault,
    })
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
