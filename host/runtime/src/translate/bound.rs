//! Bounds, and what is said when one is breached.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The longest text, payload or body of the contract, in bytes.
pub(crate) const LONG: usize = 65_536;
/// The longest name or word, in bytes.
pub(crate) const WORD: usize = 64;
/// The longest name of a person or a room, or bucket entry, in bytes.
pub(crate) const NAME: usize = 256;
/// The longest key part or identity, in bytes: the ids of a fleet are up to 100 characters of 4 bytes.
pub(crate) const ID: usize = 512;

/// A bound of the contract that a module breached: where, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Breach {
    field: String,
    problem: String,
}

impl Breach {
    /// A breach at a field.
    pub(crate) fn new(field: &str, problem: impl Into<String>) -> Breach {
        Breach {
            field: field.to_owned(),
            problem: problem.into(),
        }
    }

    /// The same breach, seen from around the field's owner.
    pub(crate) fn within(self, owner: &str) -> Breach {
        Breach {
            field: format!("{owner}.{}", self.field),
            ..self
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.problem)
    }
}

impl std::error::Error for Breach {}

/// Text of a length in bytes.
pub(crate) fn text<T: AsRef<str> + Into<Arc<str>>>(
    value: T,
    field: &str,
    allowed: RangeInclusive<usize>,
) -> Result<Arc<str>, Breach> {
    length(value.as_ref().len(), field, "bytes", allowed)?;
    Ok(value.into())
}

/// Text of at most so many bytes, if there is any.
pub(crate) fn maybe_text(
    value: Option<Arc<str>>,
    field: &str,
    most: usize,
) -> Result<Option<Arc<str>>, Breach> {
    value.map(|value| text(value, field, 0..=most)).transpose()
}

/// At most so many bytes.
pub(crate) fn bytes<T: AsRef<[u8]> + Into<Arc<[u8]>>>(
    value: T,
    field: &str,
    most: usize,
) -> Result<Arc<[u8]>, Breach> {
    length(value.as_ref().len(), field, "bytes", 0..=most)?;
    Ok(value.into())
}

/// A list of so many entries, each translated.
pub(crate) fn list<T, U>(
    entries: Vec<T>,
    field: &str,
    allowed: RangeInclusive<usize>,
    mut each: impl FnMut(T) -> Result<U, Breach>,
) -> Result<Vec<U>, Breach> {
    length(entries.len(), field, "entries", allowed)?;
    let translated = entries.into_iter().enumerate().map(|(index, entry)| {
        each(entry).map_err(|breach| breach.within(&format!("{field}[{index}]")))
    });
    translated.collect()
}

/// A length that must be in a range.
pub(crate) fn length(
    is: usize,
    field: &str,
    unit: &str,
    allowed: RangeInclusive<usize>,
) -> Result<(), Breach> {
    if allowed.contains(&is) {
        return Ok(());
    }
    let (least, most) = allowed.into_inner();
    let range = if least == 0 {
        format!("at most {most}")
    } else {
        format!("{least} to {most}")
    };
    let problem = format!("has {is} {unit}, {range} are allowed");
    Err(Breach::new(field, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breach_names_the_field_and_the_bound() {
        let lists = vec![vec!["ok".to_owned()], vec!["ok".to_owned(), "x".repeat(65)]];
        let breach = list(lists, "options", 1..=8, |inner| {
            list(inner, "claims", 0..=32, |word| text(word, "name", 1..=64))
        });
        assert_eq!(
            breach.unwrap_err().to_string(),
            "options[1].claims[1].name has 65 bytes, 1 to 64 are allowed"
        );
    }

    #[test]
    fn every_length_is_checked_at_both_ends() {
        for (is, allowed, good) in [
            (0, 0..=3, true),
            (3, 0..=3, true),
            (4, 0..=3, false),
            (0, 1..=3, false),
            (1, 1..=3, true),
        ] {
            assert_eq!(length(is, "f", "bytes", allowed).is_ok(), good, "{is}");
        }
        let none = bytes(vec![0; 4], "body", 3).unwrap_err();
        assert_eq!(none.to_string(), "body has 4 bytes, at most 3 are allowed");
        assert_eq!(maybe_text(None, "f", 0), Ok(None));
    }
}
