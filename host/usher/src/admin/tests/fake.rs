//! A host that is made of answers.

use crate::admin::{
    ActionError, BucketStatus, DoorStatus, Host, Loaded, ModuleStatus, Modules, RecheckStatus,
};
use crate::evidence::{ListingStatus, SourcesStatus};
use crate::metrics::Counts;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use usher_core::{DoorId, Reason, Report, ReportRequest, ReportSession, RequestId, SessionId};

#[derive(Default)]
pub(super) struct Fake {
    pub(super) draining: AtomicBool,
}

impl Host for Fake {
    fn draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    async fn report(&self) -> Option<Report> {
        Some(Report {
            connected: 1,
            max_players: 4,
            pending: 1,
            deciding: 0,
            waiting: 1,
            max_pending: 32,
            claims: 3,
            endpoints: 1,
            timers: 2,
            requests: vec![ReportRequest {
                id: RequestId(8),
                door: DoorId(0),
                peer: "192.0.2.8:4000".parse().expect("an address"),
                state: "waiting",
                waited: Duration::from_millis(1500),
            }],
            sessions: vec![ReportSession {
                id: SessionId(7),
                number: Some(2),
                name: "R9\u{9b}2J\u{202e}".into(),
                door: DoorId(0),
                peer: "[2001:db8::7]:4000".parse().expect("an address"),
                bound: true,
                connected: Duration::from_secs(61),
            }],
        })
    }

    fn modules(&self) -> Modules {
        Modules {
            policies: vec![ModuleStatus {
                name: "rtyp".to_owned(),
                module: "builtin:rtyp".to_owned(),
                generation: 2,
                sha256: "ab".repeat(32),
                state: "ok",
                fail: "closed",
                last_error: None,
                recheck: Some(RecheckStatus {
                    at: 1_767_225_600_000,
                    forced: false,
                    seated: 9,
                    refused: 4,
                    ended: 0,
                    unanswered: 1,
                    stopped: true,
                }),
                calls: 11,
                faults: 1,
            }],
            rules: Vec::new(),
            buckets: vec![BucketStatus {
                name: "bans".to_owned(),
                file: Some("bans.txt".to_owned()),
                state: "failed-to-load",
                entries: 12,
                put: 1,
                loaded_at: 1_767_225_600_000,
                last_error: Some("bans.txt is not there".to_owned()),
            }],
        }
    }

    fn evidence(&self) -> SourcesStatus {
        SourcesStatus {
            mode: "self-hosted",
            why: "[discovery] has a token",
            discovery: Some(ListingStatus {
                state: "listed",
                server_id: Some("a:1".to_owned()),
                last_error: None,
            }),
            sdk: None,
        }
    }

    fn counts(&self) -> Counts {
        Counts {
            knocks_shed: 5,
            audit_lost: 6,
        }
    }

    fn doors(&self) -> Vec<DoorStatus> {
        vec![DoorStatus {
            name: "main".to_owned(),
            protocol: "mafianet",
            peers: [("pending", 1), ("closing", 0)].into(),
            held_bytes: 9,
        }]
    }

    fn door_name(&self, _: DoorId) -> String {
        "main".to_owned()
    }

    async fn reload(&self, name: &str) -> Result<Loaded, ActionError> {
        match name {
            "rtyp" => Ok(Loaded {
                generation: 3,
                sha256: "cd".repeat(32),
                changed: true,
            }),
            "broken" => Err(ActionError::Refused("broken: is empty".to_owned())),
            _ => Err(ActionError::Unknown(name.to_owned())),
        }
    }

    async fn rollback(&self, name: &str) -> Result<Loaded, ActionError> {
        Err(ActionError::NothingOlder(name.to_owned()))
    }

    fn recheck(&self, name: &str, forced: bool) -> Result<(), ActionError> {
        match (name, forced) {
            ("rtyp", true) | ("bans", false) => Ok(()),
            _ => Err(ActionError::Unknown(name.to_owned())),
        }
    }

    async fn kick(&self, session: SessionId, reason: Reason) -> bool {
        session == SessionId(7) && &*reason.code == "kicked" && reason.text.len() < 6
    }
}
