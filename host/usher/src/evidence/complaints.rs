//! Says in the log why something could not be found out, now and then: whoever knocks can cause it.

use crate::seldom::Seldom;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two lines about the same question.
const APART: Duration = Duration::from_secs(10);

/// When each question was last complained about, by the few labels that there are.
#[derive(Default)]
pub(super) struct Complaints(Mutex<BTreeMap<&'static str, Seldom>>);

impl Complaints {
    /// Says that a question could not be answered, unless that was said a moment ago.
    pub(super) fn complain(&self, question: &'static str, why: &str) {
        // Nothing panics between two steps that belong together.
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seldom = said.entry(question).or_insert_with(|| Seldom::new(APART));
        if let Some(unsaid) = seldom.may_say(Instant::now()) {
            tracing::warn!(question, unsaid, "it cannot be found out: {why}");
        }
    }
}
