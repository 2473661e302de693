//! Verdicts.

use super::bound::{Breach, ID, LONG, NAME, WORD, bytes, list, maybe_text, text};
use super::claim::claims_in;
use super::command::commands_in;
use super::question::question_in;
use super::reason::reason_in;
use crate::contract as wit;
use std::sync::Arc;
use usher_core::{
    Acceptance, Admission, Ask, Decision, Inquiry, Passing, Question, Verdict, Waiting,
};

/// The most that a policy wants to read again of a session, in bytes.
const REMEMBER: usize = 1_024;

/// What a policy told in a call.
pub(crate) enum Told {
    /// Whatever a verdict can be.
    Whole(Box<wit::Verdict>),
    /// By one of the short ways.
    Short(Decision),
}

/// What a call came to. `may` are the questions and acts that the module's description lists.
pub(crate) fn decided_in(
    decided: wit::Decided,
    told: Option<Told>,
    may: &[Arc<str>],
) -> Result<Verdict, Breach> {
    match (decided, told) {
        (wit::Decided::Told, Some(Told::Short(decision))) => Ok(decision.into()),
        (wit::Decided::Told, Some(Told::Whole(verdict))) => verdict_in(*verdict, may),
        (wit::Decided::Pass, None) => Ok(Decision::Pass(Passing::default()).into()),
        (wit::Decided::Accept, None) => Ok(Decision::Accept(Acceptance {
            options: vec![Admission::default()],
            otherwise_wait: None,
            then: None,
        })
        .into()),
        (wit::Decided::Told, None) => {
            let problem = "is told, and nothing was told through answer";
            Err(Breach::new("decided", problem))
        }
        (wit::Decided::Pass | wit::Decided::Accept, Some(_)) => {
            let problem = "is not told, although a verdict was told through answer";
            Err(Breach::new("decided", problem))
        }
    }
}

fn verdict_in(verdict: wit::Verdict, may: &[Arc<str>]) -> Result<Verdict, Breach> {
    Ok(Verdict {
        decision: decision_in(verdict.decision, may)?,
        commands: commands_in(verdict.commands)?,
    })
}

/// The verdict, if what it asks can be asked at this point of the decision. The core would not go on with
/// another one either, but only here a fault is counted, logged and shown.
pub(crate) fn answerable(verdict: Verdict, ask: &Ask) -> Result<Verdict, Breach> {
    let Decision::Ask(inquiry) = &verdict.decision else {
        return Ok(verdict);
    };
    if ask.rounds_left == 0 {
        return Err(Breach::new(
            "ask",
            "comes after 8 rounds, which a decision has at most",
        ));
    }
    let known = |question: &Question| ask.facts.iter().any(|fact| fact.question == *question);
    match inquiry.questions.iter().position(known) {
        None => Ok(verdict),
        Some(index) => {
            let field = format!("ask.questions[{index}]");
            let name = &inquiry.questions[index].name;
            let problem = format!("asks {name:?} again, which is among the facts");
            Err(Breach::new(&field, problem))
        }
    }
}

fn decision_in(decision: wit::Decision, may: &[Arc<str>]) -> Result<Decision, Breach> {
    match decision {
        wit::Decision::Pass(passing) => passing_in(passing, may).map(Decision::Pass).named("pass"),
        wit::Decision::Accept(acceptance) => acceptance_in(acceptance, may)
            .map(Decision::Accept)
            .named("accept"),
        wit::Decision::Reject(reason) => reason_in(reason).map(Decision::Reject).named("reject"),
        wit::Decision::Wait(waiting) => waiting_in(waiting).map(Decision::Wait).named("wait"),
        wit::Decision::Ask(inquiry) => inquiry_in(inquiry, may).map(Decision::Ask).named("ask"),
    }
}

fn passing_in(passing: wit::Passing, may: &[Arc<str>]) -> Result<Passing, Breach> {
    Ok(Passing {
        claims: claims_in(passing.claims, "claims")?,
        then: act_in(passing.then, may)?,
    })
}

fn acceptance_in(acceptance: wit::Acceptance, may: &[Arc<str>]) -> Result<Acceptance, Breach> {
    let otherwise = acceptance.otherwise_wait.map(waiting_in).transpose();
    Ok(Acceptance {
        options: list(acceptance.options, "options", 1..=8, admission_in)?,
        otherwise_wait: otherwise.named("otherwise-wait")?,
        then: act_in(acceptance.then, may)?,
    })
}

fn admission_in(admission: wit::Admission) -> Result<Admission, Breach> {
    Ok(Admission {
        identity: maybe_text(admission.identity, "identity", ID)?,
        identity_proven: admission.identity_proven,
        display_name: maybe_text(admission.display_name, "display-name", NAME)?,
        // The host's claim on the room has the name as a part.
        room: maybe_text(admission.room, "room", NAME)?,
        claims: claims_in(admission.claims, "claims")?,
        config: bytes(admission.config, "config", LONG)?,
        remember: bytes(admission.remember, "remember", REMEMBER)?,
    })
}

fn waiting_in(waiting: wit::Waiting) -> Result<Waiting, Breach> {
    let status = waiting.status.map(|status| bytes(status, "status", LONG));
    Ok(Waiting {
        lane: text(waiting.lane, "lane", 1..=WORD)?,
        lane_rank: waiting.lane_rank,
        priority: waiting.priority,
        status: status.transpose()?,
        identity: maybe_text(waiting.identity, "identity", ID)?,
        identity_proven: waiting.identity_proven,
        claims: claims_in(waiting.claims, "claims")?,
    })
}

fn inquiry_in(inquiry: wit::Inquiry, may: &[Arc<str>]) -> Result<Inquiry, Breach> {
    if inquiry.questions.is_empty() && inquiry.hold.is_empty() {
        let problem = "and hold are both empty: there is nothing to find out";
        return Err(Breach::new("questions", problem));
    }
    let question = |question| question_in(question, may);
    Ok(Inquiry {
        questions: list(inquiry.questions, "questions", 0..=8, question)?,
        hold: claims_in(inquiry.hold, "hold")?,
    })
}

fn act_in(act: Option<wit::Question>, may: &[Arc<str>]) -> Result<Option<Question>, Breach> {
    act.map(|act| question_in(act, may))
        .transpose()
        .named("then")
}

/// Says which field a breach is in.
trait Named<T> {
    fn named(self, field: &str) -> Result<T, Breach>;
}

impl<T> Named<T> for Result<T, Breach> {
    fn named(self, field: &str) -> Result<T, Breach> {
        self.map_err(|breach| breach.within(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usher_core::Reason;

    fn admission() -> wit::Admission {
        wit::Admission {
            identity: Some("p-1".into()),
            identity_proven: true,
            display_name: None,
            room: None,
            claims: Vec::new(),
            config: [1, 2].into(),
            remember: [3].into(),
        }
    }

    fn waiting(lane: &str) -> wit::Waiting {
        wit::Waiting {
            lane: lane.into(),
            lane_rank: -1,
            priority: 5,
            status: Some(b"soon"[..].into()),
            identity: None,
            identity_proven: false,
            claims: Vec::new(),
        }
    }

    fn accept(options: Vec<wit::Admission>, otherwise: Option<wit::Waiting>) -> wit::Decision {
        wit::Decision::Accept(wit::Acceptance {
            options,
            otherwise_wait: otherwise,
            then: None,
        })
    }

    fn ask(name: &str) -> wit::Decision {
        wit::Decision::Ask(wit::Inquiry {
            questions: vec![wit::Question {
                name: name.into(),
                args: Vec::new(),
                body: [].into(),
            }],
            hold: Vec::new(),
        })
    }

    fn translated(decision: wit::Decision) -> Result<Decision, String> {
        let verdict = wit::Verdict {
            decision,
            commands: Vec::new(),
        };
        verdict_in(verdict, &["verify".into()])
            .map(|verdict| verdict.decision)
            .map_err(|breach| breach.to_string())
    }

    #[test]
    fn everything_that_a_verdict_says_is_kept() {
        let Ok(Decision::Accept(accepted)) =
            translated(accept(vec![admission()], Some(waiting("main"))))
        else {
            panic!("not accepted");
        };
        let option = &accepted.options[0];
        assert_eq!(option.identity.as_deref(), Some("p-1"));
        assert!(option.identity_proven);
        assert_eq!(
            (&option.config[..], &option.remember[..]),
            (&[1, 2][..], &[3][..])
        );
        let otherwise = accepted.otherwise_wait.expect("a wait");
        assert_eq!((&*otherwise.lane, otherwise.lane_rank), ("main", -1));
        assert_eq!(otherwise.priority, 5);
        assert_eq!(otherwise.status.as_deref(), Some(&b"soon"[..]));

        let no = wit::Reason {
            code: "banned".into(),
            text: "go".into(),
            number: None,
        };
        let reason = Reason::new("banned", "go");
        assert_eq!(
            translated(wit::Decision::Reject(no)),
            Ok(Decision::Reject(reason))
        );
        assert!(matches!(translated(ask("verify")), Ok(Decision::Ask(_))));
    }

    #[test]
    fn a_call_comes_to_what_was_told_or_needs_no_telling() {
        let come_to = |decided, told| {
            let verdict = decided_in(decided, told, &[]);
            verdict.map_err(|breach| breach.to_string())
        };
        let no = || Decision::Reject(Reason::new("no", ""));
        let told = come_to(wit::Decided::Told, Some(Told::Short(no())));
        assert_eq!(told, Ok(no().into()));
        let whole = wit::Verdict {
            decision: accept(vec![admission()], None),
            commands: Vec::new(),
        };
        let told = come_to(wit::Decided::Told, Some(Told::Whole(Box::new(whole))));
        assert!(matches!(told.expect("told").decision, Decision::Accept(_)));

        let passed = come_to(wit::Decided::Pass, None).expect("needs no telling");
        assert_eq!(passed.decision, Decision::Pass(Passing::default()));
        let accepted = come_to(wit::Decided::Accept, None).expect("needs no telling");
        let Decision::Accept(accepted) = accepted.decision else {
            panic!("not accepted");
        };
        assert_eq!(accepted.options, [Admission::default()]);
    }

    #[test]
    fn what_is_told_and_what_is_returned_must_fit() {
        let no = || Some(Told::Short(Decision::Reject(Reason::new("no", ""))));
        for (decided, told, says) in [
            (wit::Decided::Told, None, "decided is told, and nothing"),
            (wit::Decided::Pass, no(), "decided is not told, although"),
            (wit::Decided::Accept, no(), "decided is not told, although"),
        ] {
            let breach = decided_in(decided, told, &[]).unwrap_err().to_string();
            assert!(breach.starts_with(says), "{breach}");
        }
    }

    #[test]
    fn a_breach_names_the_whole_way_to_the_field() {
        let long_name = wit::Admission {
            display_name: Some("n".repeat(257).into()),
            ..admission()
        };
        let much = wit::Admission {
            remember: vec![0; 1_025].into(),
            ..admission()
        };
        let empty = wit::Decision::Ask(wit::Inquiry {
            questions: Vec::new(),
            hold: Vec::new(),
        });
        for (given, says) in [
            (accept(Vec::new(), None), "accept.options has 0 entries"),
            (
                accept((0..9).map(|_| admission()).collect(), None),
                "accept.options has 9 entries",
            ),
            (
                accept(vec![admission(), long_name], None),
                "accept.options[1].display-name has 257 bytes",
            ),
            (
                accept(vec![much], None),
                "accept.options[0].remember has 1025 bytes",
            ),
            (
                accept(vec![admission()], Some(waiting(""))),
                "accept.otherwise-wait.lane has 0 bytes",
            ),
            (ask("fly"), "ask.questions[0].name is \"fly\""),
            (empty, "ask.questions and hold are both empty"),
        ] {
            let breach = translated(given).unwrap_err();
            assert!(breach.starts_with(says), "{breach}");
        }
    }
}
