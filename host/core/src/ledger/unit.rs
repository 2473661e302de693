//! What is taken of one key: a unit a holder, with an index where one was handed out.

use crate::claim::{Claim, Until};
use crate::id::{RequestId, SessionId};
use crate::time::Moment;
use std::collections::{BTreeMap, BTreeSet};

/// Whom a unit belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Holder {
    /// A request that is being decided: an offer, or what its policy asked to hold.
    Request(RequestId),
    /// A session.
    Session(SessionId),
}

/// One unit of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unit {
    /// The index that came with it.
    pub(crate) index: Option<u32>,
    /// Whether it lasts until the holder lets go.
    pub(crate) held: bool,
    /// Whether it lasts until a moment besides or instead.
    pub(crate) time: Option<Moment>,
}

impl Unit {
    /// What claims of one key by one holder come to: it lasts as long as the longest of them.
    pub(super) fn of<'a>(claims: impl Iterator<Item = &'a Claim>) -> Unit {
        let mut unit = Unit {
            index: None,
            held: false,
            time: None,
        };
        for claim in claims {
            match claim.until {
                Until::SessionEnd => unit.held = true,
                Until::Time(at) => unit.time = unit.time.max(Some(at)),
            }
        }
        unit
    }
}

/// All units of one key.
#[derive(Default, Debug)]
pub(super) struct Units {
    by_holder: BTreeMap<Holder, Unit>,
    /// Indices below `next` that nobody has.
    free: BTreeSet<u32>,
    next: u32,
}

impl Units {
    pub(super) fn len(&self) -> u32 {
        // No host has 2^32 holders: each is a live peer or a spent ticket in memory.
        u32::try_from(self.by_holder.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn get(&self, holder: Holder) -> Option<Unit> {
        self.by_holder.get(&holder).copied()
    }

    /// How many units others have.
    pub(super) fn others(&self, holder: Holder) -> u32 {
        self.len() - u32::from(self.by_holder.contains_key(&holder))
    }

    /// Puts a holder's unit to a state, with its index, and returns the state before.
    pub(super) fn put(&mut self, holder: Holder, unit: Option<Unit>) -> Option<Unit> {
        let before = match unit {
            Some(unit) => self.by_holder.insert(holder, unit),
            None => self.by_holder.remove(&holder),
        };
        let (old, new) = (
            before.and_then(|unit| unit.index),
            unit.and_then(|unit| unit.index),
        );
        if old != new {
            if let Some(index) = new {
                self.use_index(index);
            }
            if let Some(index) = old {
                self.free.insert(index);
            }
        }
        before
    }

    /// The lowest index that nobody has. At most as large as the number of holders.
    pub(super) fn lowest_free(&self) -> u32 {
        self.free.first().copied().unwrap_or(self.next)
    }

    fn use_index(&mut self, index: u32) {
        while self.next <= index {
            self.free.insert(self.next);
            self.next += 1;
        }
        self.free.remove(&index);
    }
}
