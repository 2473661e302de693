//! Questions and acts, and the facts that come of them.

use super::bound::{Breach, LONG, bytes, length};
use super::duration::millis;
use crate::bindings::types;
use crate::contract as wit;
use std::sync::Arc;
use usher_core::{Fact, FactAnswer, Moment, Question, QuestionArg, Secret};

/// A question or an act that a module names; one of those that its description lists.
pub(crate) fn question_in(question: wit::Question, may: &[Arc<str>]) -> Result<Question, Breach> {
    let Some(name) = may.iter().find(|known| ***known == *question.name) else {
        let shown: String = question.name.chars().take(64).collect();
        let problem = format!("is {shown:?}, which the module's description does not list");
        return Err(Breach::new("name", problem));
    };
    length(question.args.len(), "args", "entries", 0..=8)?;
    let args = question.args.into_iter().map(|arg| match arg {
        wit::Part::Plain(plain) => QuestionArg::Plain(plain),
        wit::Part::Secret(secret) => QuestionArg::Secret(Secret::new(&*secret)),
    });
    Ok(Question {
        name: Arc::clone(name),
        args: args.collect(),
        body: bytes(question.body, "body", LONG)?,
    })
}

/// A fact as a module sees it at a moment.
pub(crate) fn fact_out(fact: &Fact, now: Moment) -> types::Fact {
    types::Fact {
        question: question_out(&fact.question),
        answer: match &fact.answer {
            FactAnswer::Found(found) => types::Answer::Found(found.to_vec()),
            FactAnswer::Missing => types::Answer::Missing,
            FactAnswer::Unavailable(why) => types::Answer::Unavailable(why.to_string()),
        },
        age: millis(now.since(fact.learned)),
    }
}

fn question_out(question: &Question) -> types::Question {
    let args = question.args.iter().map(|arg| match arg {
        QuestionArg::Plain(plain) => types::Part::Plain(plain.to_string()),
        QuestionArg::Secret(secret) => types::Part::Secret(secret.expose().to_owned()),
    });
    types::Question {
        name: question.name.to_string(),
        args: args.collect(),
        body: question.body.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(name: &str, args: usize, body: usize) -> wit::Question {
        wit::Question {
            name: name.into(),
            args: vec![wit::Part::Secret("abc".into()); args],
            body: vec![0; body].into(),
        }
    }

    fn may() -> Vec<Arc<str>> {
        vec!["hold".into(), "verify".into()]
    }

    #[test]
    fn a_question_comes_back_with_its_answer() {
        let asked = question_in(question("hold", 1, 3), &may()).expect("within bounds");
        assert!(!format!("{asked:?}").contains("abc"), "{asked:?}");
        let fact = Fact {
            question: asked,
            answer: FactAnswer::Missing,
            learned: Moment::from_millis(40),
        };
        let out = fact_out(&fact, Moment::from_millis(100));
        assert_eq!(out.age, 60);
        assert!(matches!(&out.question.args[..], [types::Part::Secret(arg)] if arg == "abc"));
        assert_eq!(out.question.body.len(), 3);
    }

    #[test]
    fn bounds_are_kept() {
        for (given, says) in [
            (question("steal", 0, 0), "name is \"steal\", which"),
            (question("hold", 9, 0), "args has 9 entries"),
            (question("hold", 0, LONG + 1), "body has 65537 bytes"),
        ] {
            let breach = question_in(given, &may()).unwrap_err().to_string();
            assert!(breach.starts_with(says), "{breach}");
        }
    }
}
