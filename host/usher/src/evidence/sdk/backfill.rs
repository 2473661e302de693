//! The list of backfills that the endpoint delivered, and what policies are told of one.

use super::endpoint::Answer;
use super::loose::{Entry, Listed, Loose, Part};
use super::roster::{Context, RosterEntry};
use crate::evidence::http::HttpError;
use serde::{Deserialize, Serialize};

/// Most backfills that are kept of a list: the last ones. It is told with the oldest first, and only the end
/// of the session makes it shorter, so those that someone still comes by are at its end.
const BACKFILLS: usize = 256;

/// A delivered backfill.
pub(super) struct Backfill {
    pub(super) allocation_id: Box<str>,
    /// The allocation that it joins.
    pub(super) session_id: Option<Box<str>>,
    context: Context,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BackfillWire {
    #[serde(default)]
    allocation_id: Loose,
    #[serde(default)]
    session_id: Loose,
    #[serde(default)]
    context: ContextOrNone,
}

/// A context, or whatever else stands there.
#[derive(Default)]
struct ContextOrNone(Option<Context>);

impl<'de> Deserialize<'de> for ContextOrNone {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<ContextOrNone, D::Error> {
        let Part(context) = Part::<Context>::deserialize(from)?;
        Ok(ContextOrNone(context))
    }
}

impl Entry for Backfill {
    const MOST: usize = BACKFILLS;

    const LAST: bool = true;

    type Wire = Part<BackfillWire>;

    fn of(Part(wire): Part<BackfillWire>) -> Option<Backfill> {
        let wire = wire?;
        let context = wire.context.0.unwrap_or_else(Context::invalid);
        Some(Backfill {
            allocation_id: wire.allocation_id.text()?,
            session_id: wire
                .session_id
                .text()
                .or_else(|| context.session_id.clone()),
            context,
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    allocation_id: &'a str,
    session_id: Option<&'a str>,
    matchmaker: bool,
    context_valid: bool,
    rosterless: bool,
    roster: &'a [RosterEntry],
}

impl Backfill {
    /// What policies are told of it, as JSON.
    pub(super) fn to_json(&self) -> Vec<u8> {
        let told = Told {
            allocation_id: &self.allocation_id,
            session_id: self.session_id.as_deref(),
            matchmaker: self.context.matchmaker,
            context_valid: self.context.valid,
            rosterless: self.context.rosterless(),
            roster: &self.context.roster,
        };
        // Strings and numbers: nothing of it fails to be written.
        serde_json::to_vec(&told).unwrap_or_default()
    }
}

/// What an answer says; an error says why it says nothing.
pub(super) fn read(answer: Result<Answer, HttpError>) -> Result<Vec<Backfill>, &'static str> {
    #[derive(Deserialize)]
    struct Wire {
        backfills: Listed<Backfill>,
    }

    const UNREADABLE: &str = "the backfills cannot be read";
    let answer = answer.map_err(|error| match error {
        HttpError::TooLong => UNREADABLE,
        _ => "the local SDK endpoint does not answer",
    })?;
    match answer.status {
        200 => {}
        404 | 501 => return Err("the local SDK endpoint has no backfills"),
        _ => return Err("the local SDK endpoint refused to show the backfills"),
    }
    let wire: Part<Wire> = serde_json::from_slice(&answer.body).map_err(|_| UNREADABLE)?;
    match wire {
        Part(Some(Wire {
            backfills: Listed::List { usable, .. },
        })) => Ok(usable),
        _ => Err(UNREADABLE),
    }
}

/// The backfill with this id: one that joins the current allocation, or else any.
pub(super) fn choose<'a>(
    backfills: &'a [Backfill],
    id: &str,
    current: Option<&str>,
) -> Option<(&'a Backfill, bool)> {
    let mut with_id = backfills
        .iter()
        .filter(|it| *it.allocation_id == *id)
        .peekable();
    let first = *with_id.peek()?;
    let joins = |it: &&Backfill| current.is_some() && it.session_id.as_deref() == current;
    Some(with_id.find(joins).map_or((first, false), |it| (it, true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn answer(status: u16, body: &str) -> Result<Answer, HttpError> {
        let body = body.as_bytes().to_vec();
        Ok(Answer { status, body })
    }

    fn list(backfills: Value) -> Vec<Backfill> {
        let body = json!({ "backfills": backfills }).to_string();
        read(answer(200, &body)).unwrap_or_else(|why| panic!("{why}"))
    }

    #[test]
    fn a_backfill_is_told_with_the_session_that_it_joins() {
        // As the public contract of the fleet's endpoint shows it.
        let list = list(
            json!([{"allocationId": "b7e2", "sessionId": "match-1", "claims": {"players": 2}, "context": {"matchmaker": true, "backfill": true, "queue": "ranked", "sessionId": "match-0", "roster": [{"ticketId": "t1", "partySize": 2, "playerId": "steam:1", "attributes": null, "context": null}]}, "deliveredAt": 1234}]),
        );
        let told: Value = serde_json::from_slice(&list[0].to_json()).unwrap();
        assert_eq!(
            told,
            json!({
                "allocationId": "b7e2", "sessionId": "match-1", "matchmaker": true,
                "contextValid": true, "rosterless": false,
                "roster": [{"ticketId": "t1", "partySize": 2, "playerId": "steam:1"}],
            })
        );
    }

    #[test]
    fn the_session_may_stand_in_the_context_alone() {
        for (top, session) in [
            (json!("a"), Some("a")),
            (Value::Null, Some("b")),
            (json!(""), Some("b")),
            (json!(7), Some("b")),
        ] {
            let entry =
                json!({"allocationId": "x", "sessionId": top, "context": {"sessionId": "b"}});
            assert_eq!(list(json!([entry]))[0].session_id.as_deref(), session);
        }
        let without = list(json!([{"allocationId": "x"}]));
        assert_eq!(without[0].session_id, None);
        assert!(!without[0].context.valid);
    }

    #[test]
    fn entries_without_an_id_do_not_count() {
        let list = list(json!([
            {"sessionId": "a"}, {"allocationId": null}, {"allocationId": ""}, {"allocationId": 7}, null, 3,
            "x", ["allocationId", "x"], {"allocationId": "x", "context": "none", "sessionId": "a"},
        ]));
        assert_eq!(list.len(), 1);
        let told: Value = serde_json::from_slice(&list[0].to_json()).unwrap();
        assert_eq!(
            (&told["contextValid"], &told["rosterless"]),
            (&json!(false), &json!(false))
        );
    }

    #[test]
    fn the_one_that_joins_the_current_session_is_chosen() {
        let list = list(json!([
            {"allocationId": "x", "sessionId": "old"}, {"allocationId": "y", "sessionId": "now"},
            {"allocationId": "x", "sessionId": "now"}, {"allocationId": "z"},
        ]));
        let chosen = |id, current| {
            let chosen = choose(&list, id, current);
            chosen.map(|(it, joins)| (it.session_id.as_deref(), joins))
        };
        assert_eq!(chosen("x", Some("now")), Some((Some("now"), true)));
        assert_eq!(chosen("x", Some("else")), Some((Some("old"), false)));
        assert_eq!(chosen("x", None), Some((Some("old"), false)));
        assert_eq!(chosen("z", None), Some((None, false)));
        assert_eq!(chosen("X", Some("now")), None);
    }

    #[test]
    fn anything_but_a_list_is_an_error() {
        for (status, body) in [
            (200, ""),
            (200, "[]"),
            (200, "{}"),
            (200, r#"{"backfills":null}"#),
            (200, r#"{"backfills":{}}"#),
            (200, r#"{"backfills":[}"#),
            (404, r#"{"backfills":[]}"#),
            (501, r#"{"error":"not_implemented"}"#),
            (500, r#"{"backfills":[]}"#),
            (204, ""),
        ] {
            assert!(read(answer(status, body)).is_err(), "{status} {body}");
        }
        assert!(read(Err(HttpError::TooLong)).is_err());
        assert!(read(Err(HttpError::TimedOut)).is_err());
        assert_eq!(list(json!([])).len(), 0);
    }

    #[test]
    fn of_a_huge_list_the_newest_are_kept() {
        let entry =
            |number: usize| json!({"allocationId": format!("b{number}"), "sessionId": "now"});
        for length in [BACKFILLS, BACKFILLS + 1, 10 * BACKFILLS] {
            let list = list((0..length).map(entry).collect());
            assert_eq!(list.len(), BACKFILLS);
            let chosen =
                |number: usize| choose(&list, &format!("b{number}"), Some("now")).is_some();
            assert!(
                chosen(length - 1) && chosen(length - BACKFILLS),
                "of {length}"
            );
            assert!(
                !chosen(length) && (length == BACKFILLS || !chosen(0)),
                "of {length}"
            );
        }
    }
}
