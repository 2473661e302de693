//! The `http` door: a game server asks about players, is told, asks again, and gives up.

use serde_json::json;
use std::time::{Duration, Instant};
use usher_tests::{GameServer, Setup, Usher, module};

/// A door at which the payload says what the policy does.
fn scripted(seats: u32) -> (Usher, GameServer) {
    let setup = Setup::http()
        .policy("scripted", module("scripted"), "")
        .limit("max-players", &seats.to_string())
        .limit("max-pending", "8")
        .limit("status-interval", "\"1s\"");
    let host = Usher::start(&setup);
    let game = GameServer::at(host.tcp);
    (host, game)
}

fn request(id: &str) -> String {
    format!("/v1/requests/{id}")
}

#[tokio::test]
async fn who_is_let_in_is_told_the_config_and_stays_until_it_leaves() {
    let (host, game) = scripted(4);
    let reply = game.ask("R9", "accept:map=7", "").await.expect(200);
    assert_eq!(reply.text("state"), "accepted");
    assert_eq!((reply.text("name"), reply.text("room")), ("R9", "main"));
    assert_eq!(reply.text("config"), "map=7");
    assert_eq!(reply.text("config_base64"), "bWFwPTc=");
    assert_eq!(reply.body["confirm_within_ms"], 10_000);
    let session = reply.text("session").to_owned();
    host.wait_for("seated", |status| status["players"]["connected"] == 1);
    assert_eq!(host.admin.status()["sessions"][0]["bound"], false);
    let confirm = format!("/v1/sessions/{session}/confirm");
    for _ in 0..2 {
        let reply = game.call("POST", &confirm).await.expect(200);
        assert_eq!(reply.text("state"), "confirmed");
    }
    assert_eq!(host.admin.status()["sessions"][0]["bound"], true);
    let listed = game.call("GET", "/v1/sessions").await.expect(200);
    assert_eq!(listed.body["sessions"][0]["session"], session.as_str());
    assert_eq!(listed.body["sessions"][0]["state"], "confirmed");
    for how in ["left", "dropped"] {
        let reply = game.end(&session, how).await.expect(200);
        assert_eq!(reply.text("how"), "left", "as it ended first");
        // The answer comes once the seat is free.
        assert_eq!(host.admin.status()["players"]["connected"], 0);
    }
    game.call("POST", &confirm)
        .await
        .problem(410, "session-over");
    host.stop();
}

#[tokio::test]
async fn what_the_game_server_says_of_a_player_reaches_the_policy() {
    let (host, game) = scripted(4);
    let body = json!({
        "address": "2001:db8::7", "port": 4711, "proven": true, "password": "hunter2",
        "payload_base64": "c2Vlbg==", "args": ["a"], "one_way_ms": 23,
    });
    let game = game.with("Idempotency-Key", "a");
    let reply = game.post("/v1/requests", &body).await.expect(200);
    let seen = "protocol http\nproven true\nport 4711\npayload 4\npassword hunter2\nstatus \
                true\nreasons true";
    assert_eq!(reply.text("config"), seen);
    let session = reply.text("session").to_owned();
    assert_eq!(
        host.admin.status()["sessions"][0]["address"],
        "[2001:db8::7]:4711"
    );
    game.end(&session, "left").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn a_refusal_says_why() {
    let (host, game) = scripted(4);
    let reply = game.ask("R9", "reject:Not today.", "").await.expect(200);
    assert_eq!(reply.text("state"), "rejected");
    assert_eq!(
        (reply.text("code"), reply.text("text")),
        ("told-to", "Not today.")
    );
    let id = reply.text("id").to_owned();
    let again = game.call("GET", &request(&id)).await.expect(200);
    assert_eq!(again.body, reply.body);
    let given_up = game.call("DELETE", &request(&id)).await.expect(200);
    assert_eq!(given_up.body, reply.body, "there is nothing to give up");
    host.stop();
}

#[tokio::test]
async fn a_repeated_call_has_the_same_answer_and_decides_nothing_again() {
    let (host, game) = scripted(4);
    let first = game.ask("a", "accept:once", "").await.expect(200);
    for _ in 0..3 {
        let again = game.ask("a", "accept:once", "?wait=0s").await.expect(200);
        assert_eq!(again.body, first.body);
    }
    game.ask("a", "accept:twice", "")
        .await
        .problem(409, "key-reused");
    assert_eq!(host.admin.status()["players"]["connected"], 1);
    game.end(first.text("session"), "left").await.expect(200);
    let again = game.ask("a", "accept:once", "").await.expect(200);
    assert_eq!(again.body, first.body, "also when it is over");
    let asked = || host.log().matches("asked 50000").count();
    host.wait_for("logged", |_| asked() > 0);
    assert_eq!(asked(), 1, "the policy was asked once");
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_with_one_key_at_the_same_time_are_one_request() {
    let (host, game) = scripted(4);
    for round in 0..20 {
        let key = format!("key-{round}");
        let calls = (0..8).map(|_| {
            let (game, key) = (game.clone(), key.clone());
            tokio::spawn(async move { game.ask(&key, "accept:x", "").await.expect(200) })
        });
        let calls: Vec<_> = calls.collect();
        let mut sessions = Vec::new();
        for call in calls {
            let reply = call.await.expect("it is answered");
            sessions.push(reply.text("session").to_owned());
        }
        sessions.dedup();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        assert_eq!(host.admin.status()["players"]["connected"], 1);
        game.end(&sessions[0], "left").await.expect(200);
    }
    host.stop();
}

#[tokio::test]
async fn who_waits_has_a_place_and_a_status_and_is_let_in_when_a_seat_is_free() {
    let (host, game) = scripted(1);
    let (_, seated) = game.seat("first").await;
    let waiting = game.ask("second", "queue", "?wait=0s").await.expect(202);
    assert_eq!(waiting.text("state"), "waiting");
    let second = waiting.text("id").to_owned();
    let third = game.ask("third", "queue", "?wait=0s").await.expect(202);
    let third = third.text("id").to_owned();
    // A newer status ends the wait, too.
    let path = |version: u64| format!("{}?wait=30s&after={version}", request(&third));
    let mut told = game.call("GET", &path(0)).await.expect(202);
    while told.text("status") != "You are 2 of 2 in the queue" {
        let version = told.body["version"].as_u64().expect("a version");
        told = game.call("GET", &path(version)).await.expect(202);
    }
    assert_eq!(told.body["position"], 2);
    let mut events = game.events(&format!("{}/events", request(&second))).await;
    let first = events
        .next()
        .await
        .expect("it begins with how things stand");
    assert_eq!(first.name, "waiting");
    let polled = {
        let game = game.clone();
        let path = format!("{}?wait=30s", request(&second));
        tokio::spawn(async move { game.call("GET", &path).await })
    };
    game.end(&seated, "left").await.expect(200);
    let mut last = first;
    while let Some(event) = events.next().await {
        assert_eq!(last.name, "waiting", "the answer is the last event");
        last = event;
    }
    assert_eq!(last.name, "accepted");
    let polled = polled.await.expect("it is answered").expect(200);
    assert_eq!(polled.body, last.data);
    let session = polled.text("session").to_owned();
    game.end(&session, "dropped").await.expect(200);
    let third = game
        .call("GET", &format!("{}?wait=30s", request(&third)))
        .await;
    let session = third.expect(200).text("session").to_owned();
    game.end(&session, "left").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn giving_up_works_in_every_phase() {
    let (host, game) = scripted(1);
    // While it is decided.
    let deciding = game.ask("deciding", "slow", "?wait=0s").await.expect(202);
    let deciding = deciding.text("id").to_owned();
    let over = game.call("DELETE", &request(&deciding)).await.expect(200);
    assert_eq!(
        (over.text("state"), over.text("why")),
        ("over", "cancelled")
    );
    // Once it is accepted, before it is confirmed.
    let accepted = game.ask("accepted", "", "").await.expect(200);
    let (id, session) = (accepted.text("id"), accepted.text("session"));
    let over = game.call("DELETE", &request(id)).await.expect(200);
    assert_eq!(over.text("state"), "over");
    let confirm = format!("/v1/sessions/{session}/confirm");
    let ended = game.call("POST", &confirm).await;
    ended.problem(410, "session-over");
    let again = game.ask("accepted", "", "").await.expect(200);
    assert_eq!(
        again.body, over.body,
        "nobody is let in by a late repetition"
    );
    // While it waits.
    let (confirmed, seated) = game.seat("seated").await;
    let waiting = game.ask("waiting", "queue", "?wait=0s").await.expect(202);
    let waiting = waiting.text("id").to_owned();
    host.wait_for("waiting", |status| status["pending"]["waiting"] == 1);
    let mut events = game.events(&format!("{}/events", request(&waiting))).await;
    for _ in 0..2 {
        let over = game.call("DELETE", &request(&waiting)).await.expect(200);
        assert_eq!(over.text("why"), "cancelled");
    }
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event.name);
    }
    assert_eq!(last.as_deref(), Some("over"));
    host.wait_for("nobody waits", |status| status["pending"]["total"] == 0);
    // Once it is in, it is no request any more.
    let refused = game.call("DELETE", &request(&confirmed)).await;
    refused.problem(409, "confirmed");
    game.end(&seated, "left").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn a_full_pool_and_a_full_share_are_told() {
    let setup = Setup::http()
        .policy("scripted", module("scripted"), "")
        .limit("max-pending", "2")
        .limit("max-pending-per-address", "1");
    let host = Usher::start(&setup);
    let game = GameServer::at(host.tcp);
    let ask = async |key: &str, address: &str, wait: &str| {
        let body = json!({ "address": address, "payload": "wait:there" });
        let game = game.clone().with("Idempotency-Key", key);
        game.post(&format!("/v1/requests{wait}"), &body).await
    };
    let mut waiting = Vec::new();
    for (key, address) in [("a", "192.0.2.1"), ("b", "192.0.2.2")] {
        let reply = ask(key, address, "?wait=0s").await.expect(202);
        waiting.push(reply.text("id").to_owned());
        let same = ask(&format!("{key}2"), address, "").await.expect(200);
        let code = if key == "a" {
            "address-share"
        } else {
            "pool-full"
        };
        assert_eq!((same.text("state"), same.text("code")), ("rejected", code));
    }
    let other = ask("c", "192.0.2.3", "").await.expect(200);
    assert_eq!(other.text("code"), "pool-full");
    let metric = "usher_knocks_refused_total{door=\"main\",reason=\"pool-full\"}";
    assert_eq!(host.admin.metric(metric), Some(2.0));
    for id in waiting {
        game.call("DELETE", &request(&id)).await.expect(200);
    }
    host.stop();
}

#[tokio::test]
async fn a_wait_is_held_for_as_long_as_it_says_and_not_longer() {
    let (host, game) = scripted(1);
    let before = Instant::now();
    let waiting = game
        .ask("a", "wait:there", "?wait=1500ms")
        .await
        .expect(202);
    assert!(before.elapsed() >= Duration::from_millis(1500));
    let id = waiting.text("id").to_owned();
    let before = Instant::now();
    game.call("GET", &request(&id)).await.expect(202);
    assert!(
        before.elapsed() < Duration::from_millis(1500),
        "not held at all"
    );
    game.call("DELETE", &request(&id)).await.expect(200);
    host.stop();
}
