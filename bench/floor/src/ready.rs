//! What is said on stdout.

use serde_json::{Value, json};
use std::io::{self, Write as _};

/// Says that it listens, and where: fields beside the event.
pub(crate) fn ready(places: &Value) -> io::Result<()> {
    let mut line = json!({"event": "ready"});
    if let (Some(line), Some(places)) = (line.as_object_mut(), places.as_object()) {
        line.extend(places.clone());
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
