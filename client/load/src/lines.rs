//! What is said on stdout, and how long anything is waited for.

use crate::work::Report;
use serde_json::{Map, Value, json};
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

/// How long anything may take that is waited for, beyond what it takes by itself.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How often it is looked at.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// Says one line.
///
/// # Errors
///
/// Nobody may read it.
pub(crate) fn say(line: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Says what came of a phase, by its parts.
///
/// # Errors
///
/// Nobody may read it.
pub(crate) fn end<'a>(
    phase: &str,
    zero: Instant,
    reports: impl Iterator<Item = (&'a str, Report)>,
) -> io::Result<()> {
    let mut line = Map::new();
    let mut behind = Vec::new();
    for (part, report) in reports {
        line.insert(part.to_owned(), Value::Object(report.figures));
        behind.extend(report.behind);
    }
    line.insert("event".to_owned(), "end".into());
    line.insert("phase".to_owned(), phase.into());
    line.insert("at_s".to_owned(), json!(zero.elapsed().as_secs_f64()));
    line.insert("behind".to_owned(), behind.into());
    say(&Value::Object(line))
}
