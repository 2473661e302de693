//! The session token.

use std::fmt;
use std::num::NonZeroU32;

/// The secret that names a session on the wire: never 0 (section 3.2).
///
/// Whoever knows it can bind the session's UDP endpoint, so it must not reach a log, a metric or an error:
/// `Debug` hides the value, there is no `Display`, and the one way to the number is [`expose`](Self::expose).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionToken(NonZeroU32);

impl SessionToken {
    /// The token of this value, `None` for 0.
    #[must_use]
    pub const fn new(value: u32) -> Option<Self> {
        match NonZeroU32::new(value) {
            Some(value) => Some(Self(value)),
            None => None,
        }
    }

    /// The value, to be written on the wire and nowhere else.
    #[must_use]
    pub const fn expose(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_not_a_token() {
        assert_eq!(SessionToken::new(0), None);
        assert_eq!(SessionToken::new(1).map(SessionToken::expose), Some(1));
        assert_eq!(
            SessionToken::new(u32::MAX).map(SessionToken::expose),
            Some(u32::MAX)
        );
    }

    #[test]
    fn debug_hides_the_value() {
        assert_eq!(
            format!("{:?}", SessionToken::new(0xDEAD_BEEF)),
            "Some(SessionToken(…))"
        );
    }
}
