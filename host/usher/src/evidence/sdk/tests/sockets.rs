//! The same over real sockets, with a stand-in that speaks what the fleet's endpoint speaks.

use super::super::endpoint::Local;
use super::super::state::State;
use super::super::{Host, Sdk, wall};
use super::stage::{Noted, found, is_unavailable};
use crate::config::{self, Lifecycle};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use usher_core::{FactAnswer, Secret, Wanted};
use usher_stand_ins::{Backfill, FakeSdk, Fault, Hold, What, context};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Hosted {
    sdk: Arc<Sdk>,
    players: watch::Sender<u32>,
    gate: Noted,
    _parts: JoinSet<()>,
}

impl Hosted {
    /// One that knows the game server.
    async fn watching(endpoint: &FakeSdk, lifecycle: Lifecycle) -> Hosted {
        let settings = config::Sdk {
            lifecycle,
            ..config::Sdk::default()
        };
        Hosted::with(endpoint, settings).await
    }

    async fn with(endpoint: &FakeSdk, settings: config::Sdk) -> Hosted {
        let players = watch::Sender::new(0);
        let gate = Noted::default();
        let mut parts = JoinSet::new();
        let host = Host {
            endpoint: Box::new(Local::new(endpoint.port()).expect("it needs nothing")),
            gate: Box::new(gate.clone()),
            players: players.subscribe(),
            claims: false,
            wall,
        };
        let hosted = Hosted {
            sdk: Sdk::begin(&settings, host, &mut parts),
            players,
            gate,
            _parts: parts,
        };
        hosted.until(|state| state.watching).await;
        hosted
    }

    #[track_caller]
    fn until(&self, so: impl FnMut(&State) -> bool) -> impl Future<Output = ()> {
        let shared = self.sdk.shared.clone();
        async move { assert!(shared.until(PATIENCE, so).await, "it never comes") }
    }

    async fn until_phase(&self, phase: &'static str) {
        self.until(move |state| state.tracking.phase().word() == phase)
            .await;
    }

    async fn hold(&self, id: &str) -> FactAnswer {
        self.sdk.hold(&Secret::new(id), &Wanted::default()).await
    }
}

/// Does not wait long for players.
fn impatient(lifecycle: Lifecycle) -> config::Sdk {
    config::Sdk {
        lifecycle,
        claim_lobby: Duration::from_millis(100),
        ..config::Sdk::default()
    }
}

/// The writes so far, in order.
fn writes(endpoint: &FakeSdk) -> Vec<String> {
    let writes = endpoint.writes().into_iter();
    writes
        .map(|it| format!("{} {}", it.method, it.path))
        .collect()
}

/// Waits until a call like this has come, so many times.
async fn called(endpoint: &Arc<FakeSdk>, method: &'static str, path: &'static str, times: usize) {
    let endpoint = endpoint.clone();
    let waiting = move || {
        endpoint.calls().wait_for(times, method, path);
    };
    tokio::task::spawn_blocking(waiting)
        .await
        .expect("it comes");
}

#[tokio::test]
async fn the_game_server_is_followed_and_nothing_is_written() {
    let endpoint = FakeSdk::start();
    endpoint.fleet_counter("players", 8);
    let hosted = Hosted::watching(&endpoint, Lifecycle::Game).await;
    hosted.sdk.opened();
    endpoint.set_ready();
    hosted.until_phase("ready").await;
    endpoint.allocate("match-1", &context::matchmaker(&[("t1", 2)]));
    hosted.until_phase("in-session").await;
    let told = found(&hosted.sdk.allocation()).expect("it is known");
    assert_eq!(told["current"]["roster"][0]["ticketId"], "t1");
    assert_eq!(told["current"]["cap"], 8);
    hosted.players.send_replace(2);
    endpoint.shut_down();
    hosted.until_phase("shutting-down").await;
    endpoint.undo_shut_down();
    hosted.until_phase("in-session").await;
    assert_eq!(hosted.gate.all(), ["close", "open"]);
    endpoint.clear_allocation();
    hosted.until_phase("ready").await;
    hosted.players.send_replace(0);

    endpoint.hold_after(Hold::open("rsv/1?", 2), 2);
    let hold = found(&hosted.hold("rsv/1?").await).expect("it arrives");
    assert_eq!(hold["seats"], 2);
    assert_eq!(
        endpoint
            .calls()
            .count("GET", "/pingcore/reservations/rsv%2F1%3F"),
        3
    );
    assert_eq!(hosted.hold("rsv-2").await, FactAnswer::Missing);
    endpoint.expire_and_show("rsv/1?");
    assert_eq!(hosted.hold("rsv/1?").await, FactAnswer::Missing);

    hosted.sdk.stop().await;
    assert_eq!(writes(&endpoint), [""; 0]);
    assert!(!endpoint.integrated());
    for call in endpoint.calls().all() {
        assert!(
            call.closes || call.path == "/watch/gameserver",
            "{}",
            call.path
        );
    }
}

#[tokio::test]
async fn a_backfill_is_found_when_it_is_delivered() {
    let endpoint = FakeSdk::start();
    endpoint.allocate("match-1", &json!({}));
    let hosted = Hosted::watching(&endpoint, Lifecycle::Game).await;
    let sdk = hosted.sdk.clone();
    let waiting = tokio::spawn(async move { sdk.backfill("b7e2", &Wanted::default()).await });
    endpoint.deliver_backfill(Backfill::new("b7e2", "match-1", &[("t1", 2)]));
    let told = found(&waiting.await.expect("no panic")).expect("it is delivered");
    assert_eq!(
        told["roster"][0],
        json!({"ticketId": "t1", "partySize": 2, "playerId": null})
    );
}

#[tokio::test]
async fn a_lookup_of_an_endpoint_that_fails_is_never_a_refusal() {
    let endpoint = FakeSdk::start();
    endpoint.hold(Hold::open("rsv-1", 2));
    let hosted = Hosted::watching(&endpoint, Lifecycle::Game).await;
    let path = "/pingcore/reservations";
    for what in [
        What::Close,
        What::Lose,
        What::Cut(40),
        What::Flood(1 << 20),
        What::page(404),
        What::page(200),
        What::page(503),
        What::json(404, r#"{"code":5,"message":"Not Found","details":[]}"#),
        What::json(501, r#"{"error":"not_implemented"}"#),
        What::json(200, "[]"),
        What::json(302, ""),
    ] {
        let shown = format!("{what:?}");
        endpoint.fault(Fault::at(path, what));
        assert!(is_unavailable(&hosted.hold("rsv-1").await), "{shown}");
        endpoint.clear_faults();
    }
    endpoint.fault(Fault::at(path, What::Drip(Duration::from_millis(1))));
    assert!(found(&hosted.hold("rsv-1").await).is_some());
    endpoint.clear_faults();
    endpoint.fault(Fault::at(path, What::Silence));
    assert!(is_unavailable(&hosted.hold("rsv-1").await));
    endpoint.gone();
    assert!(is_unavailable(&hosted.hold("rsv-1").await));
    let said = hosted.sdk.status().last_error.expect("it failed");
    assert!(
        said.what.starts_with("hold: ") && !said.what.contains("rsv"),
        "{}",
        said.what
    );
}

#[tokio::test]
async fn an_endpoint_that_comes_back_is_followed_again() {
    let endpoint = FakeSdk::start();
    endpoint.set_ready();
    let hosted = Hosted::watching(&endpoint, Lifecycle::Game).await;
    endpoint.push_bytes("\r\nnonsense\n{\"result\":{}}\n\n");
    endpoint.die();
    hosted.until(|state| !state.watching).await;
    endpoint.allocate("match-1", &json!({}));
    endpoint.back();
    hosted.until_phase("in-session").await;
    endpoint.end_watches();
    hosted.until(|state| !state.watching).await;
    hosted.until(|state| state.watching).await;
    assert!(hosted.sdk.status().reconnects >= 2);
}

#[tokio::test]
async fn a_session_is_claimed_once_and_ended_when_its_player_leaves() {
    let endpoint = Arc::new(FakeSdk::start());
    endpoint.set_ready();
    let hosted = Hosted::watching(&endpoint, Lifecycle::Game).await;
    let mut wanted = JoinSet::new();
    for _ in 0..20 {
        let sdk = hosted.sdk.clone();
        wanted.spawn(async move { found(&sdk.claim_session().await) });
    }
    while let Some(claim) = wanted.join_next().await {
        assert_eq!(
            claim.expect("no panic"),
            Some(json!({"outcome": "claimed"}))
        );
    }
    assert_eq!(writes(&endpoint), ["POST /allocate"]);
    hosted.players.send_replace(1);
    for _ in 0..19 {
        hosted.sdk.release_claim();
    }
    hosted.until(|state| state.lobby.due().is_none()).await;
    hosted.players.send_replace(0);
    hosted.until_phase("ready").await;
    assert_eq!(endpoint.allocation(), None);
    let writes = writes(&endpoint);
    assert_eq!(writes.len(), 2);
    assert!(
        writes[1].starts_with("POST /v1/sessions/self-"),
        "{writes:?}"
    );
    assert!(writes[1].ends_with("/ended"), "{writes:?}");
}

#[tokio::test]
async fn a_claim_whose_answer_is_lost_counts_when_the_session_is_there_and_is_ended() {
    let endpoint = Arc::new(FakeSdk::start());
    endpoint.set_ready();
    let hosted = Hosted::with(&endpoint, impatient(Lifecycle::Game)).await;
    endpoint.fault(Fault::at("/allocate", What::Lose));
    let claim = hosted.sdk.claim_session().await;
    assert_eq!(found(&claim), Some(json!({"outcome": "claimed"})));
    // Nobody comes.
    hosted.until_phase("ready").await;
    assert_eq!(writes(&endpoint).len(), 2);
    // And one that is not there is not asked for again.
    endpoint.clear_faults();
    endpoint.fault(Fault::at("/allocate", What::Close));
    assert!(is_unavailable(&hosted.sdk.claim_session().await));
    assert!(is_unavailable(&hosted.sdk.claim_session().await));
    assert_eq!(endpoint.calls().count("POST", "/allocate"), 2);
}

#[tokio::test]
async fn where_the_lifecycle_is_ours_the_platform_is_told() {
    let endpoint = Arc::new(FakeSdk::start());
    endpoint.fleet_counter("players", 8);
    let hosted = Hosted::with(&endpoint, impatient(Lifecycle::Usher)).await;
    assert_eq!(writes(&endpoint), [""; 0]);
    hosted.sdk.opened();
    hosted.until_phase("ready").await;
    called(&endpoint, "POST", "/health", 1).await;
    assert!(endpoint.integrated() && !endpoint.draining());
    hosted.players.send_replace(3);
    called(&endpoint, "PATCH", "/v1beta1/counters/players", 2).await;
    endpoint.allocate("match-1", &json!({}));
    hosted.until_phase("in-session").await;
    assert_eq!(endpoint.counter("players"), Some((3, 8)));
    // Someone comes to it, so its last player ends it.
    hosted.players.send_replace(4);
    hosted.until(|state| state.lobby.seated() == 4).await;
    hosted.players.send_replace(0);
    hosted.until_phase("ready").await;
    called(&endpoint, "POST", "/v1/sessions/match-1/ended", 1).await;
    hosted.sdk.stop().await;
    assert_eq!(endpoint.shown_state(), "Shutdown");
}

#[tokio::test]
async fn agones_own_endpoint_is_followed_and_told_too() {
    let endpoint = Arc::new(FakeSdk::agones());
    let hosted = Hosted::with(&endpoint, impatient(Lifecycle::Usher)).await;
    hosted.sdk.opened();
    called(&endpoint, "POST", "/health", 1).await;
    // It has no holds and no backfills, and says so in words of its own.
    assert!(is_unavailable(&hosted.hold("rsv-1").await));
    let told = found(&hosted.sdk.allocation()).expect("it is known");
    assert_eq!(told, json!({"state": "Ready", "current": null}));
    assert!(is_unavailable(&hosted.sdk.claim_session().await));
    hosted.until_phase("in-session").await;
    // Whoever it is allocated for, nobody has come.
    assert!(is_unavailable(&hosted.sdk.claim_session().await));
    hosted.players.send_replace(1);
    hosted.until(|state| state.lobby.due().is_none()).await;
    hosted.players.send_replace(0);
    hosted.until_phase("ready").await;
    hosted.sdk.stop().await;
    assert_eq!(endpoint.shown_state(), "Shutdown");
}
