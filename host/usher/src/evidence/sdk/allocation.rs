//! One allocation of the game server: a match that the platform gave it, or a session that was claimed.

use super::context;
use super::roster::{Context, RosterEntry};
use super::view::{Annotated, ContextText};
use crate::text::Shown;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use usher_core::Digest;

/// What the ids of claimed sessions begin with.
const SELF: &str = "self-";

/// Who made an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The platform, for a match.
    Platform,
    /// Whoever asked the local endpoint for it: the game, or Usher.
    SelfMade,
}

impl Origin {
    pub(super) fn word(self) -> &'static str {
        match self {
            Origin::Platform => "platform",
            Origin::SelfMade => "self",
        }
    }
}

/// An allocation.
pub(super) struct Allocation {
    pub(super) id: Arc<str>,
    pub(super) origin: Origin,
    /// Whether its id alone lets players in.
    pub(super) rosterless: bool,
    /// Whether its context could be read.
    pub(super) context_valid: bool,
    /// Whether its roster has more entries than are kept.
    pub(super) cut: bool,
    /// What it was made of, to know it again.
    context: Option<Digest>,
    /// What policies are told of it, but for the capacity, which may change.
    told: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    id: &'a str,
    origin: &'static str,
    matchmaker: bool,
    context_valid: bool,
    rosterless: bool,
    roster: &'a [RosterEntry],
}

impl Allocation {
    pub(super) fn new(annotated: &Annotated) -> Allocation {
        let origin = match annotated.id.starts_with(SELF) {
            true => Origin::SelfMade,
            false => Origin::Platform,
        };
        let (context, to_policy) = match &annotated.context {
            ContextText::Absent => (Context::absent(), Some("{}".to_owned())),
            ContextText::Text(text) => (Context::parse(text), context::to_policy(text)),
            ContextText::Other => (Context::invalid(), None),
        };
        // The id of a claimed session can be guessed, so it must not be what lets someone in.
        let rosterless = context.rosterless() && origin == Origin::Platform;
        let told = Told {
            id: &annotated.id,
            origin: origin.word(),
            matchmaker: context.matchmaker,
            context_valid: context.valid,
            rosterless,
            roster: &context.roster,
        };
        // Strings and numbers: nothing of it fails to be written.
        let mut told = serde_json::to_string(&told).unwrap_or_default();
        let closing = told.pop();
        debug_assert_eq!(closing, Some('}'));
        told.push_str(",\"context\":");
        told.push_str(
            to_policy
                .as_deref()
                .filter(|_| context.valid)
                .unwrap_or("null"),
        );
        Allocation {
            id: annotated.id.as_ref().into(),
            origin,
            rosterless,
            context_valid: context.valid,
            cut: context.cut,
            context: digest(&annotated.context),
            told,
        }
    }

    /// Whether it is still the same in every respect.
    pub(super) fn is(&self, annotated: &Annotated) -> bool {
        *self.id == *annotated.id && self.context == digest(&annotated.context)
    }

    /// What policies are told of it, as JSON.
    pub(super) fn to_json(&self, capacity: Option<i32>) -> String {
        let cap = capacity.map_or("null".to_owned(), |cap| cap.to_string());
        format!("{},\"cap\":{cap}}}", self.told)
    }
}

/// Something that no context of another kind or wording has.
fn digest(context: &ContextText) -> Option<Digest> {
    match context {
        ContextText::Absent => None,
        ContextText::Text(text) => Some(Digest::of(text)),
        // No valid context is this text.
        ContextText::Other => Some(Digest::of("")),
    }
}

/// For logs and the status: the id, or where knowing it is enough to get in, its ref.
impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rosterless {
            true => write!(f, "ref {}", Digest::of(&self.id)),
            false => Shown(&self.id).fmt(f),
        }
    }
}

impl fmt::Debug for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn allocation(id: &str, context: ContextText) -> Allocation {
        let id = id.into();
        Allocation::new(&Annotated { id, context })
    }

    fn told(id: &str, context: &str, cap: Option<i32>) -> Value {
        let allocation = allocation(id, ContextText::Text(context.into()));
        serde_json::from_str(&allocation.to_json(cap)).unwrap()
    }

    #[test]
    fn policies_are_told_what_decides() {
        let context = r#"{"matchmaker":true,"queue":"form","roster":[{"ticketId":"f","partySize":1,"playerId":null,"context":{}}]}"#;
        assert_eq!(
            told("match-1", context, None),
            json!({
                "id": "match-1", "origin": "platform", "matchmaker": true, "contextValid": true,
                "rosterless": false, "cap": null,
                "roster": [{"ticketId": "f", "partySize": 1, "playerId": null}],
                "context": serde_json::from_str::<Value>(context).unwrap(),
            })
        );
        let told = told("b-1", r#"{"mode":"ranked"}"#, Some(8));
        assert_eq!(
            (&told["rosterless"], &told["cap"]),
            (&json!(true), &json!(8))
        );
    }

    #[test]
    fn a_claimed_session_lets_nobody_in_by_its_id() {
        let told = told("self-1790938521881", "{}", Some(8));
        assert_eq!(
            (&told["origin"], &told["rosterless"]),
            (&json!("self"), &json!(false))
        );
    }

    #[test]
    fn a_context_that_does_not_parse_is_told_as_such() {
        for context in [ContextText::Text("[]".into()), ContextText::Other] {
            let allocation = allocation("b-1", context);
            let told: Value = serde_json::from_str(&allocation.to_json(None)).unwrap();
            assert_eq!(told["contextValid"], false);
            assert_eq!(told["rosterless"], false);
            assert_eq!(told["context"], Value::Null);
        }
        let absent = allocation("b-1", ContextText::Absent);
        assert!(absent.rosterless && absent.context_valid);
    }

    #[test]
    fn an_id_that_is_enough_to_get_in_is_shown_as_its_ref() {
        let rosterless = allocation("9b2f6c1e-4d7a", ContextText::Absent);
        let shown = format!("{rosterless} {rosterless:?}");
        assert!(
            !shown.contains("9b2f") && shown.starts_with("ref "),
            "{shown}"
        );
        let text = ContextText::Text(r#"{"matchmaker":true}"#.into());
        assert_eq!(allocation("match-1", text).to_string(), "match-1");
    }

    #[test]
    fn whatever_is_in_it_policies_can_read_what_they_are_told() {
        for text in ["t", "\u{1}", "\"", "\u{e9}"] {
            let id = text.repeat(1000 / text.len());
            let entry = json!({"ticketId": id, "partySize": i32::MAX, "playerId": id});
            for roster in [
                vec![entry.clone(); 3000],
                vec![json!({"ticketId": "t", "partySize": i32::MAX, "playerId": "p"}); 5000],
            ] {
                let context = json!({"roster": roster, "x": "\u{1}".repeat(10_000)}).to_string();
                let told =
                    allocation(&id, ContextText::Text(context.into())).to_json(Some(i32::MAX));
                assert!(told.len() < 500 * 1024, "{}", told.len());
                assert!(told.len() > 100 * 1024, "{}", told.len());
            }
        }
    }

    #[test]
    fn another_context_makes_it_another() {
        let text = |text: &str| ContextText::Text(text.into());
        let contexts = [
            text("{}"),
            text("{ }"),
            text("x"),
            ContextText::Absent,
            ContextText::Other,
        ];
        for (i, one) in contexts.iter().enumerate() {
            for (j, other) in contexts.iter().enumerate() {
                let annotated = Annotated {
                    id: "a".into(),
                    context: other.clone(),
                };
                assert_eq!(allocation("a", one.clone()).is(&annotated), i == j);
            }
        }
    }
}
