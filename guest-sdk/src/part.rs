//! The parts that keys and questions are made of. Ours and not generated, so that a secret stays one.

use std::fmt;

/// One part of a key, or an argument of a question.
///
/// `Debug` does not show a secret, so that a logged key gives nothing away.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// Text that may be shown to operators.
    Plain(String),
    /// A secret, such as a ticket id or a reservation id. The host stores its SHA-256 only.
    Secret(String),
}

impl Part {
    /// A part that nobody but the host may read.
    pub fn secret(text: impl Into<String>) -> Part {
        Part::Secret(text.into())
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Plain(text) => write!(f, "{text:?}"),
            Part::Secret(_) => f.write_str("(secret)"),
        }
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Part {
        Part::Plain(text.to_owned())
    }
}

impl From<&String> for Part {
    fn from(text: &String) -> Part {
        Part::Plain(text.clone())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Part {
        Part::Plain(text)
    }
}
