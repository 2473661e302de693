//! Secrets, which stand in files of their own and never in the configuration.

use super::error::ConfigError;
use super::reader::Entry;
use super::value::text;
use std::path::PathBuf;
use usher_core::Secret;

/// The longest secret, in bytes.
const LONGEST: usize = 4096;

/// A secret, and the file that it is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecretFile {
    /// The file.
    pub file: PathBuf,
    /// What it holds: printable ASCII, in one line.
    pub secret: Secret,
}

impl SecretFile {
    /// Reads the file that a key names; `what` says what it is to hold.
    pub(super) fn read(entry: &Entry<'_>, what: &str) -> Result<SecretFile, ConfigError> {
        let directory = entry.source().directory();
        // Whoever writes the secret itself where its file belongs must not find it in the log.
        entry.parse_hidden(|value| {
            let file = directory.join(text(value)?);
            let content = crate::files::read_text(&file).map_err(|error| {
                format!("the file that this names cannot be read: {error}; it must hold {what}")
            })?;
            let secret = content.trim();
            let printable = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
            if secret.is_empty() || secret.len() > LONGEST || !secret.bytes().all(printable) {
                return Err(format!(
                    "the file must hold {what}: 1 to {LONGEST} printable ASCII characters, in one line"
                ));
            }
            let secret = Secret::new(secret);
            Ok(SecretFile { file, secret })
        })
    }
}
