//! The `http` door: sessions that are confirmed or not, end from either side, and are held on a lease.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use usher_tests::{GameServer, Setup, Usher, module};

fn scripted(seats: u32) -> Setup {
    Setup::http()
        .policy("scripted", module("scripted"), "")
        .limit("max-players", &seats.to_string())
}

fn start(setup: &Setup) -> (Usher, GameServer) {
    let host = Usher::start(setup);
    let game = GameServer::at(host.tcp);
    (host, game)
}

/// What has ended, as far as it is told within the wait.
async fn ended(game: &GameServer, after: &str) -> Value {
    let path = format!("/v1/endings?wait=30s&after={after}");
    game.call("GET", &path).await.expect(200).body
}

async fn place(game: &GameServer) -> String {
    let listed = game.call("GET", "/v1/sessions").await.expect(200);
    listed.text("next").to_owned()
}

#[tokio::test]
async fn an_acceptance_that_is_not_confirmed_is_taken_back() {
    let (host, game) = start(&scripted(1).door("confirm-timeout", "\"1s\""));
    let after = place(&game).await;
    let reply = game.ask("a", "", "").await.expect(200);
    assert_eq!(reply.body["confirm_within_ms"], 1000);
    let told = ended(&game, &after).await;
    let expected = json!([{ "session": reply.text("session"), "how": "unconfirmed" }]);
    assert_eq!(told["ended"], expected);
    let confirm = format!("/v1/sessions/{}/confirm", reply.text("session"));
    let late = game.call("POST", &confirm).await;
    late.problem(410, "session-over");
    // The seat is free for the next one.
    let (_, next) = game.seat("b").await;
    game.end(&next, "left").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn a_game_server_that_dies_loses_its_sessions_with_the_lease() {
    let (host, game) = start(&scripted(4).door("lease", "\"2s\""));
    let lease = game.call("POST", "/v1/lease").await.expect(200);
    assert_eq!(lease.body["lease_ms"], 2000);
    let (_, session) = game.seat("in").await;
    let waiting = game
        .ask("waits", "wait:there", "?wait=0s")
        .await
        .expect(202);
    let waiting = waiting.text("id").to_owned();
    let local = game.clone().with("Idempotency-Key", "own");
    local
        .post("/v1/sessions/local", &json!({}))
        .await
        .expect(200);
    // As long as it calls, it has them.
    let end = Instant::now() + Duration::from_secs(3);
    while Instant::now() < end {
        let path = format!("/v1/requests/{waiting}?wait=200ms");
        game.call("GET", &path).await.expect(202);
    }
    let lease = game.call("POST", "/v1/lease").await.expect(200).body;
    assert_eq!(
        (&lease["sessions"], &lease["local"]),
        (&json!(1), &json!(1))
    );
    // Then it dies. The operator still looks, and is nobody's sign of life.
    host.assert_empty();
    let told = game.call("GET", "/v1/endings").await.expect(200).body;
    let how: Vec<_> = told["ended"].as_array().expect("a list").iter().collect();
    assert_eq!(how.len(), 2, "{told}");
    assert!(how.iter().all(|it| it["how"] == "lease"), "{told}");
    let over = game.end(&session, "left").await.expect(200);
    assert_eq!(over.text("how"), "lease");
    let gone = game.call("GET", &format!("/v1/requests/{waiting}")).await;
    assert_eq!(gone.expect(200).text("why"), "unasked");
    host.stop();
}

#[tokio::test]
async fn a_game_server_that_comes_back_begins_anew() {
    let (host, game) = start(&scripted(1));
    let old = game.clone().instance("first-life");
    let (_, session) = old.seat("in").await;
    let waiting = old.ask("waits", "queue", "?wait=0s").await.expect(202);
    let waiting = waiting.text("id").to_owned();
    // The first call of the new one finds the seat free.
    let new = game.clone().instance("second-life");
    let (_, next) = new.seat("in-again").await;
    let told = new.call("GET", "/v1/endings").await.expect(200);
    let replaced = json!([{ "session": session, "how": "replaced" }]);
    assert_eq!(told.body["ended"], replaced);
    // Its keys are its own, though it numbers its players as the one before did.
    let path = format!("/v1/requests/{waiting}");
    new.call("GET", &path).await.problem(404, "unknown");
    let again = new.ask("in", "reject:Not you.", "").await.expect(200);
    assert_eq!(again.text("code"), "told-to");
    // The old one, should it still run, does no harm.
    old.call("GET", "/v1/sessions")
        .await
        .problem(409, "replaced");
    old.end(&next, "left").await.problem(409, "replaced");
    assert_eq!(host.admin.status()["players"]["connected"], 1);
    new.end(&next, "left").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn what_the_host_ends_is_told_to_who_listens_and_to_who_asks() {
    let (host, game) = start(&scripted(4));
    let (_, one) = game.seat("one").await;
    let (_, two) = game.seat("two").await;
    let mut events = game.events("/v1/events").await;
    let after = place(&game).await;
    let kick = |session: &str| {
        let number = session.split('-').next().expect("a number");
        let path = format!("/v1/sessions/{number}/kick");
        let (code, _) = host.admin.post(&path, "{\"reason\": \"Enough.\"}");
        assert_eq!(code, 200);
    };
    kick(&one);
    let event = events.next().await.expect("it is told");
    assert_eq!(event.name, "ended");
    let kicked = |session: &str| json!({ "session": session, "how": "kicked", "code": "kicked", "text": "Enough." });
    assert_eq!(event.data, kicked(&one));
    let told = ended(&game, &after).await;
    assert_eq!(told["ended"], json!([kicked(&one)]));
    // Who listens again goes on where it stopped.
    drop(events);
    kick(&two);
    let again = game.clone().with("Last-Event-ID", &event.id);
    let mut events = again.events("/v1/events").await;
    assert_eq!(events.next().await.expect("it is told").data, kicked(&two));
    let next = told["next"].as_str().expect("a place");
    assert_eq!(ended(&game, next).await["ended"], json!([kicked(&two)]));
    // A place that nobody knows any more is not passed over in silence.
    let mut events = game.events("/v1/events?after=1-00000000").await;
    assert_eq!(events.next().await.expect("it is told").name, "missed");
    drop(events);
    host.stop();
}

#[tokio::test]
async fn who_is_let_in_twice_is_told_and_the_first_one_must_go() {
    let setup = scripted(4).limit("duplicate-identity", "\"take-over\"");
    let (host, game) = start(&setup);
    let after = place(&game).await;
    let first = game.ask("first", "name:R9", "").await.expect(200);
    let first = first.text("session").to_owned();
    let confirm = format!("/v1/sessions/{first}/confirm");
    game.call("POST", &confirm).await.expect(200);
    let second = game.ask("second", "name:R9", "").await.expect(200);
    let told = ended(&game, &after).await;
    let taken_over = json!([{ "session": first, "how": "taken-over" }]);
    assert_eq!(told["ended"], taken_over);
    game.end(second.text("session"), "left").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn a_listen_hosts_own_player_takes_no_seat() {
    let (host, game) = start(&scripted(1));
    let own = game.clone().with("Idempotency-Key", "own");
    let session = own
        .post("/v1/sessions/local", &json!({ "name": "Host" }))
        .await;
    let session = session.expect(200);
    assert_eq!(
        (session.text("state"), session.text("name")),
        ("local", "Host")
    );
    let again = own
        .post("/v1/sessions/local", &json!({ "name": "Host" }))
        .await;
    assert_eq!(again.expect(200).text("session"), session.text("session"));
    let other = own
        .post("/v1/sessions/local", &json!({ "name": "Guest" }))
        .await;
    other.problem(409, "key-reused");
    let status = host.admin.status();
    assert_eq!(status["players"]["connected"], 0);
    assert_eq!(status["doors"][0]["peers"]["local"], 1);
    // The one seat is for the one who comes over the network.
    let (_, seated) = game.seat("guest").await;
    let listed = game.call("GET", "/v1/sessions").await.expect(200);
    let states: Vec<_> = listed.body["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    assert_eq!(
        (&states[0]["state"], &states[1]["state"]),
        (&json!("local"), &json!("confirmed"))
    );
    for number in 1..16 {
        let more = game.clone().with("Idempotency-Key", &number.to_string());
        more.post("/v1/sessions/local", &json!({}))
            .await
            .expect(200);
    }
    let more = game.clone().with("Idempotency-Key", "17");
    more.post("/v1/sessions/local", &json!({}))
        .await
        .problem(409, "enough");
    let listed = game.call("GET", "/v1/sessions").await.expect(200);
    for listed in listed.body["sessions"].as_array().expect("a list") {
        let session = listed["session"].as_str().expect("a name");
        game.end(session, "left").await.expect(200);
    }
    game.end(&seated, "left").await.expect(200);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_stops_tells_everyone() {
    let (mut host, game) = start(&scripted(4));
    let (_, session) = game.seat("in").await;
    let mut events = game.events("/v1/events").await;
    let waiting = game
        .ask("waits", "wait:there", "?wait=0s")
        .await
        .expect(202);
    let path = format!("/v1/requests/{}", waiting.text("id"));
    let mut status = game.events(&format!("{path}/events")).await;
    assert_eq!(status.next().await.expect("a status").name, "waiting");
    let held = {
        let (game, path) = (game.clone(), format!("{path}?wait=30s"));
        tokio::spawn(async move { game.call("GET", &path).await })
    };
    let asked = {
        let game = game.clone();
        tokio::spawn(async move { game.ask("waits", "wait:there", "?wait=30s").await })
    };
    host.signal("-TERM");
    for held in [held, asked] {
        let told = held.await.expect("it is answered").expect(200);
        assert_eq!(told.text("code"), "shutting-down");
    }
    let mut last = status.next().await.expect("it is told");
    while let Some(event) = status.next().await {
        last = event;
    }
    assert_eq!(
        (&*last.name, &last.data["code"]),
        ("rejected", &json!("shutting-down"))
    );
    let told = events.next().await.expect("it is told");
    assert_eq!(told.data, json!({ "session": session, "how": "shutdown" }));
    assert_eq!(
        events.next().await,
        None,
        "the stream ends as streams should"
    );
    let before = Instant::now();
    assert_eq!(host.wait_for_exit(), Some(0));
    assert!(
        before.elapsed() < Duration::from_secs(5),
        "nobody had to be waited for"
    );
    assert!(host.log().contains("everyone was told"), "{}", host.log());
}

#[tokio::test]
async fn a_host_that_stops_waits_a_moment_for_who_polls_and_no_longer() {
    let (mut host, game) = start(&scripted(4));
    let (_, session) = game.seat("in").await;
    let after = place(&game).await;
    host.signal("-TERM");
    let told = ended(&game, &after).await;
    let shutdown = json!([{ "session": session, "how": "shutdown" }]);
    assert_eq!(told["ended"], shutdown);
    assert_eq!(host.wait_for_exit(), Some(0));
}

#[tokio::test]
async fn names_of_another_run_name_nothing() {
    let (host, game) = start(&scripted(4));
    let (request, session) = game.seat("in").await;
    let other = |name: &str| format!("{}-00000000", name.split('-').next().expect("a number"));
    let path = format!("/v1/requests/{}", other(&request));
    for method in ["GET", "DELETE"] {
        game.call(method, &path).await.problem(404, "unknown");
    }
    game.end(&other(&session), "left")
        .await
        .problem(404, "unknown");
    let confirm = format!("/v1/sessions/{}/confirm", other(&session));
    game.call("POST", &confirm).await.problem(404, "unknown");
    assert_eq!(host.admin.status()["players"]["connected"], 1);
    game.end(&session, "left").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn a_game_server_that_only_waits_for_endings_keeps_its_players() {
    let (host, game) = start(&scripted(4).door("lease", "\"1s\""));
    let (_, session) = game.seat("in").await;
    let after = place(&game).await;
    // Longer than the lease, and nothing else is called meanwhile.
    for _ in 0..2 {
        let path = format!("/v1/endings?wait=2500ms&after={after}");
        let told = game.call("GET", &path).await.expect(200);
        assert_eq!(told.body["ended"], json!([]));
    }
    let held = game.ask("waits", "wait:there", "?wait=2500ms").await;
    let waiting = held.expect(202).text("id").to_owned();
    game.call("DELETE", &format!("/v1/requests/{waiting}"))
        .await
        .expect(200);
    game.end(&session, "left").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn a_call_that_was_begun_before_another_game_server_came_does_nothing() {
    let (host, game) = start(&scripted(1));
    let body = "{\"address\": \"192.0.2.7\"}";
    let mut stream = TcpStream::connect(host.tcp).await.expect("connected");
    let head = format!(
        "POST /v1/requests HTTP/1.1\r\nHost: {}\r\nUsher-Instance: old\r\nIdempotency-Key: a\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        host.tcp,
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("written");
    let mut answer = [0; 4096];
    // The host asks for the body: the call was admitted.
    let read = stream.read(&mut answer).await.expect("an answer");
    assert!(answer[..read].starts_with(b"HTTP/1.1 100"), "{answer:?}");
    let new = game.instance("new");
    let (_, session) = new.seat("b").await;
    stream.write_all(body.as_bytes()).await.expect("written");
    let read = stream.read(&mut answer).await.expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..read]);
    assert!(answer.starts_with("HTTP/1.1 409"), "{answer}");
    assert!(answer.contains("\"code\":\"replaced\""), "{answer}");
    new.end(&session, "left").await.expect(200);
    host.stop();
}
