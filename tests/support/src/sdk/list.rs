//! A list of values, which only Agones has.

use serde_json::{Value, json};

/// What a list may hold at most, whatever is asked for.
pub(super) const MOST: i64 = 1000;

/// Values, each once.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) capacity: i64,
    pub(super) values: Vec<String>,
}

impl List {
    pub(super) fn new(capacity: i64, values: &[&str]) -> List {
        List {
            capacity,
            values: values.iter().map(|&it| it.to_owned()).collect(),
        }
    }

    /// It as the view has it.
    pub(super) fn figures(&self) -> Value {
        json!({ "capacity": self.capacity.to_string(), "values": self.values })
    }

    /// What finds no room any more is dropped.
    pub(super) fn set_capacity(&mut self, capacity: i64) {
        self.capacity = capacity;
        self.values.truncate(usize::try_from(capacity).unwrap_or(0));
    }
}
