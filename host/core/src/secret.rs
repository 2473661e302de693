//! Secrets: values that must never reach a log, a metric, an audit line, an error or a screen.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// The SHA-256 of a secret. It is what the host keeps; it is shown as a ref, the first 12 hexadecimal
/// digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a secret's UTF-8 bytes.
    pub fn of(secret: &str) -> Digest {
        Digest(Sha256::digest(secret.as_bytes()).into())
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Digest {
        Digest(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6]
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ref {self}")
    }
}

/// A secret that is still needed in the clear, such as a connection password on its way to a policy.
/// `Debug` shows its ref; there is no `Display`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(Box<str>);

impl Secret {
    /// Wraps a secret.
    pub fn new(secret: impl Into<Box<str>>) -> Secret {
        Secret(secret.into())
    }

    /// The secret itself. The caller takes over the duty to keep it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What may be shown and stored of it.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_its_ref_and_nothing_else() {
        let secret = Secret::new("q3Vx9mKc0TzR1bN4wYp7Lg");
        let shown = format!("{secret:?}");
        assert!(shown.starts_with("ref ") && shown.len() == 16, "{shown}");
        assert!(!shown.contains("q3Vx"));
        assert_eq!(format!("{}", Digest::of("abc")), "ba7816bf8f01");
    }
}
