//! What a hosted server writes to its fleet's endpoint: nothing where the game owns the lifecycle, and all that
//! it takes where the host does.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use usher_stand_ins::{Backfill, FakeSdk};
use usher_tests::tickets::Scene;
use usher_tests::{Door, Setup, Visitor};

/// How long anything may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until something is so at the endpoint.
#[track_caller]
fn until(what: &str, is: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < end, "never {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn players(sdk: &FakeSdk) -> Option<i64> {
    sdk.counter("players").map(|(count, _)| count)
}

async fn accepted(mut visitor: Visitor) -> Visitor {
    assert_eq!(visitor.outcome().await, Ok(()));
    visitor
}

/// Any write tells a fleet that the game speaks to it, and it sends nobody until the game says that it is ready.
#[tokio::test(flavor = "multi_thread")]
async fn where_the_game_owns_the_lifecycle_the_host_only_reads() {
    let mut scene = Scene::set(Setup::tickets(false), |sdk| {
        sdk.fleet_counter("players", 8);
    });
    let lone = scene.reservation(1);
    assert_eq!(scene.visit(Door::WebSocket, &lone).await, "not_in_session");
    let ticket = scene.allocate();
    assert_eq!(scene.visit(Door::MafiaNet, &ticket).await, "accepted");
    let party = scene.reservation(2);
    assert_eq!(scene.visit(Door::WebSocket, &party).await, "accepted");
    let unknown = json!({ "kind": "reservation", "reservationId": "never-made" });
    assert_eq!(
        scene.visit(Door::MafiaNet, &unknown).await,
        "reservation_invalid"
    );
    let current = scene.sdk.allocation().expect("there is one");
    scene
        .sdk
        .deliver_backfill(Backfill::new("late", &current, &[("late-ticket", 1)]));
    let late = json!({ "kind": "backfill", "ticketId": "late-ticket", "allocationId": "late" });
    assert_eq!(scene.visit(Door::WebSocket, &late).await, "accepted");

    scene.sdk.die();
    assert_eq!(
        scene.visit(Door::MafiaNet, &party).await,
        "reservation_unverifiable"
    );
    scene.sdk.back();
    scene.host.wait_for("watching again", |status| {
        let sdk = &status["evidence"]["sdk"];
        sdk["watching"] == true && sdk["reconnects"].as_u64() >= Some(1)
    });
    let metric = |sample: &str| scene.host.admin.metric(sample).unwrap_or_default();
    assert!(metric("usher_sdk_watch_reconnects_total") >= 1.0);
    for (outcome, least) in [("ok", 2.0), ("refused", 2.0), ("lost", 1.0)] {
        let sample = format!("usher_sdk_calls_total{{call=\"hold\",outcome={outcome:?}}}");
        assert!(metric(&sample) >= least, "{sample}");
    }
    let inside = accepted(scene.come(Door::MafiaNet, &party).await).await;
    scene.sdk.shut_down();
    scene.host.wait_for("closed", |status| {
        status["evidence"]["sdk"]["state"] == "shutting-down"
    });
    assert_eq!(scene.visit(Door::WebSocket, &party).await, "stopping");
    inside.leave().await;
    scene.host.finish();
    assert_eq!(scene.writes(), [""; 0]);
    assert!(!scene.sdk.integrated());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_host_owns_the_lifecycle_the_fleet_is_told_from_the_first_to_the_last() {
    let lifecycle = "[sdk]\nlifecycle = \"usher\"\nclaim-lobby = \"1s\"\n";
    let mut scene = Scene::set(Setup::tickets(false).more(lifecycle), |sdk| {
        sdk.fleet_counter("players", 8);
    });
    until("ready", || scene.sdk.shown_state() == "Ready");
    assert!(!scene.sdk.draining());
    scene.sdk.calls().wait_for(1, "POST", "/health");

    let ticket = scene.allocate();
    let (one, other) = (
        scene.come(Door::MafiaNet, &ticket).await,
        scene.come(Door::WebSocket, &ticket).await,
    );
    let (one, other) = (accepted(one).await, accepted(other).await);
    until("both counted", || players(&scene.sdk) == Some(2));
    one.leave().await;
    until("one counted", || players(&scene.sdk) == Some(1));
    assert!(scene.sdk.allocation().is_some());
    other.leave().await;
    until("the session ended", || scene.sdk.allocation().is_none());
    until("nobody counted", || players(&scene.sdk) == Some(0));
    scene.sees_allocation(Value::is_null);
    assert_eq!(
        scene.visit(Door::WebSocket, &ticket).await,
        "allocation_mismatch"
    );
    scene.host.finish();
    assert_eq!(scene.sdk.shown_state(), "Shutdown");
    assert_eq!(
        scene.writes().last().map(String::as_str),
        Some("POST /shutdown")
    );
}
