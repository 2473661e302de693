//! How a message is to arrive.

use super::malformed::Malformed;

/// How a message is to arrive. The variants with receipts have no form of their own on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Reliability {
    /// Once or never.
    Unreliable = 0,
    /// Never after a newer one of its channel.
    UnreliableSequenced = 1,
    /// Exactly once.
    Reliable = 2,
    /// Exactly once, in the order of its channel.
    ReliableOrdered = 3,
    /// As sequenced, and the newest one surely.
    ReliableSequenced = 4,
}

impl Reliability {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Unreliable,
        Self::UnreliableSequenced,
        Self::Reliable,
        Self::ReliableOrdered,
        Self::ReliableSequenced,
    ];

    /// Has a message number, is acknowledged and sent again.
    #[must_use]
    pub const fn is_reliable(self) -> bool {
        matches!(
            self,
            Self::Reliable | Self::ReliableOrdered | Self::ReliableSequenced
        )
    }

    /// Has a sequencing index.
    #[must_use]
    pub const fn is_sequenced(self) -> bool {
        matches!(self, Self::UnreliableSequenced | Self::ReliableSequenced)
    }

    /// Has a channel and an ordering index.
    #[must_use]
    pub const fn has_channel(self) -> bool {
        self.is_sequenced() || matches!(self, Self::ReliableOrdered)
    }

    /// What a message that needs parts is sent as.
    #[must_use]
    pub const fn in_parts(self) -> Self {
        match self {
            Self::Unreliable => Self::Reliable,
            Self::UnreliableSequenced => Self::ReliableSequenced,
            reliable => reliable,
        }
    }

    pub(super) fn from_bits(bits: u8) -> Result<Self, Malformed> {
        Self::ALL
            .get(usize::from(bits))
            .copied()
            .ok_or(Malformed::Reliability(bits))
    }
}
