//! The version of a game's own network protocol.

use core::fmt;

/// A game's own number for its network protocol: 0 to [`ProtocolVersion::MAX`]. It is not that of a build.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProtocolVersion(u32);

impl ProtocolVersion {
    /// The largest that a ticket can carry: that of a signed integer of 32 bits.
    pub const MAX: u32 = i32::MAX as u32;

    /// `None` above [`ProtocolVersion::MAX`].
    pub const fn new(number: u32) -> Option<ProtocolVersion> {
        match number <= ProtocolVersion::MAX {
            true => Some(ProtocolVersion(number)),
            false => None,
        }
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
