//! Questions, and the answers to them, so that a policy that must find something out first still
//! reads as straight code.

use std::cell::OnceCell;
use std::panic::RefUnwindSafe;

use crate::contract::{Answer, Fact, Inquiry, Question};
use crate::early::Early;
use crate::host::imports::details;
use crate::part::Part;

/// What the host has found out for this decision so far. It is handed over when the policy first looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(OnceCell<Vec<Fact>>);

impl Facts {
    /// Nothing found out yet: what a policy is given first.
    pub fn none() -> Facts {
        Vec::new().into()
    }

    /// Those of the call that is being made, for the host to be asked for.
    pub(crate) fn of_this_call() -> Facts {
        Facts::default()
    }

    fn all_known(&self) -> &[Fact] {
        self.0.get_or_init(details::facts)
    }

    /// The answer to a question. While there is none the error is the verdict that asks for it, so
    /// `?` hands the question to the host, which calls again with the answer:
    ///
    /// ```
    /// # use usher_sdk::prelude::*;
    /// fn on_connect_request(request: &Request, facts: &Facts) -> Decided {
    ///     match facts.get(Question::new("verify").arg(request.name()))? {
    ///         Answer::Found(_) => Verdict::accept().into(),
    ///         Answer::Missing => Verdict::reject(Reason::new("unknown", "Who are you?")).into(),
    ///         Answer::Unavailable(_) => Verdict::reject(Reason::new("later", "Try again")).into(),
    ///     }
    /// }
    /// ```
    pub fn get(&self, question: Question) -> Result<&Answer, Early> {
        match self.find(&question) {
            Some(fact) => Ok(&fact.answer),
            None => Err(Inquiry::about(question).into()),
        }
    }

    /// The answers to every question of an inquiry, in its order. What is not answered yet is asked in
    /// one round, with the inquiry's claims held meanwhile.
    pub fn all(&self, inquiry: Inquiry) -> Result<Vec<&Answer>, Early> {
        let answers: Option<Vec<_>> = inquiry
            .questions
            .iter()
            .map(|question| self.find(question).map(|fact| &fact.answer))
            .collect();
        // An answered question must not be asked again, the others must.
        answers.ok_or_else(|| {
            let Inquiry {
                mut questions,
                hold,
            } = inquiry;
            questions.retain(|question| self.find(question).is_none());
            Inquiry { questions, hold }.into()
        })
    }

    /// A fact with its age, if the question has been answered.
    pub fn find(&self, question: &Question) -> Option<&Fact> {
        self.all_known()
            .iter()
            .find(|fact| fact.question == *question)
    }

    /// With one more answer, freshly found; for tests.
    pub fn with(mut self, question: Question, answer: impl Into<Answer>) -> Facts {
        let mut known = self.0.take().unwrap_or_default();
        known.push(Fact {
            question,
            answer: answer.into(),
            age: 0,
        });
        known.into()
    }
}

/// Facts are kept whole or not at all, so a test may go on with them after a panic.
impl RefUnwindSafe for Facts {}

impl From<Vec<Fact>> for Facts {
    fn from(facts: Vec<Fact>) -> Facts {
        Facts(facts.into())
    }
}

impl Question {
    /// A question by its name, such as `verify`. The module must name it in its description.
    pub fn new(name: impl Into<String>) -> Question {
        Question {
            name: name.into(),
            args: Vec::new(),
            body: Vec::new(),
        }
    }

    /// With one more argument.
    pub fn arg(mut self, part: impl Into<Part>) -> Question {
        self.args.push(part.into());
        self
    }

    /// With one more argument, which is a secret.
    pub fn secret(self, text: impl Into<String>) -> Question {
        self.arg(Part::secret(text))
    }

    /// With a request body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Question {
        self.body = body.into();
        self
    }
}

impl Answer {
    /// An answer that was found.
    pub fn of(body: impl Into<Vec<u8>>) -> Answer {
        Answer::Found(body.into())
    }

    /// The answer's bytes, if one was found.
    pub fn found(&self) -> Option<&[u8]> {
        match self {
            Answer::Found(body) => Some(body),
            Answer::Missing | Answer::Unavailable(_) => None,
        }
    }
}
