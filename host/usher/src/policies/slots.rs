//! Which module is where: by the doors that ask it, and by the file that it comes from.

use crate::config::{Config, Module, RULES_NAME};
use std::path::PathBuf;
use std::sync::Arc;
use usher_core::SlotId;

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
