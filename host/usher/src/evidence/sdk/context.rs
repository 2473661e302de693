//! Contexts on their way to policies: whatever a backend put there, as JSON that any parser reads.

use serde_json::Value;

/// The longest context that a policy is given, in bytes.
const LONGEST: usize = 64 * 1024;

/// The deepest one. Parsers of modules have limits of their own.
const DEEPEST: u32 = 32;

/// A context that policies can read: an object, written anew. Absent where it is none, too long or too
/// deep.
pub(super) fn to_policy(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    value_to_policy(&value)
}

/// The same for one that was read already.
pub(super) fn value_to_policy(value: &Value) -> Option<String> {
    if !value.is_object() || deeper_than(value, DEEPEST) {
        return None;
    }
    let text = value.to_string();
    (text.len() <= LONGEST).then_some(text)
}

/// Whether there is more below. What was parsed is at most 128 deep, so this is too.
fn deeper_than(value: &Value, levels: u32) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return value.is_object() || value.is_array();
    };
    match value {
        Value::Array(values) => values.iter().any(|value| deeper_than(value, below)),
        Value::Object(values) => values.values().any(|value| deeper_than(value, below)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_every_parser_reads_is_passed_on() {
        let shown = to_policy(r#" {"b": 1, "a": ["\u00e9"]} "#);
        assert_eq!(shown.as_deref(), Some(r#"{"a":["é"],"b":1}"#));
        for text in ["", "[]", "null", "{", r#"{"a":"\ud800"}"#, r#"{"a":1}x"#] {
            assert_eq!(to_policy(text), None, "{text}");
        }
        let nested =
            |depth: usize| format!("{{\"a\":{}0{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(to_policy(&nested(31)).is_some());
        assert_eq!(to_policy(&nested(32)), None);
        assert_eq!(to_policy(&nested(100_000)), None);
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(LONGEST));
        assert_eq!(to_policy(&long), None);
    }
}
