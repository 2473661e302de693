//! What the caller says about a slot: where its module is, and how it is asked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use usher_core::FailMode;

/// The operator's settings for a module, as its `params` import gives them.
pub type Params = BTreeMap<String, String>;

/// Where a module comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A file, which is read again at each reload.
    File(PathBuf),
    /// Bytes that are part of the host.
    Builtin {
        /// The name that the configuration uses for it.
        name: &'static str,
        /// A component, or a core module that carries its contract.
        bytes: &'static [u8],
    },
}

/// A policy slot.
#[derive(Clone, Debug)]
pub struct SlotConfig {
    /// The name in the configuration; unique.
    pub name: Arc<str>,
    /// Where its module comes from.
    pub source: Source,
    /// What may change without a reload.
    pub settings: SlotSettings,
}

/// What may change in a slot while the module stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlotSettings {
    /// What a fault means. The core acts on it; here it is only shown.
    pub fail: FailMode,
    /// How long one call may run. Time in the queue does not count.
    pub deadline: Duration,
    /// The module's params.
    pub params: Params,
}

impl SlotSettings {
    /// How long a call may run where the configuration does not say.
    pub const DEADLINE: Duration = Duration::from_millis(20);
}

impl Default for SlotSettings {
    fn default() -> SlotSettings {
        SlotSettings {
            fail: FailMode::Closed,
            deadline: SlotSettings::DEADLINE,
            params: Params::new(),
        }
    }
}
