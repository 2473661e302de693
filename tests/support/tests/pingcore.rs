//! The stand-in of a fleet's endpoint says what the contract's examples say.

mod wire;

use serde_json::{Value, json};
use std::time::Duration;
use usher_stand_ins::{Backfill, FakeSdk, Hold, context};
use wire::{Answer, Watch, ask, fixture, fixture_text, state};

fn get(sdk: &FakeSdk, path: &str) -> Answer {
    ask(sdk.address(), "GET", path, "").expect("it answers")
}

fn send(sdk: &FakeSdk, method: &str, path: &str, body: &str) -> Answer {
    ask(sdk.address(), method, path, body).expect("it answers")
}

/// The hold of the examples.
fn example() -> Hold {
    let mut hold = Hold::named("rsv_a1", &["p-alice", "p-bob"])
        .with_context(json!({ "mode": "duel", "token": "ctx-secret-value-7d1e" }));
    hold.expires_at = 1_790_938_560_000;
    hold
}

#[test]
fn the_view_is_that_of_the_examples() {
    let sdk = FakeSdk::start();
    sdk.allocate_with_text("match-1", Some(r#"{"mode":"ranked"}"#));
    let mut backfill = Backfill::new("b1", "match-1", &[]);
    backfill.context = json!({ "backfill": true, "sessionId": "match-1", "roster": [] });
    sdk.deliver_backfill(backfill);
    // The text in an annotation may have its keys in any order.
    let normal = |mut view: Value| {
        let annotation = &mut view["object_meta"]["annotations"]["pingcore.io/backfill-context"];
        let text = annotation.as_str().expect("it is text");
        *annotation = serde_json::from_str(text).expect("it is JSON");
        view
    };
    let answer = get(&sdk, "/gameserver");
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    assert_eq!(normal(answer.json()), normal(fixture("gameserver.json")));
    let line: Value = serde_json::from_str(fixture_text("watch.ndjson").trim()).expect("JSON");
    let mut watch = Watch::open(sdk.address());
    assert_eq!(normal(watch.view()), normal(line["result"].clone()));
}

#[test]
fn a_hold_is_found_by_its_id_until_it_is_released_or_expired() {
    let sdk = FakeSdk::start();
    let path = "/pingcore/reservations/rsv_a1";
    let missing = get(&sdk, path);
    assert_eq!(
        (missing.status, missing.json()),
        (404, fixture("reservation.404.json"))
    );

    // The examples' own time may be over on the day on which this runs.
    let mut hold = example();
    let mut expected = fixture("hold.json");
    if get_time() >= hold.expires_at {
        hold = hold.lasting(Duration::from_secs(3600));
        expected["expiresAt"] = hold.expires_at.into();
    }
    sdk.hold(hold);
    assert_eq!(get(&sdk, path).json(), expected);
    let all = json!({ "reservations": [expected] });
    assert_eq!(get(&sdk, "/pingcore/reservations").json(), all);
    assert_eq!(
        fixture("reservations.json")["reservations"][0],
        fixture("hold.json")
    );

    sdk.expire("rsv_a1");
    assert_eq!(get(&sdk, path).status, 404);
    sdk.expire_and_show("rsv_a1");
    let late = get(&sdk, path).json()["expiresAt"].as_u64();
    assert!(late.is_some_and(|it| it < get_time()), "{late:?}");
    sdk.release("rsv_a1");
    assert_eq!(get(&sdk, path).status, 404);
}

fn get_time() -> u64 {
    let since = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .expect("it is later");
    u64::try_from(since.as_millis()).expect("it fits")
}

#[test]
fn a_hold_may_be_seen_only_after_some_lookups_and_under_an_encoded_id() {
    let sdk = FakeSdk::start();
    sdk.hold_after(Hold::open("a b/c:d", 2), 2);
    let path = "/pingcore/reservations/a%20b%2Fc%3Ad";
    assert_eq!(get(&sdk, path).status, 404);
    assert_eq!(get(&sdk, path).status, 404);
    let found = get(&sdk, path);
    assert_eq!((found.status, &found.json()["seats"]), (200, &json!(2)));
    assert_eq!(sdk.calls().count("GET", path), 3);
}

#[test]
fn backfills_are_listed_oldest_first_as_in_the_examples() {
    let sdk = FakeSdk::start();
    let mut backfill = Backfill::new("b7e2", "match-1", &[("t1", 2)]);
    backfill.context["roster"][0]["playerId"] = json!("steam:1");
    backfill.delivered_at = 1234;
    sdk.deliver_backfill(backfill);
    assert_eq!(get(&sdk, "/v1/backfills").json(), fixture("backfills.json"));
    sdk.deliver_backfill(Backfill::new("b2", "match-1", &[]));
    let all = get(&sdk, "/v1/backfills").json();
    assert_eq!(all["backfills"][1]["allocationId"], "b2");
    let view = sdk.view();
    assert_eq!(
        view["object_meta"]["annotations"]["pingcore.io/backfill-id"],
        "b2"
    );
}

#[test]
fn a_matchmakers_context_has_the_shape_of_the_examples() {
    let mut expected = fixture("allocation.context.json");
    expected["queue"] = json!("ranked");
    expected["roster"][0]["context"] = Value::Null;
    assert_eq!(context::matchmaker(&[("f", 1)]), expected);
}

#[test]
fn counters_are_read_and_written() {
    let sdk = FakeSdk::start();
    let path = "/v1beta1/counters/players";
    let missing = get(&sdk, path);
    assert_eq!(missing.status, 404);
    assert_eq!(
        missing.json(),
        json!({ "message": "counter players not found" })
    );
    sdk.fleet_counter("players", 8);
    let patched = send(&sdk, "PATCH", path, r#"{"count":"3"}"#);
    assert_eq!(
        (patched.status, patched.json()),
        (200, fixture("counter.json"))
    );
    let wrong = send(&sdk, "PATCH", path, r#"{"count":1.5}"#);
    let error = fixture("error.counter-not-integer.json");
    assert_eq!((wrong.status, wrong.json()), (400, error));
    // A count comes before a difference, is never below 0, and is not held to the capacity.
    send(&sdk, "PATCH", path, r#"{"count":5,"countDiff":2}"#);
    assert_eq!(sdk.counter("players"), Some((5, 8)));
    send(&sdk, "PATCH", path, r#"{"countDiff":"-9"}"#);
    assert_eq!(sdk.counter("players"), Some((0, 8)));
    send(&sdk, "PATCH", path, r#"{"count":99,"capacity":4}"#);
    assert_eq!(sdk.counter("players"), Some((99, 4)));
    // One that nobody knows is made, and the view has the fleet's only.
    send(&sdk, "PATCH", "/v1beta1/counters/extra", "not json");
    assert_eq!(sdk.counter("extra"), Some((0, 0)));
    let counters = sdk.view()["status"]["counters"].clone();
    assert_eq!(
        counters,
        json!({ "players": { "count": "99", "capacity": "4" } })
    );
}

#[test]
fn the_joinable_record_is_said_back() {
    let sdk = FakeSdk::start();
    let path = "/v1/sessions/match-83a1/joinable";
    let body = r#"{"queue":" ranked ","openSeats":3,"sessionSize":8,"ttlSeconds":60,
                   "attributes":{"skill":1210,"gone":null}}"#;
    let answer = send(&sdk, "POST", path, body);
    let as_it_is = fixture_text("joinable.record.json")
        .trim()
        .replace(": ", ":")
        .replace(", ", ",");
    assert_eq!((answer.status, answer.body), (200, as_it_is));
    let least = send(
        &sdk,
        "POST",
        "/v1/sessions/match-1/joinable",
        r#"{"openSeats":2}"#,
    );
    assert_eq!(least.json(), fixture("joinable.record.default.json"));
    assert_eq!(sdk.joinable(), Some(least.json()));
    for wrong in [r#"{"openSeats":"2"}"#, r#"{"openSeats":-1}"#, "{}", "no"] {
        let answer = send(&sdk, "POST", path, wrong);
        let error = fixture("error.joinable-bad-body.json");
        assert_eq!((answer.status, answer.json()), (400, error), "{wrong}");
    }
    for _ in 0..2 {
        assert_eq!(
            send(&sdk, "DELETE", "/v1/sessions/match-1/joinable", "").status,
            200
        );
        assert_eq!(sdk.joinable(), None);
    }
}

#[test]
fn the_state_has_an_order_of_precedence() {
    let sdk = FakeSdk::start();
    assert_eq!(sdk.shown_state(), "Scheduled");
    send(&sdk, "POST", "/ready", "{}");
    assert_eq!(sdk.shown_state(), "Ready");
    sdk.allocate("match-1", &context::rosterless());
    assert_eq!(sdk.shown_state(), "Allocated");
    send(&sdk, "POST", "/shutdown", "{}");
    assert_eq!(sdk.shown_state(), "Shutdown");
    sdk.undo_shut_down();
    sdk.clear_allocation();
    assert_eq!(sdk.shown_state(), "Ready");
}

#[test]
fn a_self_allocation_replaces_what_is_current_and_touches_nothing_else() {
    let sdk = FakeSdk::start();
    sdk.allocate("match-1", &context::matchmaker(&[("t1", 1)]));
    sdk.deliver_backfill(Backfill::new("b1", "match-1", &[]));
    send(
        &sdk,
        "POST",
        "/v1/sessions/match-1/joinable",
        r#"{"openSeats":2}"#,
    );
    let answer = send(&sdk, "POST", "/allocate", "{}");
    assert_eq!(
        (answer.status, answer.json()),
        (200, fixture("allocate.response.json"))
    );
    let id = sdk.allocation().expect("one is current");
    let ms = id
        .strip_prefix("self-")
        .and_then(|ms| ms.parse::<u64>().ok());
    assert!(
        ms.is_some_and(|ms| ms.abs_diff(get_time()) < 60_000),
        "{id}"
    );
    let annotations = sdk.view()["object_meta"]["annotations"].clone();
    assert_eq!(annotations["pingcore.io/allocation-context"], "{}");
    assert_eq!(sdk.backfills(), ["b1"]);
    assert!(sdk.joinable().is_some());
}

#[test]
fn a_session_that_ends_takes_everything_of_it_away_and_a_backfill_only_itself() {
    let sdk = FakeSdk::start();
    sdk.allocate("match-1", &context::rosterless());
    for id in ["b1", "b2"] {
        sdk.deliver_backfill(Backfill::new(id, "match-1", &[]));
    }
    send(
        &sdk,
        "POST",
        "/v1/sessions/match-1/joinable",
        r#"{"openSeats":2}"#,
    );
    assert_eq!(
        send(&sdk, "POST", "/v1/sessions/b1/ended", "{}").status,
        200
    );
    assert_eq!(sdk.backfills(), ["b2"]);
    assert_eq!(
        send(&sdk, "POST", "/v1/sessions/nobody/ended", "{}").status,
        200
    );
    assert_eq!(sdk.allocation().as_deref(), Some("match-1"));
    assert_eq!(
        send(&sdk, "POST", "/v1/sessions/match-1/ended", "{}").status,
        200
    );
    assert_eq!(sdk.allocation(), None);
    assert!(sdk.backfills().is_empty());
    assert_eq!(sdk.joinable(), None);
}

#[test]
fn every_write_to_a_path_that_there_is_integrates_the_game_and_nothing_else_does() {
    for (method, path) in [
        ("GET", "/gameserver"),
        ("GET", "/pingcore/reservations/x"),
        ("GET", "/nothing"),
        ("POST", "/nothing"),
        ("POST", "/gameserver"),
        ("PUT", "/ready"),
    ] {
        let sdk = FakeSdk::start();
        let answer = send(&sdk, method, path, "");
        assert!(!sdk.integrated() && !sdk.draining(), "{method} {path}");
        if answer.status == 501 {
            assert_eq!(answer.json(), json!({ "error": "not_implemented" }));
        }
    }
    for (method, path) in [
        ("POST", "/health"),
        ("POST", "/allocate"),
        ("POST", "/reserve"),
        ("PATCH", "/v1beta1/counters/x"),
        ("POST", "/v1beta1/lists/x:addValue"),
        ("POST", "/v1/sessions/x/joinable"),
        ("DELETE", "/v1/sessions/x/joinable"),
        ("POST", "/v1/sessions/x/ended"),
        ("PUT", "/metadata/label"),
        ("POST", "/alpha/player/connect"),
    ] {
        let sdk = FakeSdk::start();
        assert_ne!(send(&sdk, method, path, "").status, 501, "{method} {path}");
        assert!(sdk.integrated() && sdk.draining(), "{method} {path}");
        send(&sdk, "POST", "/ready", "{}");
        assert!(!sdk.draining());
    }
}

#[test]
fn calls_that_exist_for_others_are_taken_and_do_nothing() {
    let sdk = FakeSdk::start();
    assert_eq!(
        get(&sdk, "/alpha/player/count").json(),
        json!({ "count": "0" })
    );
    assert_eq!(
        get(&sdk, "/alpha/player/connected").json(),
        json!({ "list": [] })
    );
    assert_eq!(
        get(&sdk, "/alpha/player/connected/p").json(),
        json!({ "bool": false })
    );
    let connect = send(&sdk, "POST", "/alpha/player/connect", "{}");
    assert_eq!(connect.json(), json!({ "bool": true }));
    let list = get(&sdk, "/v1beta1/lists/players");
    assert_eq!(list.json(), json!({ "message": "list players not found" }));
    let long = format!(r#"{{"key":"k","value":"{}"}}"#, "v".repeat(2049));
    assert_eq!(send(&sdk, "PUT", "/metadata/label", &long).status, 400);
    let label = send(&sdk, "PUT", "/metadata/label", r#"{"key":"k","value":"v"}"#);
    assert_eq!(label.status, 200);
    assert_eq!(sdk.view()["object_meta"]["labels"]["k"], "v");
}

#[test]
fn each_change_is_seen_by_who_watches_before_its_write_is_answered() {
    let sdk = FakeSdk::start();
    sdk.fleet_counter("players", 8);
    let mut watch = Watch::open(sdk.address());
    assert_eq!(state(&watch.view()), "Scheduled");
    for _ in 0..50 {
        for (method, path, body, shown) in [
            ("POST", "/ready", "{}", "Ready"),
            ("POST", "/allocate", "{}", "Allocated"),
            (
                "PATCH",
                "/v1beta1/counters/players",
                r#"{"count":1}"#,
                "Allocated",
            ),
            ("POST", "/v1/sessions/nobody/ended", "{}", "Allocated"),
        ] {
            assert_eq!(send(&sdk, method, path, body).status, 200);
            assert!(watch.has_more(), "{path} was answered before it was seen");
            assert_eq!(state(&watch.view()), shown, "{path}");
        }
        let current = sdk.allocation().expect("one is current");
        let ended = format!("/v1/sessions/{current}/ended");
        assert_eq!(send(&sdk, "POST", &ended, "{}").status, 200);
        assert!(watch.has_more(), "{ended} was answered before it was seen");
        assert_eq!(state(&watch.view()), "Ready");
        for (method, path) in [
            ("POST", "/health"),
            ("DELETE", "/v1/sessions/x/joinable"),
            ("GET", "/gameserver"),
        ] {
            send(&sdk, method, path, "");
            assert!(!watch.has_more(), "{path} pushes nothing");
        }
    }
    sdk.shut_down();
    assert_eq!(state(&watch.view()), "Shutdown");
    drop(watch);
    sdk.wait_for_watches(0);
}
