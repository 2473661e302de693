//! The `http` door: who may call, how, and what callers may take.

use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use usher_tests::{GameServer, Setup, Usher};

const TOKEN: &str = "q3Vx9mKc0TzR1bN4wYp7Lg";

fn open() -> Setup {
    Setup::http().policy("open", "builtin:open", "")
}

fn start(setup: &Setup) -> (Usher, GameServer) {
    let host = Usher::start(setup);
    let game = GameServer::at(host.tcp);
    (host, game)
}

#[tokio::test]
async fn only_who_shows_the_token_may_call_and_a_new_token_needs_no_restart() {
    let dir = TempDir::new().expect("there is room for a directory");
    let file = dir.path().join("door.token");
    fs::write(&file, TOKEN).expect("written");
    let setup = open()
        .door("token-file", &format!("{file:?}"))
        .door("without-token", "false");
    let (host, game) = start(&setup);
    let tokens = [None, Some("Bearer"), Some("Bearer x"), Some(TOKEN)];
    for (index, shown) in tokens.into_iter().enumerate() {
        let caller = match shown {
            Some(shown) => game.clone().with("Authorization", shown),
            None => game.clone(),
        };
        for path in ["/v1/sessions", "/v1/lease", "/nothing"] {
            let refused = caller.call("GET", path).await.expect(401);
            let body = json!({ "title": "Unauthorized", "status": 401, "code": "unauthorized" });
            assert_eq!(refused.body, body, "{index}: it says nothing more");
            assert!(refused.head.contains("www-authenticate: Bearer"));
        }
        caller.call("GET", "/openapi.json").await.expect(200);
    }
    let (_, session) = game.clone().token(TOKEN).seat("R9").await;
    let second = "Zq3Vx9mKc0TzR1bN4wYp7Lg";
    fs::write(&file, second).expect("written");
    host.signal("-HUP");
    let said = "another password or token is in force";
    host.wait_for("read again", |_| host.log().contains(said));
    game.clone()
        .token(TOKEN)
        .call("GET", "/v1/sessions")
        .await
        .expect(401);
    game.clone()
        .token(second)
        .end(&session, "left")
        .await
        .expect(200);
    let log = host.log();
    assert!(!log.contains(TOKEN) && !log.contains(second), "{log}");
    host.stop();
}

#[tokio::test]
async fn where_no_token_is_needed_web_pages_may_not_call() {
    let (host, game) = start(&open());
    let foreign = game.clone().with("Origin", "http://evil.example");
    foreign
        .call("GET", "/v1/sessions")
        .await
        .problem(403, "foreign-page");
    foreign
        .call("POST", "/v1/lease")
        .await
        .problem(403, "foreign-page");
    game.call("GET", "/v1/sessions").await.expect(200);
    host.stop();
}

#[tokio::test]
async fn what_is_not_understood_is_told_as_a_problem_with_what_to_do() {
    let (host, game) = start(&open());
    let keyed = game.clone().with("Idempotency-Key", "a");
    let fine = "{\"address\": \"192.0.2.7\"}";
    let secret = "{\"address\": \"192.0.2.7\", \"ticket\": \"top-secret\"}";
    for (body, says) in [
        ("", "line 1 column 0"),
        ("{", "line 1 column 1"),
        ("[]", "must be a JSON object"),
        (
            " [\"192.0.2.7\", 1, true, null, null, \"N\", null, [], null]",
            "must be a JSON object",
        ),
        ("{\"address\": \"here\"}", "openapi.json"),
        (
            "{\"address\": \"192.0.2.7\", \"port\": 65536}",
            "openapi.json",
        ),
        (
            "{\"address\": \"192.0.2.7\", \"payload\": \"\", \"payload_base64\": \"\"}",
            "not both",
        ),
        (secret, "openapi.json"),
    ] {
        let reply = keyed.send("POST", "/v1/requests", Some(body)).await;
        let reply = reply.problem(400, "malformed");
        let detail = reply.text("detail");
        assert!(
            detail.contains(says) && !detail.contains("top-secret"),
            "{body}: {detail}"
        );
    }
    let reply = game.send("POST", "/v1/requests", Some(fine)).await;
    let reply = reply.problem(400, "malformed");
    assert!(reply.text("detail").contains("Idempotency-Key"));
    let form = keyed
        .clone()
        .with("Content-Type", "application/x-www-form-urlencoded");
    let reply = form.send("POST", "/v1/requests", Some(fine)).await;
    reply.problem(415, "not-json");
    let long = format!(
        "{{\"address\": \"192.0.2.7\", \"payload\": \"{}\"}}",
        "x".repeat(600_000)
    );
    let reply = keyed.send("POST", "/v1/requests", Some(&long)).await;
    reply.problem(413, "too-long");
    for path in ["?wait=forever", "?wait=31s", "?until=1s"] {
        let path = format!("/v1/requests{path}");
        let reply = keyed.send("POST", &path, Some(fine)).await;
        reply.problem(400, "malformed");
    }
    let named = game.clone().instance("two words");
    named
        .call("GET", "/v1/sessions")
        .await
        .problem(400, "malformed");
    game.call("GET", "/v2/sessions")
        .await
        .problem(404, "no-such-path");
    let reply = game.call("PUT", "/v1/requests/1").await;
    let head = reply.head.to_ascii_lowercase();
    assert!(head.contains("allow: get,head,delete"), "{head}");
    reply.problem(405, "wrong-method");
    game.call("GET", "/v1/requests/%ff")
        .await
        .problem(404, "unknown");
    host.stop();
}

#[tokio::test]
async fn the_description_of_the_api_is_served_and_names_every_call() {
    let (host, game) = start(&open());
    let served = game.call("GET", "/openapi.json").await.expect(200).body;
    assert_eq!(served["openapi"], "3.1.0");
    let paths = served["paths"].as_object().expect("paths");
    let mut calls = BTreeSet::new();
    for (path, methods) in paths {
        for method in methods.as_object().expect("methods").keys() {
            let method = method.to_uppercase();
            // Each is there: what it names is not, or it lacks something.
            if !path.ends_with("/v1/events") {
                let named = path.replace("{id}", "1-00000000");
                let code = game.call(&method, &named).await.code;
                assert!(
                    [200, 400, 404, 415].contains(&code),
                    "{method} {path}: {code}"
                );
            }
            calls.insert(format!("{method} {path}"));
        }
    }
    let expected = [
        "DELETE /v1/requests/{id}",
        "GET /v1/endings",
        "GET /v1/events",
        "GET /v1/requests/{id}",
        "GET /v1/requests/{id}/events",
        "GET /v1/sessions",
        "POST /v1/lease",
        "POST /v1/requests",
        "POST /v1/sessions/local",
        "POST /v1/sessions/{id}/confirm",
        "POST /v1/sessions/{id}/end",
    ];
    assert_eq!(calls.into_iter().collect::<Vec<_>>(), expected);
    host.stop();
}

#[tokio::test]
async fn a_connection_carries_many_calls() {
    let (host, _) = start(&open());
    let mut stream = TcpStream::connect(host.tcp).await.expect("connected");
    let call = format!("POST /v1/lease HTTP/1.1\r\nHost: {}\r\n\r\n", host.tcp);
    for _ in 0..3 {
        stream.write_all(call.as_bytes()).await.expect("written");
        let mut answer = [0; 4096];
        let read = stream.read(&mut answer).await.expect("an answer");
        let answer = String::from_utf8_lossy(&answer[..read]);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    drop(stream);
    host.stop();
}

/// With as many streams as may be, calls are still answered, and one stream more is refused.
#[tokio::test]
async fn held_answers_leave_room_for_calls() {
    let (host, game) = start(&open());
    let mut streams = Vec::new();
    for _ in 0..768 {
        streams.push(game.events("/v1/events").await);
    }
    game.call("GET", "/v1/events").await.problem(503, "busy");
    // No answer is held any more, and there is one all the same.
    let mut reply = game.ask("R9", "", "").await;
    while reply.code == 202 {
        let path = format!("/v1/requests/{}?wait=30s", reply.text("id"));
        reply = game.call("GET", &path).await;
    }
    let session = reply.expect(200).text("session").to_owned();
    let polled = game.call("GET", "/v1/endings?wait=30s").await.expect(200);
    assert_eq!(polled.body["ended"], json!([]));
    game.end(&session, "left").await.expect(200);
    for stream in &mut streams {
        assert_eq!(stream.next().await.expect("it is told").data["how"], "left");
    }
    drop(streams);
    host.stop();
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for_for_long() {
    let (host, _) = start(&open());
    let mut stream = TcpStream::connect(host.tcp).await.expect("connected");
    let head = format!(
        "POST /v1/requests HTTP/1.1\r\nHost: {}\r\nIdempotency-Key: a\r\nContent-Type: \
         application/json\r\nContent-Length: 100\r\n\r\n{{",
        host.tcp
    );
    stream.write_all(head.as_bytes()).await.expect("written");
    let mut answer = [0; 4096];
    let read = stream.read(&mut answer).await.expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..read]);
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("\"code\":\"too-late\""), "{answer}");
    host.stop();
}

#[tokio::test]
async fn strangers_take_no_place_of_the_game_server() {
    let dir = TempDir::new().expect("there is room for a directory");
    let file = dir.path().join("door.token");
    fs::write(&file, TOKEN).expect("written");
    let setup = open()
        .door("token-file", &format!("{file:?}"))
        .door("without-token", "false");
    let (host, game) = start(&setup);
    let game = game.token(TOKEN);
    let (_, session) = game.seat("R9").await;
    let mut strangers = Vec::new();
    for number in 0..1200 {
        let mut stranger = TcpStream::connect(host.tcp).await.expect("connected");
        let head: &[u8] = match number % 2 {
            0 => b"POST /v1/lease HTTP/1.1\r\nHost: x",
            _ => b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n",
        };
        // One that had to make room for others is reset.
        let _ = stranger.write_all(head).await;
        strangers.push(stranger);
        if number % 100 == 0 {
            game.call("POST", "/v1/lease").await.expect(200);
        }
    }
    game.end(&session, "left").await.expect(200);
    drop(strangers);
    host.stop();
}

#[tokio::test]
async fn a_body_that_is_broken_or_says_that_it_is_too_long_is_answered_at_once() {
    let (host, _) = start(&open());
    let head = format!(
        "POST /v1/requests HTTP/1.1\r\nHost: {}\r\nIdempotency-Key: a\r\nContent-Type: \
         application/json\r\n",
        host.tcp
    );
    for (rest, code, word) in [
        (
            "Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "400",
            "malformed",
        ),
        ("Content-Length: 1000000000000\r\n\r\n{", "413", "too-long"),
    ] {
        let mut stream = TcpStream::connect(host.tcp).await.expect("connected");
        let call = format!("{head}{rest}");
        stream.write_all(call.as_bytes()).await.expect("written");
        let mut answer = [0; 4096];
        let read = stream.read(&mut answer).await.expect("an answer");
        let answer = String::from_utf8_lossy(&answer[..read]);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {code}")),
            "{rest}: {answer}"
        );
        assert!(
            answer.contains(&format!("\"code\":\"{word}\"")),
            "{rest}: {answer}"
        );
    }
    host.stop();
}
