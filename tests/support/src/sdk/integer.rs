//! 64-bit integers, which are numbers or text in JSON.

use serde_json::Value;

/// An integer, or none. The outer `None` is something else.
pub(super) fn integer(value: &Value) -> Option<Option<i64>> {
    match value {
        Value::Null => Some(None),
        Value::String(text) => text.parse().ok().map(Some),
        other => other.as_i64().map(Some),
    }
}
