//! The configuration's modules as the runtime wants them.

use crate::config::{Config, Module, Policy, RULES_NAME, Rules};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use usher_core::SlotId;
use usher_runtime::{RulesConfig, SlotConfig, SlotSettings, Source};

/// How long one call of the rules may take: no longer than from one tick to the next.
pub(super) const RULES_DEADLINE: Duration = Duration::from_millis(100);

pub(super) fn slots(config: &Config) -> Vec<SlotConfig> {
    let slot = |policy: &Policy| SlotConfig {
        name: policy.name.clone(),
        source: source(&policy.module),
        settings: settings(policy),
    };
    config.policies.iter().map(slot).collect()
}

pub(super) fn settings(policy: &Policy) -> SlotSettings {
    SlotSettings {
        fail: policy.fail,
        deadline: policy.deadline,
        params: policy.params.clone(),
    }
}

pub(super) fn rules(rules: &Rules) -> RulesConfig {
    RulesConfig {
        name: RULES_NAME.into(),
        source: source(&rules.module),
        deadline: RULES_DEADLINE,
        params: rules.params.clone(),
    }
}

/// The chain of each door, by `DoorId`.
pub(super) fn chains(config: &Config) -> Vec<Arc<[SlotId]>> {
    let doors = config.doors.iter();
    doors.map(|door| door.policies.as_slice().into()).collect()
}

/// Every module that is a file, with the name of its slot.
pub(super) fn files(config: &Config) -> Vec<(PathBuf, Arc<str>)> {
    let policies = config.policies.iter();
    let policies = policies.map(|policy| (&policy.module, policy.name.clone()));
    let rules = config.rules.iter();
    let rules = rules.map(|rules| (&rules.module, Arc::from(RULES_NAME)));
    policies
        .chain(rules)
        .filter_map(|(module, name)| match module {
            Module::Builtin(_) => None,
            Module::File(path) => Some((path.clone(), name)),
        })
        .collect()
}

fn source(module: &Module) -> Source {
    match module {
        Module::Builtin(builtin) => Source::Builtin {
            name: builtin.name,
            bytes: builtin.wasm,
        },
        Module::File(path) => Source::File(path.clone()),
    }
}
