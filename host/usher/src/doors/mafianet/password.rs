//! The connection password of the door itself.

use tokio::sync::watch;
use usher_core::Secret;

/// What the password is, where the operator has set one; it may change while the host runs.
pub(super) struct PasswordFile(pub(super) watch::Receiver<Option<Secret>>);

impl PasswordFile {
    /// Whether this is the password; `None` where there is none that the door would know.
    pub(super) fn is(&self, given: &[u8]) -> Option<bool> {
        let password = self.0.borrow();
        password
            .as_ref()
            .map(|password| same(given, password.expose().as_bytes()))
    }
}

/// Compares in a time that depends on the length of what was given and on nothing else.
fn same(given: &[u8], password: &[u8]) -> bool {
    let mut different = u8::from(given.len() != password.len());
    for (place, byte) in given.iter().enumerate() {
        // There is no way out of the loop, and the index does not depend on what is compared.
        different |= byte ^ password.get(place).copied().unwrap_or(0);
    }
    std::hint::black_box(different) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_is_right() {
        let (set, file) = watch::channel(Some(Secret::new("hunter2")));
        let file = PasswordFile(file);
        assert_eq!(file.is(b"hunter2"), Some(true));
        for wrong in ["", "hunter", "hunter3", "hunter22", "\0", "hunter2\0"] {
            assert_eq!(file.is(wrong.as_bytes()), Some(false), "{wrong:?}");
        }
        set.send_replace(Some(Secret::new("other")));
        assert_eq!(file.is(b"hunter2"), Some(false));
        set.send_replace(None);
        assert_eq!(file.is(b"anything"), None);
    }
}
