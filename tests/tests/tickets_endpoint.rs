//! The endpoint of a fleet dies, hangs and comes back, in each phase of a host's life: before its first word, while
//! a backfill is waited for, while a claimed session is played. And a match comes while a session is claimed.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use usher_stand_ins::{Backfill, Fault, What, context};
use usher_tests::tickets::{HOLDS, Scene, mint};
use usher_tests::{Door, Setup};

/// A ticket for a backfill, and its ids.
fn backfill() -> (String, String, Value) {
    let (id, ticket) = (mint(), mint());
    let shown = json!({ "kind": "backfill", "ticketId": ticket, "allocationId": id });
    (id, ticket, shown)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_not_there_yet_is_followed_once_it_is() {
    let scene = Scene::unseen(Setup::tickets(false), |sdk| {
        sdk.allocate("match-1", &context::matchmaker(&[("ticket-of-1", 9)]));
        sdk.die();
    });
    let player = json!({ "kind": "match", "ticketId": "ticket-of-1", "allocationId": "match-1" });
    let reservation = scene.reservation(1);
    for ticket in [&player, &reservation] {
        for door in Door::ALL {
            let told = scene.visit(door, ticket).await;
            assert_eq!(told, "reservation_unverifiable", "{door:?}");
        }
    }
    scene.sdk.back();
    scene.watches();
    for ticket in [&player, &reservation] {
        assert_eq!(scene.visit(Door::WebSocket, ticket).await, "accepted");
    }
    assert_eq!(scene.writes(), [""; 0]);
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_dies_while_a_backfill_is_waited_for_may_be_back_in_time() {
    let scene = Scene::set(Setup::tickets(false), |_| {});
    let session = scene.allocate();
    let session = session["allocationId"].as_str().expect("it has an id");
    let (id, ticket, shown) = backfill();
    let (_, _, never) = backfill();
    let mut waiting = Vec::new();
    scene.sdk.calls().clear();
    for door in Door::ALL {
        waiting.push(scene.come(door, &shown).await);
    }
    let mut unlucky = scene.come(Door::MafiaNet, &never).await;
    scene.sdk.calls().wait_for(1, "GET", "/v1/backfills");
    scene.sdk.die();
    tokio::time::sleep(Duration::from_secs(1)).await;
    scene
        .sdk
        .deliver_backfill(Backfill::new(&id, session, &[(&ticket, 9)]));
    scene.sdk.back();
    for visitor in &mut waiting {
        assert_eq!(visitor.outcome().await, Ok(()));
    }
    assert_eq!(unlucky.outcome().await, Err("backfill_unknown".into()));
    for visitor in waiting {
        visitor.leave().await;
    }
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_stays_dead_while_a_backfill_is_waited_for_costs_those_who_wait() {
    let scene = Scene::set(Setup::tickets(false), |_| {});
    let session = scene.allocate();
    let (_, _, shown) = backfill();
    scene.sdk.calls().clear();
    let begin = Instant::now();
    let mut visitor = scene.come(Door::WebSocket, &shown).await;
    scene.sdk.calls().wait_for(1, "GET", "/v1/backfills");
    scene.sdk.die();
    // The match is known, whoever cannot be asked.
    assert_eq!(scene.visit(Door::MafiaNet, &session).await, "accepted");
    let told = visitor.outcome().await;
    assert_eq!(told, Err("reservation_unverifiable".into()));
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    scene.sdk.back();
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claimed_session_whose_last_player_left_unheard_is_ended_once_the_endpoint_is_back() {
    let lobby = "[sdk]\nclaim-lobby = \"2s\"\n";
    let scene = Scene::set(Setup::claiming().more(lobby), |_| {});
    let mut player = scene.come(Door::WebSocket, &scene.reservation(1)).await;
    assert_eq!(player.outcome().await, Ok(()));
    let session = scene.sdk.allocation().expect("it was claimed");
    scene.sdk.die();
    scene.host.wait_for("unwatched", |status| {
        status["evidence"]["sdk"]["watching"] == false
    });
    connected_stays(&scene).await;
    player.leave().await;
    scene.host.assert_empty();
    assert_eq!(
        scene.sdk.allocation(),
        Some(session),
        "nobody could be told"
    );
    scene.sdk.back();
    scene.watches();
    scene.sees_allocation(Value::is_null);
    assert_eq!(scene.sdk.allocation(), None);
    scene.close();
}

/// Who plays plays on.
async fn connected_stays(scene: &Scene) {
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(scene.host.admin.status()["players"]["connected"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_comes_while_a_session_is_claimed_gives_way_to_it() {
    let scene = Scene::set(Setup::claiming(), |_| {});
    let slow = What::Delay(Duration::from_secs(1));
    scene.sdk.fault(Fault::at("/allocate", slow).once());
    let mut player = scene.come(Door::MafiaNet, &scene.reservation(1)).await;
    scene.sdk.calls().wait_for(1, "POST", "/allocate");
    scene.sdk.allocate("match-1", &context::rosterless());
    assert_eq!(player.outcome().await, Ok(()));
    let session = scene.sdk.allocation().expect("there is one");
    assert!(session.starts_with("self-"), "{session}");
    player.leave().await;
    scene.sees_allocation(Value::is_null);
    assert_eq!(scene.writes().len(), 2, "{:?}", scene.writes());
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn holds_that_hang_cost_those_who_asked_and_nobody_else() {
    let scene = Scene::set(Setup::tickets(false), |_| {});
    let session = scene.allocate();
    scene.sdk.fault(Fault::at(HOLDS, What::Silence));
    scene.sdk.calls().clear();
    let mut hanging = Vec::new();
    for number in 0..60 {
        let door = Door::ALL[number % Door::ALL.len()];
        hanging.push(scene.come(door, &scene.reservation(1)).await);
    }
    scene.sdk.calls().wait_for(60, "GET", HOLDS);
    let mut slowest = Duration::ZERO;
    for _ in 0..10 {
        let begin = Instant::now();
        assert_eq!(scene.visit(Door::WebSocket, &session).await, "accepted");
        slowest = slowest.max(begin.elapsed());
    }
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    for visitor in &mut hanging {
        let told = visitor.outcome().await;
        assert_eq!(told, Err("reservation_unverifiable".into()));
    }
    scene.host.assert_empty();
    scene.close();
}
