//! What is counted of the lives of one phase.

use crate::samples::Samples;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// The counts of one kind of lives.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) came: u64,
    /// Lives that ended as they should while the phase was measured.
    pub(super) ended: u64,
    refused: BTreeMap<String, u64>,
    failed: BTreeMap<&'static str, u64>,
    /// To the answer to the login, whichever it is.
    answers: Samples,
    /// To the datagram that says that the endpoint is bound.
    accepts: Samples,
    /// To the end of the connection.
    lives: Samples,
}

impl Tally {
    pub(super) fn answered(&mut self, took: Duration) {
        self.answers.add(took);
    }

    pub(super) fn accepted(&mut self, took: Duration) {
        self.accepts.add(took);
    }

    pub(super) fn over(&mut self, took: Duration) {
        self.lives.add(took);
    }

    pub(super) fn refused(&mut self, reason: String) {
        *self.refused.entry(reason).or_default() += 1;
    }

    pub(super) fn failed(&mut self, how: &'static str) {
        *self.failed.entry(how).or_default() += 1;
    }

    /// All of it, of a phase that lasted so long.
    pub(super) fn figures(self, lasted: Duration) -> Map<String, Value> {
        let each_second = self.ended as f64 / lasted.as_secs_f64().max(f64::MIN_POSITIVE);
        let figures = json!({
            "came": self.came,
            "ended": self.ended,
            "each_second": each_second,
            "refused": self.refused.values().sum::<u64>(),
            "refused_by": self.refused,
            "failed": self.failed.values().sum::<u64>(),
            "failed_by": self.failed,
            "answer_us": self.answers.spread(),
            "accept_us": self.accepts.spread(),
            "life_us": self.lives.spread(),
        });
        match figures {
            Value::Object(figures) => figures,
            _ => Map::new(),
        }
    }
}
