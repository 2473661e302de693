//! A stand-in that is run by hand does what it is told with `curl`.

mod wire;

use serde_json::json;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use usher_stand_ins::{Dialect, FakeDiscovery, FakeSdk, Options};
use wire::{Answer, ask, ask_with};

const BY_HAND: Options = Options {
    port: 0,
    by_hand: true,
};

fn say(at: SocketAddr, path: &str, body: &str) -> Answer {
    ask(at, "POST", path, body).expect("it answers")
}

#[test]
fn an_endpoint_is_scripted() {
    let sdk = FakeSdk::with(Dialect::PingCore, BY_HAND).expect("a free port");
    let at = sdk.address();
    let help = ask(at, "GET", "/fake/", "").expect("it answers");
    // Every path of its help is one that there is.
    for path in help.body.split("/fake/").skip(1) {
        let path = path.split([' ', ')']).next().unwrap_or_default();
        let path = format!("/fake/{}", path.trim());
        if ["/fake/gone", "/fake/die"].contains(&path.as_str()) {
            continue; // Another test's: this one needs its endpoint.
        }
        let told = ["GET", "POST"].map(|method| ask(at, method, &path, "{}"));
        let known = told.map(|answer| answer.map_or(200, |answer| answer.status));
        assert!(known.iter().any(|it| *it != 404), "{path} is in the help");
    }
    sdk.undo_shut_down();
    assert_eq!(say(at, "/fake/hold", "{}").status, 400);
    let misspelt = say(at, "/fake/allocate", r#"{"id":"m-1","ticket":{"t1":2}}"#);
    assert_eq!(misspelt.status, 400);
    assert!(
        misspelt.body.contains(r#"no key \"ticket\""#),
        "{}",
        misspelt.body
    );
    say(
        at,
        "/fake/hold",
        r#"{"id":"r-1","players":["p1"],"seconds":60,"after":1}"#,
    );
    let lookup = || ask(at, "GET", "/pingcore/reservations/r-1", "").expect("it answers");
    assert_eq!(lookup().status, 404);
    assert_eq!(lookup().json()["playerIds"], json!(["p1"]));
    say(at, "/fake/release", r#"{"id":"r-1"}"#);
    assert_eq!(lookup().status, 404);
    say(at, "/fake/allocate", r#"{"id":"m-1","tickets":{"t1":2}}"#);
    say(at, "/fake/backfill", r#"{"id":"b-1","tickets":{"t2":1}}"#);
    let state = ask(at, "GET", "/fake/state", "")
        .expect("it answers")
        .json();
    assert_eq!(state["view"]["status"]["state"], "Allocated");
    assert_eq!(state["backfills"][0]["sessionId"], "m-1");
    say(at, "/fake/clear", "");
    say(at, "/fake/shutdown", "");
    assert_eq!(sdk.shown_state(), "Shutdown");
    assert!(!sdk.integrated());
    let calls = ask(at, "GET", "/fake/calls", "")
        .expect("it answers")
        .json();
    assert_eq!(calls["calls"].as_array().map(Vec::len), Some(3));
}

#[test]
fn an_endpoint_is_made_to_misbehave_and_to_be_gone_for_a_while() {
    let sdk = FakeSdk::with(Dialect::PingCore, BY_HAND).expect("a free port");
    let at = sdk.address();
    let status = || ask(at, "GET", "/gameserver", "").map(|answer| answer.status);
    say(
        at,
        "/fake/fault",
        r#"{"path":"/gameserver","do":"page","status":503,"times":1}"#,
    );
    assert_eq!(status().expect("it answers"), 503);
    assert_eq!(status().expect("it answers"), 200);
    assert_eq!(say(at, "/fake/fault", r#"{"do":"dance"}"#).status, 400);
    say(at, "/fake/fault", r#"{"do":"close"}"#);
    assert!(status().is_err());
    let behave = ask(at, "DELETE", "/fake/fault", "").expect("what scripts it is not spoiled");
    assert_eq!((behave.status, status().expect("it behaves")), (200, 200));
    assert_eq!(say(at, "/fake/die", r#"{"seconds":1}"#).status, 200);
    let end = Instant::now() + Duration::from_secs(20);
    while status().is_ok() {
        assert!(Instant::now() < end, "it goes");
    }
    while status().is_err() {
        assert!(Instant::now() < end, "it comes back");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_scripts_it_is_there_only_by_hand() {
    let sdk = FakeSdk::start();
    let answer = say(sdk.address(), "/fake/shutdown", "");
    assert_eq!(
        (answer.status, answer.json()),
        (501, json!({ "error": "not_implemented" }))
    );
    assert_eq!(sdk.shown_state(), "Scheduled");
}

#[test]
fn discovery_is_scripted() {
    let discovery = FakeDiscovery::with("dsc_x", BY_HAND).expect("a free port");
    let at = discovery.address();
    assert!(
        ask(at, "GET", "/fake/", "")
            .expect("it answers")
            .body
            .contains("/fake/reserve")
    );
    say(
        at,
        "/fake/reserve",
        r#"{"id":"r-1","seats":2,"server":"s"}"#,
    );
    say(at, "/fake/heartbeat", r#"{"status":429,"retryAfter":3}"#);
    let header = "Authorization: Bearer dsc_x\r\n";
    let send = |method, target| ask_with(at, method, target, header, "").expect("it answers");
    let verify = || send("GET", "/v1/reservations/verify/r-1?serverId=s&playerId=p").json();
    assert_eq!(verify()["seats"], 2);
    say(at, "/fake/verdicts-only", "");
    assert_eq!(verify(), json!({ "error": false, "valid": true }));
    assert_eq!(
        send("POST", "/v1/heartbeat").header("retry-after"),
        Some("3")
    );
    say(at, "/fake/verify", r#"{"id":"r-1","answer":{"odd":1}}"#);
    assert_eq!(verify(), json!({ "odd": 1 }));
}
