//! What a snapshot pins of the policies, so that a decision keeps the rules that it began with.

use crate::bucket::Buckets;
use crate::config::Params;
use crate::generation::Generation;
use crate::policy::{PolicyModule, Terms};
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Pin, SlotId, Snapshot};

/// Every slot, by `SlotId`, as it was at one moment.
pub(crate) struct Pinned {
    slots: Vec<PinnedSlot>,
}

/// One slot, as it was at one moment.
pub(crate) struct PinnedSlot {
    /// What was loaded.
    pub(crate) generation: Arc<Generation<PolicyModule>>,
    /// The params.
    pub(crate) params: Arc<Params>,
    /// The buckets; the same for every slot.
    pub(crate) buckets: Arc<Buckets>,
    /// How long a call may run.
    pub(crate) deadline: Duration,
}

impl Pinned {
    /// These slots, to be handed to the core.
    pub(crate) fn pin(slots: Vec<PinnedSlot>) -> Pin {
        Pin(Arc::new(Pinned { slots }))
    }

    /// The slot in a snapshot; `None` if the snapshot pins something else, or no such slot.
    pub(crate) fn slot(snapshot: &Snapshot, slot: SlotId) -> Option<&PinnedSlot> {
        let pinned = snapshot.pin.0.downcast_ref::<Pinned>()?;
        pinned.slots.get(usize::from(slot.0))
    }
}

impl PinnedSlot {
    /// How calls are made.
    pub(crate) fn terms(&self) -> Terms<'_> {
        Terms {
            params: &self.params,
            buckets: &self.buckets,
            deadline: self.deadline,
        }
    }
}
