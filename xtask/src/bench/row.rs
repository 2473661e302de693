//! One row of the table: what it is called, what it measures and how.

use super::figure::Figure;
use super::run::Run;
use super::settings::Setting;
use crate::process::Outcome;

/// How often each side is measured, unless told otherwise.
pub(crate) const ROUNDS: usize = 5;

/// One row of the table.
pub(crate) struct Row {
    /// `admission`.
    pub(crate) name: &'static str,
    /// One sentence.
    pub(crate) about: &'static str,
    /// What can be set of it.
    pub(crate) settings: &'static [Setting],
    /// About how long [`ROUNDS`] rounds take once everything is built, in seconds.
    pub(crate) seconds: u32,
    /// Builds what it needs and measures.
    pub(crate) run: fn(&Run<'_>) -> Outcome<Vec<Figure>>,
}

/// About how long so many rounds of these take, in seconds.
pub(crate) fn seconds(rows: &[&Row], rounds: usize) -> usize {
    let all: u32 = rows.iter().map(|row| row.seconds).sum();
    all as usize * rounds / ROUNDS
}

/// For people.
pub(crate) fn minutes(seconds: usize) -> usize {
    seconds.div_ceil(60)
}
