//! The file of all runs of a row: a JSON line a figure.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::machine::Machine;
use super::site::cannot_use;
use crate::process::Outcome;

/// What is true of a whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    /// When it began, in seconds since 1970.
    pub(crate) at: u64,
    /// The commit of the sources, with a `+` where there are changes beside it.
    pub(crate) commit: String,
    #[serde(default)]
    pub(crate) machine: Machine,
    /// Of what was measured and what it was built with.
    #[serde(default)]
    pub(crate) versions: Vec<(String, String)>,
    pub(crate) quick: bool,
    /// The host that was measured, if not that of the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) host: Option<PathBuf>,
    /// What was set on the command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) with: Vec<(String, u32)>,
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) run: About,
    pub(crate) row: String,
    pub(crate) figure: Figure,
}

/// Where the lines of a row are.
pub(crate) fn file(folder: &Path, row: &str) -> PathBuf {
    folder.join(format!("{row}.jsonl"))
}

/// Adds the figures of a run.
pub(crate) fn add(folder: &Path, row: &str, run: &About, figures: &[Figure]) -> Outcome {
    let file = file(folder, row);
    let problem = |error| cannot_use(&file, &error);
    let mut text = String::new();
    for figure in figures {
        let entry = Entry {
            run: run.clone(),
            row: row.to_owned(),
            figure: figure.clone(),
        };
        let line = serde_json::to_string(&entry)
            .map_err(|error| format!("a figure of {row} cannot be written: {error}"))?;
        text.push_str(&line);
        text.push('\n');
    }
    let mut options = OpenOptions::new();
    let mut out = options
        .create(true)
        .append(true)
        .open(&file)
        .map_err(problem)?;
    out.write_all(text.as_bytes()).map_err(problem)
}
