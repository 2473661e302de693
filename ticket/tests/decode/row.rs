//! What a row is, and payloads to begin with.

use usher_ticket::{Kind, Reason};

pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) payload: Vec<u8>,
    pub(crate) expected: Result<Kind, Reason>,
}

impl Row {
    pub(crate) fn new(
        name: &str,
        payload: impl Into<Vec<u8>>,
        expected: Result<Kind, Reason>,
    ) -> Row {
        Row {
            name: name.to_owned(),
            payload: payload.into(),
            expected,
        }
    }
}

/// A valid ticket's fields, each as it is written in JSON.
pub(crate) fn valid(kind: Kind) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("v", "1".to_owned()),
        ("kind", format!(r#""{kind}""#)),
        ("protocolVersion", "3".to_owned()),
        ("playerId", r#""p-alice""#.to_owned()),
    ];
    match kind {
        Kind::Reservation => fields.push(("reservationId", r#""rsv_a1""#.to_owned())),
        Kind::Match | Kind::Backfill => {
            fields.push(("ticketId", r#""q3Vx9mKc0TzR1bN4wYp7Lg""#.to_owned()));
            fields.push(("allocationId", r#""b7e2""#.to_owned()));
        }
        Kind::Lan => {}
    }
    fields
}

/// A valid ticket with some fields set to other JSON, or added.
pub(crate) fn with(kind: Kind, changes: &[(&'static str, &str)]) -> String {
    let mut fields = valid(kind);
    for (key, json) in changes {
        match fields.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = (*json).to_owned(),
            None => fields.push((key, (*json).to_owned())),
        }
    }
    object(&fields)
}

/// A valid ticket without some fields.
pub(crate) fn without(kind: Kind, keys: &[&str]) -> String {
    let mut fields = valid(kind);
    fields.retain(|(key, _)| !keys.contains(key));
    object(&fields)
}

/// A valid ticket of the shortest kind, with this in place of its last brace.
pub(crate) fn ending(rest: &str) -> String {
    let whole = object(&valid(Kind::Lan));
    let open = whole.strip_suffix('}').expect("an object");
    format!("{open}{rest}")
}

fn object(fields: &[(&str, String)]) -> String {
    let members: Vec<_> = fields
        .iter()
        .map(|(key, json)| format!(r#""{key}":{json}"#))
        .collect();
    format!("{{{}}}", members.join(","))
}
