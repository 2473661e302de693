//! The key by which a peer names itself.

use std::fmt;

/// A peer's own 64-bit key, random for each start of it. It names a peer and proves nothing.
///
/// 0 and all ones are reserved on the wire; they are let through here, and mean nobody.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guid(pub u64);

impl Guid {
    /// The eight bytes on the wire.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guid({:016x})", self.0)
    }
}
