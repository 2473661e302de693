//! A decision as one JSON object on one line.

use crate::text::push_json;
use serde::Serialize;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use usher_core::{
    Abandonment, Decided, DoorId, FaultKind, Outcome, PolicyStep, Reason, StepVerdict, Why,
};

/// A reason's text may be 64 KiB; the audit needs its beginning.
const TEXT_LIMIT: usize = 512;

/// What is written; what does not apply is left out.
#[derive(Serialize)]
struct Line<'a> {
    time: String,
    request: u64,
    door: &'a str,
    address: SocketAddr,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// Which decision of the request; 0 if it was refused before one was begun.
    attempt: u32,
    policies: Vec<Step<'a>>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Told<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lane: Option<&'a str>,
    /// How an abandoned request went.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    waited_ms: u64,
}

#[derive(Serialize)]
struct Step<'a> {
    policy: &'a str,
    generation: u64,
    why: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'static str>,
    /// The code that it refused with, where the player is told another.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<&'a str>,
    micros: u32,
}

#[derive(Serialize)]
struct Told<'a> {
    code: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u32>,
}

/// Appends the line of a decision, its end included.
pub(super) fn append(decided: &Decided, doors: &[Arc<str>], to: &mut String) {
    let mut line = Line {
        time: time(decided),
        request: decided.request.0,
        door: door_name(doors, decided.door),
        address: decided.peer,
        name: decided.name.as_deref(),
        attempt: decided.attempt,
        policies: decided.steps.iter().map(Step::new).collect(),
        outcome: outcome_word(&decided.outcome),
        reason: None,
        session: None,
        lane: None,
        cause: None,
        waited_ms: u64::try_from(decided.waited.as_millis()).unwrap_or(u64::MAX),
    };
    match &decided.outcome {
        Outcome::Accepted(session) => line.session = Some(session.0),
        Outcome::Rejected(reason) => line.reason = Some(Told::new(reason)),
        Outcome::Waiting(lane) => line.lane = Some(lane),
        Outcome::Abandoned(how) => line.cause = Some(abandonment_word(*how)),
        Outcome::Ended(session, reason) => {
            line.session = Some(session.0);
            line.reason = Some(Told::new(reason));
        }
    }
    match serde_json::to_string(&line) {
        Ok(json) => {
            push_json(&json, to);
            to.push('\n');
        }
        // Only a map with keys that are no strings, or a failing writer, could get here.
        Err(error) => tracing::error!("a decision could not be written as JSON: {error}"),
    }
}

/// A door's name; empty for one that there is not.
pub(super) fn door_name(doors: &[Arc<str>], door: DoorId) -> &str {
    doors.get(usize::from(door.0)).map_or("", |name| name)
}

/// One word for an outcome, here and in metrics.
pub(super) fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Accepted(_) => "accepted",
        Outcome::Rejected(_) => "rejected",
        Outcome::Waiting(_) => "waiting",
        Outcome::Abandoned(_) => "abandoned",
        Outcome::Ended(..) => "ended",
    }
}

impl<'a> Step<'a> {
    fn new(step: &'a PolicyStep) -> Step<'a> {
        let (verdict, fault) = match step.verdict {
            StepVerdict::Pass => ("pass", None),
            StepVerdict::Accept => ("accept", None),
            StepVerdict::Reject => ("reject", None),
            StepVerdict::Wait => ("wait", None),
            StepVerdict::Ask => ("ask", None),
            StepVerdict::Fault(kind) => ("fault", Some(fault_word(kind))),
        };
        Step {
            policy: &step.policy,
            generation: step.generation,
            why: why_word(step.why),
            verdict,
            fault,
            said: step.said.as_deref(),
            micros: step.micros,
        }
    }
}

impl<'a> Told<'a> {
    fn new(reason: &'a Reason) -> Told<'a> {
        let end = reason.text.floor_char_boundary(TEXT_LIMIT);
        Told {
            code: &reason.code,
            text: &reason.text[..end],
            number: reason.number,
        }
    }
}

/// RFC 3339, UTC, milliseconds.
fn time(decided: &Decided) -> String {
    let at = UNIX_EPOCH.checked_add(Duration::from_millis(decided.at.as_millis()));
    humantime::format_rfc3339_millis(at.unwrap_or(UNIX_EPOCH)).to_string()
}

fn why_word(why: Why) -> &'static str {
    match why {
        Why::First => "first",
        Why::Evidence => "evidence",
        Why::Offer => "offer",
        Why::Reload => "reload",
        Why::Recheck => "recheck",
    }
}

fn fault_word(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Trap => "trap",
        FaultKind::Deadline => "deadline",
        FaultKind::Memory => "memory",
        FaultKind::BadAnswer => "bad-answer",
        FaultKind::BackingOff => "backing-off",
        FaultKind::NotLoaded => "not-loaded",
    }
}

fn abandonment_word(how: Abandonment) -> &'static str {
    match how {
        Abandonment::Cancelled => "cancelled",
        Abandonment::Dropped => "dropped",
        Abandonment::TimedOut => "timed-out",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use usher_core::{Moment, RequestId, SessionId};

    pub(crate) fn decided(outcome: Outcome) -> Decided {
        Decided {
            at: Moment::from_millis(1_767_225_600_123),
            request: RequestId(42),
            door: DoorId(0),
            peer: "[2001:db8::7]:50000".parse().expect("an address"),
            name: Some("R9".into()),
            room: "main".into(),
            attempt: 1,
            steps: vec![
                PolicyStep {
                    policy: "bans".into(),
                    generation: 3,
                    why: Why::First,
                    verdict: StepVerdict::Pass,
                    micros: 41,
                    said: None,
                },
                PolicyStep {
                    policy: "rtyp".into(),
                    generation: 1,
                    why: Why::First,
                    verdict: StepVerdict::Fault(FaultKind::Deadline),
                    micros: 20_007,
                    said: None,
                },
            ],
            outcome,
            waited: Duration::from_millis(21),
        }
    }

    fn line(decided: &Decided) -> String {
        let mut text = String::new();
        append(decided, &["main".into()], &mut text);
        text
    }

    const HEAD: &str = concat!(
        r#"{"time":"2026-01-01T00:00:00.123Z","request":42,"door":"main","#,
        r#""address":"[2001:db8::7]:50000","name":"R9","attempt":1,"policies":["#,
        r#"{"policy":"bans","generation":3,"why":"first","verdict":"pass","micros":41},"#,
        r#"{"policy":"rtyp","generation":1,"why":"first","verdict":"fault","fault":"deadline","micros":20007}],"#,
    );

    #[test]
    fn each_outcome_has_its_line() {
        let full = Reason {
            number: Some(1),
            ..Reason::new("server-full", "All 4 seats are taken.")
        };
        for (outcome, rest) in [
            (
                Outcome::Accepted(SessionId(7)),
                r#""outcome":"accepted","session":7,"waited_ms":21}"#,
            ),
            (
                Outcome::Rejected(full),
                r#""outcome":"rejected","reason":{"code":"server-full","text":"All 4 seats are taken.","number":1},"waited_ms":21}"#,
            ),
            (
                Outcome::Waiting("main".into()),
                r#""outcome":"waiting","lane":"main","waited_ms":21}"#,
            ),
            (
                Outcome::Abandoned(Abandonment::Dropped),
                r#""outcome":"abandoned","cause":"dropped","waited_ms":21}"#,
            ),
            (
                Outcome::Ended(SessionId(7), Reason::new("banned", "You are banned.")),
                r#""outcome":"ended","reason":{"code":"banned","text":"You are banned."},"session":7,"waited_ms":21}"#,
            ),
        ] {
            assert_eq!(line(&decided(outcome)), format!("{HEAD}{rest}\n"));
        }
    }

    #[test]
    fn what_a_game_rule_said_stands_beside_what_the_player_was_told() {
        let mut decided = decided(Outcome::Rejected(Reason::new("refused_by_game", "")));
        decided.steps[1].verdict = StepVerdict::Reject;
        decided.steps[1].said = Some("level-too-low".into());
        let line = line(&decided);
        let step = r#""verdict":"reject","said":"level-too-low","micros":20007}"#;
        assert!(line.contains(step), "{line}");
        assert!(
            line.contains(r#""reason":{"code":"refused_by_game""#),
            "{line}"
        );
    }

    #[test]
    fn a_name_stays_on_its_line_and_out_of_the_terminal() {
        let mut decided = decided(Outcome::Accepted(SessionId(7)));
        decided.name = Some("a\"\n\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{2028}é".into());
        let line = line(&decided);
        assert_eq!(line.matches('\n').count(), 1);
        assert!(
            line.contains(r#""name":"a\"\n\u001b[2J\u007f\u009b\u202e\u2028é""#),
            "{line}"
        );
        let read: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(read["name"].as_str(), decided.name.as_deref());
    }

    #[test]
    fn a_long_reason_is_cut_between_letters() {
        let text = "ä".repeat(TEXT_LIMIT);
        let decided = decided(Outcome::Rejected(Reason::new("no", &text)));
        let read: serde_json::Value = serde_json::from_str(&line(&decided)).expect("JSON");
        assert_eq!(
            read["reason"]["text"].as_str(),
            Some(&*"ä".repeat(TEXT_LIMIT / 2))
        );
    }
}
