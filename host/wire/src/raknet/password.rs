//! The password of a connection request.

use std::fmt;

/// A password as the client sent it, 0 to 255 bytes.
///
/// A secret: `Debug` hides it, there is no `Display`, and the one way to the bytes is
/// [`expose`](Self::expose). There is no `PartialEq` either: compare in constant time.
#[derive(Clone, Copy)]
pub struct Password<'a>(&'a [u8]);

impl<'a> Password<'a> {
    /// The password of these bytes.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes, to be compared or asked about and never to be shown.
    #[must_use]
    pub const fn expose(self) -> &'a [u8] {
        self.0
    }
}

impl fmt::Debug for Password<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_hides_it() {
        assert_eq!(format!("{:?}", Password::new(b"wrong")), "Password(…)");
    }
}
