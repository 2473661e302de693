//! The modules of a configuration, as the runtime takes them.

use super::module::Module;
use super::policy::{Policy, RULES_NAME, Rules};
use usher_runtime::{RulesConfig, SlotConfig, SlotSettings, Source};

impl Module {
    /// Where the runtime finds it.
    pub fn source(&self) -> Source {
        match self {
            Module::Builtin(builtin) => Source::Builtin {
                name: builtin.name,
                bytes: builtin.wasm,
            },
            Module::File(path) => Source::File(path.clone()),
        }
    }
}

impl Policy {
    /// Its slot.
    pub fn slot(&self) -> SlotConfig {
        SlotConfig {
            name: self.name.clone(),
            source: self.module.source(),
            settings: SlotSettings {
                fail: self.fail,
                deadline: self.deadline,
                params: self.params.clone(),
            },
        }
    }
}

impl Rules {
    /// Their slot.
    pub fn slot(&self) -> RulesConfig {
        RulesConfig {
            name: RULES_NAME.into(),
            source: self.module.source(),
            deadline: Rules::DEADLINE,
            params: self.params.clone(),
        }
    }
}
