//! How much one connection may keep.

use std::time::Duration;

use super::super::limits::{MAX_SESSION_PAYLOAD, PART_OVERHEAD};
use super::budget::Share;

/// How much one connection may keep, and how long it waits for its peer.
///
/// In the worst case a connection takes `max_held` bytes, one more message of `max_parts` parts (the oldest
/// that is missing, without which the held ones would never be due), `max_outgoing` bytes, and
/// [`Limits::FIXED`] bytes for what does not depend on these: [`most`](Self::most).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Parts that an incoming message may have. It may have no more than its share can ever have room for.
    pub max_parts: u32,
    /// Bytes that incoming messages may take which are not whole, or wait for their turn in their channel.
    ///
    /// What finds no room is not acknowledged, and comes again. A message in parts is counted with all its
    /// parts from the first one on, so that what was begun can be ended.
    pub max_held: usize,
    /// Bytes that outgoing messages may take, until they are sent and, when reliable, acknowledged.
    pub max_outgoing: usize,
    /// How much of that, and of one message more, it may have of what all connections keep.
    pub share: Share,
    /// How long the peer may be silent while it owes an acknowledgement; and how long nothing may come that
    /// brings what it has begun nearer to its end.
    ///
    /// A message may take six times as long to become whole, and so long may others wait for one that is
    /// missing, or twice that where those come one by one.
    pub timeout: Duration,
}

/// The same in less memory: there may be thousands of connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed {
    max_parts: u32,
    max_held: u32,
    max_outgoing: u32,
    assured: u32,
    spared: u32,
    /// In nanoseconds, in two halves.
    timeout: [u32; 2],
}

impl Packed {
    /// What is beyond 4 GiB, or 584 years, is that much.
    pub(super) fn new(limits: Limits) -> Self {
        let size = |size| u32::try_from(size).unwrap_or(u32::MAX);
        let timeout = u64::try_from(limits.timeout.as_nanos()).unwrap_or(u64::MAX);
        Self {
            max_parts: limits.max_parts,
            max_held: size(limits.max_held),
            max_outgoing: size(limits.max_outgoing),
            assured: size(limits.share.assured),
            spared: size(limits.share.spared),
            timeout: [(timeout >> 32) as u32, timeout as u32],
        }
    }

    pub(super) fn unpacked(self) -> Limits {
        let [high, low] = self.timeout.map(u64::from);
        Limits {
            max_parts: self.max_parts,
            max_held: self.max_held as usize,
            max_outgoing: self.max_outgoing as usize,
            share: Share {
                assured: self.assured as usize,
                spared: self.spared as usize,
            },
            timeout: Duration::from_nanos(high << 32 | low),
        }
    }
}

impl Limits {
    /// What does not depend on the other limits, in bytes: tables of numbers and of channels at their
    /// fullest, and the connection itself.
    pub const FIXED: usize = 128 << 10;

    /// What a connection of this MTU takes at most, in bytes, without messages that are due and not yet polled.
    #[must_use]
    pub fn most(&self, mtu: u16) -> usize {
        let message = self.max_parts as usize * (usize::from(mtu) + 64) + 512;
        self.max_held + message + self.max_outgoing + Self::FIXED
    }

    /// For a peer that nobody has accepted: one session message of 65,536 bytes and some way around it.
    #[must_use]
    pub fn pending(mtu: u16) -> Self {
        let part = usize::from(mtu.saturating_sub(PART_OVERHEAD)).max(1);
        Self {
            max_parts: (MAX_SESSION_PAYLOAD + 1).div_ceil(part) as u32,
            max_held: 128 << 10,
            max_outgoing: 256 << 10,
            share: Share::default(),
            timeout: Duration::from_secs(10),
        }
    }

    /// For one that plays: messages of about a megabyte, several at once.
    #[must_use]
    pub fn accepted() -> Self {
        Self {
            max_parts: 1024,
            max_held: 4 << 20,
            max_outgoing: 4 << 20,
            share: Share::default(),
            timeout: Duration::from_secs(10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_the_same_after_packing() {
        for limits in [
            Limits::pending(1400),
            Limits::pending(576),
            Limits::accepted(),
        ] {
            assert_eq!(Packed::new(limits).unpacked(), limits);
        }
        let endless = Limits {
            max_held: usize::MAX,
            timeout: Duration::MAX,
            ..Limits::accepted()
        };
        let unpacked = Packed::new(endless).unpacked();
        assert_eq!(unpacked.max_held, u32::MAX as usize);
        assert_eq!(unpacked.timeout, Duration::from_nanos(u64::MAX));
    }
}
