//! What operators are told of a slot.

use crate::load::LoadError;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{FailMode, Moment};

/// One load of one module. Slots count theirs from 1.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GenerationInfo {
    /// The number, never used twice in a slot.
    pub number: u64,
    /// The SHA-256 of the bytes that were loaded, in hexadecimal.
    pub sha256: String,
    /// The module's name for itself.
    pub module: String,
    /// The module's version of itself.
    pub version: String,
    /// The most players that the module can seat, if it says so: a host that is configured for more
    /// must refuse it.
    pub max_players: Option<u32>,
    /// When it was loaded, in milliseconds since the Unix epoch.
    #[serde(serialize_with = "millis")]
    pub loaded_at: Moment,
    /// How long compiling took, or reading from the cache, in milliseconds.
    pub compile_ms: u64,
}

fn millis<S: serde::Serializer>(moment: &Moment, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(moment.as_millis())
}

/// How a slot does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotState {
    /// The newest module that was offered is loaded and asked.
    Ok,
    /// It kept faulting and is not asked at the moment.
    BackingOff,
    /// The newest module that was offered was refused; an older one serves on.
    FailedToLoad,
    /// An operator went back to this generation.
    RolledBack,
}

/// One slot, for operators.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SlotStatus {
    /// The name in the configuration.
    pub name: String,
    /// Where its module comes from: a path, or `builtin:<name>`.
    pub source: String,
    /// How it does.
    pub state: SlotState,
    /// What is loaded.
    pub generation: GenerationInfo,
    /// The numbers of older generations that are kept, the newest first.
    pub kept: Vec<u64>,
    /// What a fault means: `closed`, `open` or `last-good`. For rules always `closed`.
    pub fail: &'static str,
    /// What went wrong last, in one line: a load that was refused, or a fault.
    pub last_error: Option<String>,
    /// How often the slot's modules were called.
    pub calls: u64,
    /// How often a call faulted.
    pub faults: u64,
}

/// One word for a fail mode.
pub(crate) fn fail_word(fail: FailMode) -> &'static str {
    match fail {
        FailMode::Closed => "closed",
        FailMode::Open => "open",
        FailMode::LastGood => "last-good",
    }
}

/// What came of a reload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reload {
    /// The bytes are those that are loaded, or those that were refused last: nothing was done.
    Unchanged,
    /// A new generation serves from the next pin on.
    Loaded(GenerationInfo),
}

/// A slot that could not be loaded, or reloaded.
#[derive(thiserror::Error, Debug)]
#[error("{slot}: {error}")]
pub struct LoadFailure {
    /// The slot's name.
    pub slot: Arc<str>,
    /// Why.
    pub error: LoadError,
    /// How long it took to find out.
    pub took: Duration,
}

/// Why there is nothing to go back to.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum RollbackError {
    /// No such slot.
    #[error("there is no slot {0:?}")]
    NoSuchSlot(String),
    /// The slot has one generation.
    #[error("{0} has no older generation to go back to")]
    NothingOlder(Arc<str>),
}
