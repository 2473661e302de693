//! `[[policy]]` and `[rules]`: which modules decide, and with which settings.

use super::error::ConfigError;
use super::module::{Module, Role};
use super::reader::Section;
use super::value::{duration, flag, name};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use toml::de::DeValue;
use usher_core::FailMode;

/// The name under which the rules stand beside the policies wherever both are named.
pub const RULES_NAME: &str = "rules";

/// The operator's settings for a module: text as it is, anything else as its TOML text.
pub type Params = BTreeMap<String, String>;

/// A policy, and what holds it within bounds.
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    /// Its name, unique and never [`RULES_NAME`].
    pub name: Arc<str>,
    /// What is loaded.
    pub module: Module,
    /// What the player gets when it faults.
    pub fail: FailMode,
    /// Whether it is asked again about those who play whenever the rules change.
    pub recheck: bool,
    /// Whether it is the game's own rule: players are told of its refusals only that the game refuses them, unless
    /// it says one of the few reasons that are the game's to say.
    pub game_rule: bool,
    /// How long one call may take.
    pub deadline: Duration,
    /// Its settings.
    pub params: Params,
}

/// The rules of the game.
#[derive(Clone, PartialEq, Debug)]
pub struct Rules {
    /// What is loaded.
    pub module: Module,
    /// Its settings.
    pub params: Params,
}

impl Policy {
    /// How long one call may take where nothing else is said.
    pub const DEADLINE: Duration = Duration::from_millis(20);

    /// A policy with the defaults of everything.
    pub fn new(name: &str, module: Module) -> Policy {
        Policy {
            name: name.into(),
            module,
            fail: FailMode::Closed,
            recheck: false,
            game_rule: false,
            deadline: Policy::DEADLINE,
            params: Params::new(),
        }
    }

    /// Reads one policy. One call may not take longer than the whole decision may.
    pub(super) fn read(
        mut section: Section<'_>,
        decision_timeout: Duration,
    ) -> Result<Policy, ConfigError> {
        let name = section.required("name", "name = \"rtyp\"", |value| match name(value)? {
            name if &*name == RULES_NAME => {
                Err("this name means the [rules]; choose another".to_owned())
            }
            name => Ok(name),
        })?;
        let module = Module::read(&mut section, Role::Policy)?;
        let fail = section.optional("fail", "fail = \"closed\"", fail_mode)?;
        let recheck = section.optional("recheck", "recheck = \"seated\"", |value| {
            match value.as_str() {
                Some("seated") => Ok(true),
                Some("none") => Ok(false),
                _ => Err("it must be \"seated\" or \"none\"".to_owned()),
            }
        })?;
        let game_rule = section.optional("game-rule", "game-rule = true", flag)?;
        let deadline = section.optional("deadline", "deadline = \"20ms\"", |value| {
            let deadline = duration(Duration::from_millis(1)..=Duration::from_secs(10))(value)?;
            match deadline > decision_timeout {
                true => Err("it must not be longer than limits.decision-timeout".to_owned()),
                false => Ok(deadline),
            }
        })?;
        let params = read_params(&mut section)?;
        section.finish()?;
        Ok(Policy {
            name,
            module,
            fail: fail.unwrap_or(FailMode::Closed),
            recheck: recheck.unwrap_or(false),
            game_rule: game_rule.unwrap_or(false),
            deadline: deadline.unwrap_or(Policy::DEADLINE),
            params,
        })
    }
}

impl Rules {
    /// How long one call may take: a tick. They play in one thread, so a longer one holds up the room.
    pub const DEADLINE: Duration = Duration::from_millis(100);

    /// Reads the rules.
    pub(super) fn read(mut section: Section<'_>) -> Result<Rules, ConfigError> {
        let module = Module::read(&mut section, Role::Rules)?;
        let params = read_params(&mut section)?;
        section.finish()?;
        Ok(Rules { module, params })
    }
}

/// The word for a fail mode, in the file and in reports.
pub fn fail_word(fail: FailMode) -> &'static str {
    match fail {
        FailMode::Closed => "closed",
        FailMode::Open => "open",
        FailMode::LastGood => "last-good",
    }
}

fn fail_mode(value: &DeValue<'_>) -> Result<FailMode, String> {
    [FailMode::Closed, FailMode::Open, FailMode::LastGood]
        .into_iter()
        .find(|fail| value.as_str() == Some(fail_word(*fail)))
        .ok_or_else(|| "it must be \"closed\", \"open\" or \"last-good\"".to_owned())
}

/// Params may be secrets of the operator's: an error never shows one.
fn read_params(section: &mut Section<'_>) -> Result<Params, ConfigError> {
    const EXAMPLE: &str = "params = { greeting = \"hello\" }";
    let Some(mut table) = section.hidden_table("params", EXAMPLE)? else {
        return Ok(Params::new());
    };
    let mut params = Params::new();
    for (name, entry) in table.rest() {
        let text = entry.parse_hidden(|value| param_text(value, entry.written()))?;
        params.insert(name, text);
    }
    Ok(params)
}

fn param_text(value: &DeValue<'_>, written: &str) -> Result<String, String> {
    let nested = match value {
        DeValue::String(text) => return Ok(text.to_string()),
        DeValue::Array(items) => items.iter().any(|item| item.get_ref().is_table()),
        value => value.is_table(),
    };
    match nested {
        true => Err("a param must be text, a number, a flag or a list of these".to_owned()),
        false => Ok(written.to_owned()),
    }
}
