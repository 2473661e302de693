//! What decides at one moment: which policies, in which order, and which generation of each.

use crate::id::{DoorId, SlotId};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What the player gets when a policy faults in the first decision (semantics 22).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailMode {
    /// The request is refused.
    Closed,
    /// The policy counts as having passed without claims.
    Open,
    /// The last generation that answered well is asked instead; if that faults too, it is refused.
    LastGood,
}

/// A policy slot, as far as the core is concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlotInfo {
    /// The name in the configuration.
    pub name: Arc<str>,
    /// What a fault means.
    pub fail: FailMode,
    /// Whether it is asked again about those who play, each time that the rules change (semantics 23).
    pub recheck: bool,
    /// Whether players are told of its refusals and faults only that the game refuses them, unless the code
    /// is one of [`crate::code::NOT_IN_SESSION`], [`crate::code::NO_SEAT_LEFT`] and
    /// [`crate::code::REFUSED_BY_GAME`]. It is about who asks to enter, not about who plays.
    pub game_rule: bool,
}

/// Something of the host's that a decision keeps alive and hands back with every ask: the generations,
/// params and buckets that it began with. The core does not look inside.
#[derive(Clone)]
pub struct Pin(pub Arc<dyn Any + Send + Sync>);

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pin")
    }
}

/// One state of the rules. A decision keeps the one that it began with to its end (semantics 12).
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Counts snapshots, for operators.
    pub number: u64,
    /// Every slot, by [`SlotId`].
    pub slots: Vec<SlotInfo>,
    /// The chain of each door, by [`DoorId`].
    pub chains: Vec<Arc<[SlotId]>>,
    /// The host's own.
    pub pin: Pin,
}

impl Snapshot {
    /// A snapshot without policies: every chain is empty, so every request is refused as a fault. What
    /// a core has before the host gives it one.
    pub fn none() -> Snapshot {
        Snapshot {
            number: 0,
            slots: Vec::new(),
            chains: Vec::new(),
            pin: Pin(Arc::new(())),
        }
    }

    /// The chain of a door; empty for a door that it does not know.
    pub fn chain(&self, door: DoorId) -> Arc<[SlotId]> {
        self.chains
            .get(usize::from(door.0))
            .cloned()
            .unwrap_or_else(|| [].into())
    }

    /// Every slot.
    pub(crate) fn slot_ids(&self) -> impl Iterator<Item = SlotId> + use<> {
        (0..=u16::MAX).map(SlotId).take(self.slots.len())
    }

    /// A slot; `None` for one that it does not know.
    pub fn slot(&self, slot: SlotId) -> Option<&SlotInfo> {
        self.slots.get(usize::from(slot.0))
    }
}
