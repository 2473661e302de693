//! Reads the documents that the host answers with. Whatever is wrong with one, it is not a panic.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};

/// The longest document that is read, in bytes: what is longer would not fit a policy's memory once read.
pub(super) const LONGEST: usize = 512 * 1024;

/// Reads a document of JSON, or says in a word why not. Keys that nobody asked for are passed over.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    if body.len() > LONGEST {
        return Err("too long".to_owned());
    }
    // No word of the document itself: it may hold secrets, and what it says of a mistake may quote it.
    serde_json::from_slice(body).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("malformed at {line}:{column}")
    })
}

/// A number of players. What is below none is none, and what is beyond counting is as many as can be.
pub(super) fn count(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

/// A key that must be there, though it may say `null`: a document without it is another document.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    value: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(value)
}
