//! The token that binds an endpoint to a session.

use std::fmt;

/// The secret that a client binds its UDP endpoint with. Never 0, and unique among live sessions of a
/// door. `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionToken(u32);

impl SessionToken {
    /// A token of this value; `None` for 0, which is no token.
    pub fn new(value: u32) -> Option<SessionToken> {
        (value != 0).then_some(SessionToken(value))
    }

    /// The value, for the wire only.
    pub fn expose(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(secret)")
    }
}
