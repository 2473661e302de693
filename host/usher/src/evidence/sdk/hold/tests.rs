//! Answers in, what they mean out.

use super::*;
use serde_json::json;

const ID: &str = "rsv_a1";
const EXPIRES: u64 = 1_790_938_560_000;

/// As the public contract of the fleet's endpoint shows it.
fn record() -> Value {
    json!({
        "reservationId": ID, "serverId": "4211", "seats": 2, "playerIds": ["p-alice", "p-bob"],
        "context": {"mode": "duel", "token": "ctx-secret-value-7d1e"}, "expiresAt": EXPIRES,
        "ownerKind": "backend", "ownerPlayerId": null,
    })
}

fn answered(status: u16, body: impl AsRef<[u8]>) -> Looked {
    let body = body.as_ref().to_vec();
    read(Ok(Answer { status, body }), ID, EXPIRES - 1)
}

fn with(field: &str, value: Value) -> Looked {
    let mut record = record();
    record[field] = value;
    answered(200, record.to_string())
}

#[track_caller]
fn told(looked: Looked) -> Value {
    match looked {
        Looked::Found(told) => serde_json::from_str(&told).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_hold_is_told_without_what_policies_need_not_know() {
    let looked = answered(200, record().to_string());
    assert!(!format!("{looked:?}").contains("secret"));
    assert_eq!(
        told(looked),
        json!({
            "seats": 2, "playerIds": ["p-alice", "p-bob"], "expiresAt": EXPIRES,
            "context": {"mode": "duel", "token": "ctx-secret-value-7d1e"},
            "ownerKind": "backend", "ownerPlayerId": null,
        })
    );
}

#[test]
fn what_may_be_missing_is_null() {
    for (field, value) in [
        ("seats", Value::Null),
        ("seats", json!(0)),
        ("playerIds", Value::Null),
        ("playerIds", json!([])),
        ("context", Value::Null),
        ("ownerPlayerId", json!("p-alice")),
        ("serverId", Value::Null),
    ] {
        let told = told(with(field, value.clone()));
        if field != "serverId" {
            assert_eq!(told[field], value);
        }
    }
    let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    let deep = json!({"a": serde_json::from_str::<Value>(&deep).unwrap()});
    assert_eq!(told(with("context", deep))["context"], Value::Null);
}

#[test]
fn every_key_is_required_and_of_its_kind() {
    let failed = |looked| matches!(looked, Looked::Failed(_));
    for field in record().as_object().unwrap().keys() {
        let mut record = record();
        record.as_object_mut().unwrap().remove(field);
        assert!(failed(answered(200, record.to_string())), "without {field}");
    }
    for (field, value) in [
        ("reservationId", json!("rsv_a2")),
        ("reservationId", json!("RSV_A1")),
        ("reservationId", Value::Null),
        ("serverId", json!([])),
        ("seats", json!("2")),
        ("seats", json!(2.5)),
        ("seats", json!(-1)),
        ("seats", json!(1_u64 << 31)),
        ("playerIds", json!("p-alice")),
        ("playerIds", json!(["p-alice", 7])),
        ("playerIds", json!(["p-alice", null])),
        ("playerIds", json!(vec!["p"; PLAYERS + 1])),
        ("context", json!("{}")),
        ("context", json!([])),
        ("expiresAt", json!("1790938560000")),
        ("expiresAt", json!(1.5)),
        ("expiresAt", Value::Null),
        ("ownerKind", json!(1)),
        ("ownerPlayerId", json!({})),
    ] {
        assert!(failed(with(field, value.clone())), "{field}: {value}");
    }
    for body in ["", "null", "[]", "\"x\"", "{", "{}", "<html>"] {
        assert!(failed(answered(200, body)), "{body}");
    }
    assert!(failed(answered(200, format!("{} x", record()))));
}

#[test]
fn a_hold_has_expired_in_the_millisecond_that_it_names() {
    for (expires, expected) in [
        (json!(EXPIRES), "found"),
        (json!(EXPIRES - 1), "expired"),
        (json!(EXPIRES - 2), "expired"),
        (json!(0), "expired"),
        (json!(-1), "expired"),
        (json!(i64::MIN), "expired"),
    ] {
        let looked = with("expiresAt", expires.clone());
        assert_eq!(format!("{looked:?}"), expected, "{expires}");
    }
}

#[test]
fn only_the_endpoints_own_word_means_that_there_is_none() {
    let said = r#"{"message": "reservation not found"}"#;
    assert_eq!(answered(404, said), Looked::NotFound);
    let more = r#"{"message": "reservation not found", "code": 5, "details": []}"#;
    assert_eq!(answered(404, more), Looked::NotFound);
    for (status, body) in [
        (404, ""),
        (404, "<html>not found</html>"),
        (404, r#"{"message": "reservation not found"} x"#),
        (404, r#"{"message": "Reservation not found"}"#),
        (404, r#"{"message": null}"#),
        (404, r#"{"code": 5, "message": "Not Found", "details": []}"#),
        (404, "{}"),
        (404, "[]"),
        (404, "null"),
        (501, r#"{"error":"not_implemented"}"#),
        (501, said),
        (500, said),
        (410, said),
        (503, ""),
        (301, ""),
        (204, ""),
    ] {
        let looked = answered(status, body);
        assert!(matches!(looked, Looked::Failed(_)), "{status} {body}");
    }
    // A record is one only with the status that goes with it.
    assert!(matches!(
        answered(201, record().to_string()),
        Looked::Failed(_)
    ));
    assert!(matches!(
        answered(404, record().to_string()),
        Looked::Failed(_)
    ));
    for error in [
        HttpError::Unreachable,
        HttpError::TimedOut,
        HttpError::Broken,
        HttpError::TooLong,
    ] {
        assert!(matches!(read(Err(error), ID, 0), Looked::Failed(_)));
    }
}

#[test]
fn no_body_makes_it_panic() {
    let whole = record().to_string();
    for end in 0..whole.len() {
        answered(200, &whole.as_bytes()[..end]);
    }
    for byte in 0..=255_u8 {
        let mut broken = whole.clone().into_bytes();
        broken[usize::from(byte) % whole.len()] = byte;
        answered(200, broken);
    }
}
