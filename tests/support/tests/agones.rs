//! The stand-in in Agones' dialect: the same calls, other views and other errors.

mod wire;

use serde_json::{Value, json};
use usher_stand_ins::FakeSdk;
use wire::{Answer, Watch, ask, state};

fn send(sdk: &FakeSdk, method: &str, path: &str, body: &str) -> Answer {
    ask(sdk.address(), method, path, body).expect("it answers")
}

fn error(answer: &Answer) -> (u16, u64, String) {
    let body = answer.json();
    assert_eq!(body["details"], json!([]));
    let message = body["message"].as_str().expect("it is text").to_owned();
    (
        answer.status,
        body["code"].as_u64().expect("a number"),
        message,
    )
}

#[test]
fn the_view_has_everything_populated_and_no_ids_of_its_own() {
    let sdk = FakeSdk::agones();
    let view = send(&sdk, "GET", "/gameserver", "").json();
    assert_eq!(view["status"]["state"], "Ready");
    assert_eq!(view["status"]["players"], Value::Null);
    let rooms = json!({ "count": "1", "capacity": "10" });
    assert_eq!(view["status"]["counters"]["rooms"], rooms);
    assert_eq!(view["status"]["lists"]["players"]["capacity"], "100");
    assert_eq!(view["spec"]["health"]["period_seconds"], 3);
    assert_eq!(view["object_meta"]["generation"], "1");
    send(&sdk, "POST", "/allocate", "");
    let view = sdk.view();
    assert_eq!(view["status"]["state"], "Allocated");
    assert_eq!(
        view["object_meta"]["annotations"],
        json!({ "annotation": "true" })
    );
}

#[test]
fn every_transition_is_allowed_and_seen() {
    let sdk = FakeSdk::agones();
    let mut watch = Watch::open(sdk.address());
    assert_eq!(state(&watch.view()), "Ready");
    for (path, shown) in [
        ("/shutdown", "Shutdown"),
        ("/ready", "Ready"),
        ("/allocate", "Allocated"),
        ("/ready", "Ready"),
        ("/ready", "Ready"),
    ] {
        assert_eq!(send(&sdk, "POST", path, "{}").json(), json!({}));
        assert!(watch.has_more());
        assert_eq!(state(&watch.view()), shown);
    }
    let reserve = send(&sdk, "POST", "/reserve", r#"{"seconds":"1"}"#);
    assert_eq!(reserve.status, 200);
    assert_eq!(state(&watch.view()), "Reserved");
    assert_eq!(state(&watch.view()), "Ready", "a second later");
}

#[test]
fn errors_are_worded_as_by_its_gateway() {
    let sdk = FakeSdk::agones();
    let table = [
        (
            "GET",
            "/v1beta1/counters/nope",
            "",
            500,
            2,
            "not found. nope Counter not found",
        ),
        (
            "GET",
            "/v1beta1/lists/nope",
            "",
            500,
            2,
            "not found. nope List not found",
        ),
        (
            "PATCH",
            "/v1beta1/counters/rooms",
            r#"{"count":"99","capacity":"11"}"#,
            500,
            2,
            "out of range. Count must be within range [0,Capacity]. Found Count: 99, Capacity: 11",
        ),
        (
            "POST",
            "/v1beta1/lists/players:addValue",
            r#"{"value":"test0"}"#,
            500,
            2,
            "already exists. Value: test0 already in List: players",
        ),
        (
            "POST",
            "/v1beta1/lists/players:removeValue",
            r#"{"value":"c"}"#,
            500,
            2,
            "not found. Value: c not found in List: players",
        ),
        (
            "GET",
            "/alpha/player/count",
            "",
            500,
            2,
            "PlayerTracking not enabled",
        ),
        ("GET", "/nothing", "", 404, 5, "Not Found"),
        ("GET", "/pingcore/reservations/r-1", "", 404, 5, "Not Found"),
        ("GET", "/v1/backfills", "", 404, 5, "Not Found"),
        ("GET", "/ready", "", 501, 12, "Method Not Allowed"),
    ];
    for (method, path, body, status, code, message) in table {
        let told = error(&send(&sdk, method, path, body));
        assert_eq!(told, (status, code, message.to_owned()), "{method} {path}");
    }
    for body in ["no", r#"{"count":"x"}"#] {
        let told = error(&send(&sdk, "PATCH", "/v1beta1/counters/rooms", body));
        assert_eq!((told.0, told.1), (400, 3), "{body}");
    }
    let empty = send(&sdk, "POST", "/health", "");
    assert_eq!((empty.status, empty.body.as_str()), (400, ""));
    assert_eq!(send(&sdk, "POST", "/health", "{}{}").status, 200);
}

#[test]
fn counters_and_lists_change_unseen() {
    let sdk = FakeSdk::agones();
    let mut watch = Watch::open(sdk.address());
    watch.view();
    let patch = r#"{"capacity":"11","count":5,"countDiff":"3"}"#;
    let answer = send(&sdk, "PATCH", "/v1beta1/counters/rooms", patch).json();
    let expected = json!({ "name": "rooms", "count": "8", "capacity": "11" });
    assert_eq!(answer, expected);
    let added = send(
        &sdk,
        "POST",
        "/v1beta1/lists/players:addValue",
        r#"{"value":"c"}"#,
    )
    .json();
    assert_eq!(added["values"], json!(["test0", "test1", "test2", "c"]));
    let cut = send(
        &sdk,
        "PATCH",
        "/v1beta1/lists/players",
        r#"{"capacity":"1"}"#,
    )
    .json();
    assert_eq!(
        cut,
        json!({ "name": "players", "capacity": "1", "values": ["test0"] })
    );
    assert!(!watch.has_more());
    let label = r#"{"key":"foo","value":"bar"}"#;
    assert_eq!(send(&sdk, "PUT", "/metadata/label", label).status, 200);
    assert_eq!(
        watch.view()["object_meta"]["labels"]["agones.dev/sdk-foo"],
        "bar"
    );
}
