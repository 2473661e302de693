//! `GET /v1/status`: how things stand, as JSON. The shape is a promise to scripts; it only grows.

use super::host::{BucketStatus, DoorStatus, Host, ModuleStatus, Modules};
use crate::evidence::SourcesStatus;
use crate::text::push_json;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::Duration;
use usher_core::Report;

/// How things stand.
#[derive(Debug, Serialize)]
pub(super) struct Status {
    players: Players,
    pending: Pending,
    ledger: Ledger,
    /// Endpoints bound.
    endpoints: u32,
    doors: Vec<DoorStatus>,
    policies: Vec<ModuleStatus>,
    rules: Vec<ModuleStatus>,
    buckets: Vec<BucketStatus>,
    evidence: SourcesStatus,
    requests: Vec<Request>,
    sessions: Vec<Session>,
}

#[derive(Debug, Serialize)]
struct Players {
    connected: u32,
    max: u32,
}

#[derive(Debug, Serialize)]
struct Pending {
    total: u32,
    deciding: u32,
    waiting: u32,
    max: u32,
}

#[derive(Debug, Serialize)]
struct Ledger {
    claims: u32,
}

#[derive(Debug, Serialize)]
struct Request {
    id: u64,
    door: String,
    address: SocketAddr,
    state: &'static str,
    waited_ms: u64,
}

#[derive(Debug, Serialize)]
struct Session {
    id: u64,
    /// The player number, where the door's protocol has one.
    player: Option<u32>,
    name: String,
    door: String,
    address: SocketAddr,
    bound: bool,
    connected_ms: u64,
}

impl Status {
    pub(super) fn new(host: &impl Host, report: Report, modules: Modules) -> Status {
        let request = |request: usher_core::ReportRequest| Request {
            id: request.id.0,
            door: host.door_name(request.door),
            address: request.peer,
            state: request.state,
            waited_ms: millis(request.waited),
        };
        let session = |session: usher_core::ReportSession| Session {
            id: session.id.0,
            player: session.number,
            name: session.name.to_string(),
            door: host.door_name(session.door),
            address: session.peer,
            bound: session.bound,
            connected_ms: millis(session.connected),
        };
        Status {
            players: Players {
                connected: report.connected,
                max: report.max_players,
            },
            pending: Pending {
                total: report.pending,
                deciding: report.deciding,
                waiting: report.waiting,
                max: report.max_pending,
            },
            ledger: Ledger {
                claims: report.claims,
            },
            endpoints: report.endpoints,
            doors: host.doors(),
            policies: modules.policies,
            rules: modules.rules,
            buckets: modules.buckets,
            evidence: host.evidence(),
            requests: report.requests.into_iter().map(request).collect(),
            sessions: report.sessions.into_iter().map(session).collect(),
        }
    }

    /// As JSON. Players choose their names, and operators look at them in a terminal.
    pub(super) fn to_json(&self) -> String {
        let json = serde_json::to_string(self).expect(
            "it has no map with keys that are no strings, and writing to a string does not fail",
        );
        let mut shown = String::with_capacity(json.len());
        push_json(&json, &mut shown);
        shown
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
