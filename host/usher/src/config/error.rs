//! What is wrong with a configuration, in one line that a person can act on.

use crate::text::Shown;
use std::fmt;
use std::path::PathBuf;

/// A configuration that cannot be used.
///
/// Its display is one line: where it stands, the key with its table path, the value, what is wrong with
/// it and what would be right.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct ConfigError {
    /// The file; absent for what came from the command line.
    pub file: Option<PathBuf>,
    /// The line in the file, from 1.
    pub line: Option<u32>,
    /// The key with its table path, such as `limits.max-players`; empty where the whole file is meant.
    pub key: String,
    /// The value as it is written, where there is one.
    pub value: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// A line that would be right.
    pub example: Option<Box<str>>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            match self.line {
                Some(line) => write!(f, "{line}: ")?,
                None => f.write_str(" ")?,
            }
        }
        if !self.key.is_empty() {
            // A key in quotes may be anything.
            write!(f, "{}", Shown(&self.key))?;
            match &self.value {
                Some(value) => write!(f, " = {value}: ")?,
                None => f.write_str(": ")?,
            }
        }
        f.write_str(&self.problem)?;
        if let Some(example) = &self.example {
            write!(f, "; for example: {example}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_line_whatever_the_key_is() {
        let error = ConfigError {
            file: Some("usher.toml".into()),
            line: Some(3),
            key: "limits.a\n\u{1b}[2J".to_owned(),
            value: None,
            problem: "there is no such key".to_owned(),
            example: None,
        };
        let line = r"usher.toml:3: limits.a\n\u{1b}[2J: there is no such key";
        assert_eq!(error.to_string(), line);
    }
}
