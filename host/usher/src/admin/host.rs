//! What the endpoint needs of the host.

use crate::evidence::SourcesStatus;
use crate::metrics::Counts;
use serde::Serialize;
use std::collections::BTreeMap;
use std::future::Future;
use usher_core::{DoorId, Reason, Report, SessionId};
use usher_runtime::{GenerationInfo, LoadFailure, RollbackError, SlotState, SlotStatus};

/// The host, as an operator sees it. The endpoint is written against this and knows no core, no runtime
/// and no door.
pub trait Host: Send + Sync + 'static {
    /// Whether it stops: nobody is let in any more.
    fn draining(&self) -> bool;

    /// How things stand; `None` once the core has ended.
    fn report(&self) -> impl Future<Output = Option<Report>> + Send;

    /// What is loaded.
    fn modules(&self) -> Modules;

    /// How evidence comes by.
    fn evidence(&self) -> SourcesStatus;

    /// What is counted elsewhere than in the metrics themselves.
    fn counts(&self) -> Counts;

    /// What the doors hold of their own, by `DoorId`.
    fn doors(&self) -> Vec<DoorStatus>;

    /// A door's name; empty for one that there is not.
    fn door_name(&self, door: DoorId) -> String;

    /// Reads a module again, whether or not its bytes changed. `rules` names the rules.
    fn reload(&self, name: &str) -> impl Future<Output = Result<Loaded, ActionError>> + Send;

    /// Goes back to the generation before.
    fn rollback(&self, name: &str) -> impl Future<Output = Result<Loaded, ActionError>> + Send;

    /// Has a policy asked about everyone who plays. `forced` ends whom it refuses however many they are.
    fn recheck(&self, name: &str, forced: bool) -> Result<(), ActionError>;

    /// Ends a session; `false` if there is none of this number.
    fn kick(&self, session: SessionId, reason: Reason) -> impl Future<Output = bool> + Send;
}

/// A door, and what it holds of its own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DoorStatus {
    /// The name in the configuration.
    pub name: String,
    /// The protocol.
    pub protocol: &'static str,
    /// Peers by where they stand, which the protocol has words for. All 0 with nobody there.
    pub peers: BTreeMap<&'static str, u32>,
    /// Bytes of what peers sent and what is not whole, or not decided about.
    pub held_bytes: u64,
}

/// What is loaded.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Modules {
    /// The policies, in the order of the configuration.
    pub policies: Vec<ModuleStatus>,
    /// The rules, if there are any.
    pub rules: Vec<ModuleStatus>,
    /// The buckets, in the order of the configuration.
    pub buckets: Vec<BucketStatus>,
}

/// A bucket.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BucketStatus {
    /// The name in the configuration.
    pub name: String,
    /// Where its entries stand; none for one that only policies fill.
    pub file: Option<String>,
    /// `ok`, or `failed-to-load` when the file could not be read when it changed last.
    pub state: &'static str,
    /// How many entries.
    pub entries: usize,
    /// How many of those policies put in and are kept in memory alone.
    pub put: usize,
    /// When the file was read last, in milliseconds since the Unix epoch.
    pub loaded_at: u64,
    /// Why what it had stays in force.
    pub last_error: Option<String>,
}

/// What has come of a policy's last recheck of those who play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecheckStatus {
    /// When, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Whether an operator had it done however many it ends.
    pub forced: bool,
    /// How many played.
    pub seated: u32,
    /// Whom it refused.
    pub refused: u32,
    /// Whom that ended.
    pub ended: u32,
    /// About whom it faulted or did not answer; they are asked about again.
    pub unanswered: u32,
    /// It would have ended too many, so it ended nobody.
    pub stopped: bool,
}

/// A policy, or the rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ModuleStatus {
    /// The name in the configuration.
    pub name: String,
    /// Where it comes from: a path, or `builtin:<name>`.
    pub module: String,
    /// The generation that is asked.
    pub generation: u64,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// How it does: `ok`, `backing-off`, `failed-to-load` or `rolled-back`.
    pub state: &'static str,
    /// What a fault means: `closed`, `open` or `last-good`.
    pub fail: &'static str,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// What has come of its last recheck; left out where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recheck: Option<RecheckStatus>,
    /// How often it was called; for the metrics.
    #[serde(skip)]
    pub calls: u64,
    /// How often a call faulted; for the metrics.
    #[serde(skip)]
    pub faults: u64,
}

impl From<SlotStatus> for ModuleStatus {
    fn from(status: SlotStatus) -> ModuleStatus {
        ModuleStatus {
            name: status.name.to_string(),
            module: status.source,
            generation: status.generation.number,
            sha256: status.generation.sha256,
            state: match status.state {
                SlotState::Ok => "ok",
                SlotState::BackingOff => "backing-off",
                SlotState::FailedToLoad => "failed-to-load",
                SlotState::RolledBack => "rolled-back",
            },
            fail: status.fail,
            last_error: status.last_error,
            recheck: None,
            calls: status.calls,
            faults: status.faults,
        }
    }
}

/// What a reload or a rollback left.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Loaded {
    /// The generation that is asked from now on.
    pub generation: u64,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Whether that is another generation than before.
    pub changed: bool,
}

impl Loaded {
    /// Another generation than before.
    pub fn new(info: GenerationInfo) -> Loaded {
        Loaded {
            generation: info.number,
            sha256: info.sha256,
            changed: true,
        }
    }
}

/// Why nothing was done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ActionError {
    /// There is no such policy.
    #[error("there is no policy named {0:?}; GET /v1/status lists them")]
    Unknown(String),
    /// There is no generation before this one.
    #[error("{0} has no older generation to go back to")]
    NothingOlder(String),
    /// The module was refused; the old one serves on.
    #[error("{0}")]
    Refused(String),
    /// The host stops.
    #[error("the host is stopping")]
    Stopping,
}

impl From<LoadFailure> for ActionError {
    fn from(failure: LoadFailure) -> ActionError {
        match failure.error {
            usher_runtime::LoadError::NoSuchSlot => ActionError::Unknown(failure.slot.to_string()),
            _ => ActionError::Refused(failure.to_string()),
        }
    }
}

impl From<RollbackError> for ActionError {
    fn from(error: RollbackError) -> ActionError {
        match error {
            RollbackError::NoSuchSlot(name) => ActionError::Unknown(name),
            RollbackError::NothingOlder(name) => ActionError::NothingOlder(name.to_string()),
        }
    }
}
