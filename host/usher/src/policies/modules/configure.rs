//! What a configuration that is read again changes.

use super::Loader;
use crate::config::{Config, Rules};

impl Loader {
    /// Takes over what may change without a restart (see [`Config::adopt`]). Says where there are changes
    /// that need one, and which params their module does not take.
    pub fn configure(&self, config: &Config) {
        let mut state = self.state();
        let config = &self.answerable(config, &state.config);
        for policy in &config.policies {
            // `false` for one that is not there, which takes a restart.
            self.policies
                .configure(&policy.name, policy.slot().settings);
        }
        let rules_before = state.config.rules.clone();
        let rules_changed = match (&self.rules, &config.rules, &state.config.rules) {
            (Some(slot), Some(new), Some(old)) if new.params != old.params => {
                let new = new.slot();
                slot.configure(new.deadline, new.params);
                true
            }
            _ => false,
        };
        state.config.adopt(config);
        let differences = state.config.differences(config);
        if !differences.is_empty() {
            tracing::warn!(
                "the configuration has changes that take a restart, in: {}",
                differences.join(", ")
            );
        }
        self.publish(&mut state);
        drop(state);
        if rules_changed && let Err(why) = self.room.swap() {
            tracing::warn!(
                "the rules cannot start with the new params, the old are in force: {why}"
            );
            self.restore(rules_before);
        }
        tracing::info!("the configuration was read again");
    }

    /// The configuration without new params of which the policy that is loaded makes nothing: as when it
    /// is loaded, that must show before a player is decided with them.
    fn answerable(&self, config: &Config, before: &Config) -> Config {
        let mut config = config.clone();
        for policy in &mut config.policies {
            let mut known = before.policies.iter();
            let Some(old) = known.find(|old| old.name == policy.name) else {
                continue;
            };
            if policy.params != old.params
                && let Err(fault) = self.policies.try_params(&policy.name, &policy.params)
            {
                let (policy_name, why) = (&*policy.name, &fault.message);
                tracing::warn!(
                    policy = policy_name,
                    "it cannot decide with the new params, the old are in force: {why}"
                );
                policy.params.clone_from(&old.params);
            }
        }
        config
    }

    /// Puts the params back that the rules play with, for when they must be started anew.
    fn restore(&self, rules: Option<Rules>) {
        if let (Some(slot), Some(rules)) = (&self.rules, &rules) {
            let rules = rules.slot();
            slot.configure(rules.deadline, rules.params);
        }
        self.state().config.rules = rules;
    }
}
