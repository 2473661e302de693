//! `module = "…"`: one that travels inside the program, or a file.

use super::error::ConfigError;
use super::reader::{Section, nearest};
use super::value::text;
use crate::builtin::{self, Builtin};
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a module comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Module {
    /// Inside the program.
    Builtin(&'static Builtin),
    /// A file, which was there when the configuration was read.
    File(PathBuf),
}

/// What a module is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Decides who may enter.
    Policy,
    /// Holds the rules of the game.
    Rules,
}

impl Module {
    /// Understands `builtin:NAME` or a path, which starts from `directory` when it is relative. The
    /// error is a sentence about the value.
    pub fn parse(text: &str, directory: &Path, role: Role) -> Result<Module, String> {
        if let Some(name) = text.strip_prefix("builtin:") {
            let (known, other, kind) = match role {
                Role::Policy => (builtin::POLICIES, builtin::RULES, "policy"),
                Role::Rules => (builtin::RULES, builtin::POLICIES, "set of rules"),
            };
            if let Some(found) = builtin::find(known, name) {
                return Ok(Module::Builtin(found));
            }
            let names: Vec<&str> = known.iter().map(|builtin| builtin.name).collect();
            let hint = match nearest(name, &names) {
                Some(near) => format!("did you mean builtin:{near}?"),
                None => format!("there are: builtin:{}", names.join(", builtin:")),
            };
            return Err(match builtin::find(other, name) {
                Some(_) => format!("builtin:{name} is not a {kind}; {hint}"),
                None => format!("there is no built-in {kind} of this name; {hint}"),
            });
        }
        let path = directory.join(text);
        match std::fs::metadata(&path) {
            Ok(found) if found.is_file() => Ok(Module::File(path)),
            Ok(_) => Err("this is not a file".to_owned()),
            Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
        }
    }

    /// Reads the key `module` of a table.
    pub(super) fn read(section: &mut Section<'_>, role: Role) -> Result<Module, ConfigError> {
        let example = match role {
            Role::Policy => "module = \"builtin:rtyp\"",
            Role::Rules => "module = \"builtin:arena\"",
        };
        let directory = section.source.directory();
        section.required("module", example, |value| {
            Module::parse(&text(value)?, directory, role)
        })
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Module::Builtin(builtin) => write!(f, "builtin:{}", builtin.name),
            Module::File(path) => write!(f, "{}", path.display()),
        }
    }
}
