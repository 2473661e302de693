//! One row of the table: what it is called, what it measures and how.

use super::figure::Figure;
use super::run::Run;
use super::settings::Setting;
use crate::process::Outcome;

/// One row of the table.
pub(crate) struct Row {
    /// `admission`.
    pub(crate) name: &'static str,
    /// One sentence.
    pub(crate) about: &'static str,
    /// What can be set of it.
    pub(crate) settings: &'static [Setting],
    /// About how long five rounds take once everything is built, in seconds.
    pub(crate) seconds: u32,
    /// Builds what it needs and measures.
    pub(crate) run: fn(&Run<'_>) -> Outcome<Vec<Figure>>,
}
