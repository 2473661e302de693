//! What Discovery answers to a game server.

use super::state::{HeartbeatAnswer, State};
use crate::reply::Reply;
use crate::request::Request;
use serde_json::{Value, json};

/// The address from which every server seems to come.
const SEEN_FROM: &str = "203.0.113.10";

/// The longest player id that names somebody.
const LONGEST_PLAYER: usize = 128;

/// Answers a request, once it showed the token.
pub(super) fn answer(state: &mut State, request: &Request) -> Reply {
    if request.bearer.as_deref() != Some(&state.token) {
        return problem(401, "unauthorized");
    }
    let segments = request.segments();
    let path: Vec<&str> = segments.iter().map(String::as_str).collect();
    match (request.method.as_str(), path.as_slice()) {
        ("GET", ["v1", "reservations", "verify", id]) => verify(state, id, request),
        ("POST", ["v1", "heartbeat"]) => heartbeat(state, request),
        ("DELETE", ["v1", "servers", id]) => {
            if state.listed.as_deref() != Some(id) {
                return problem(404, "server_not_found");
            }
            state.listed = None;
            Reply::json(200, &json!({ "error": false }))
        }
        _ => problem(404, "not_found"),
    }
}

fn problem(status: u16, message: &str) -> Reply {
    Reply::json(status, &json!({ "error": true, "message": message }))
}

fn verify(state: &mut State, id: &str, request: &Request) -> Reply {
    let server = request.parameter("serverId").unwrap_or_default();
    let player = request.parameter("playerId").unwrap_or_default();
    let named = player.chars().count() <= LONGEST_PLAYER;
    let player = if named { player.as_str() } else { "" };
    Reply::json(200, &state.verify(id, &server, player))
}

fn heartbeat(state: &mut State, request: &Request) -> Reply {
    let answer = state.beats.pop_front();
    let answer = answer.unwrap_or(HeartbeatAnswer::Accepted);
    match &answer {
        HeartbeatAnswer::Accepted => {}
        HeartbeatAnswer::Refused(status, _) => return Reply::json(*status, &answer.body()),
        HeartbeatAnswer::TooMany(seconds) => {
            return Reply::json(429, &answer.body()).header("retry-after", seconds.to_string());
        }
        HeartbeatAnswer::OverTheCap => return Reply::json(409, &answer.body()),
    }
    let body = request.json().unwrap_or_default();
    let whole = |key: &str| body[key].as_u64();
    let (Some(port), Some(_), Some(_), Some(_)) = (
        whole("port"),
        body["name"].as_str(),
        whole("players"),
        whole("maxPlayers"),
    ) else {
        return problem(400, "name, port, players and maxPlayers are needed");
    };
    let ip = body["ip"].as_str().unwrap_or(SEEN_FROM).to_owned();
    let server = match &body["serverId"] {
        Value::String(id) => id.clone(),
        _ => format!("{ip}:{port}"),
    };
    state.listed = Some(server.clone());
    state.beat = body;
    Reply::json(
        200,
        &json!({
            "error": false,
            "serverId": server,
            "ip": ip,
            "expiresIn": 90,
            "verificationMode": "none",
            "verified": false,
            "lastProbeError": null,
        }),
    )
}
