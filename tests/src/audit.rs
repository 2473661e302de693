//! The audit file, read as an operator's tools do.

use serde_json::Value;
use std::path::Path;

/// Every decision in an audit file.
///
/// # Panics
///
/// If a line is not a JSON object.
pub fn decisions(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("the audit file can be read");
    let parse = |line| serde_json::from_str(line).expect("a line of the audit is JSON");
    text.lines().map(parse).collect()
}
