//! What a backend sent along with a hold, an allocation or a backfill.

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A context: a JSON document whose meaning is the game's own. It is read when it is asked for, and
/// `Debug` shows its size only, because a backend may have put a secret there.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Context(Box<RawValue>);

impl Context {
    /// The document as it came.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The document, read. `None` when it is nested deeper than 128.
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_str(self.text()).ok()
    }
}

impl PartialEq for Context {
    fn eq(&self, other: &Context) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Context {}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} bytes)", self.text().len())
    }
}
