//! What is taken of one key: a unit a holder, with an index where one was handed out.

use crate::claim::{Claim, Until};
use crate::id::{RequestId, SessionId};
use crate::key::Key;
use crate::time::Moment;
use std::collections::BTreeSet;

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

/// How much of one key is taken. Who has it is with the holders: there are keys that everyone has.
#[derive(Default, Debug)]
pub(super) struct Units {
    taken: u32,
    /// Most keys hand out none.
    indices: Option<Box<Indices>>,
}

/// The indices of one key.
#[derive(Default, Debug)]
struct Indices {
    /// Those below `next` that nobody has.
    free: BTreeSet<u32>,
    next: u32,
}

impl Units {
    pub(super) fn len(&self) -> u32 {
        self.taken
    }

    /// A holder's unit goes from one state to another.
    pub(super) fn change(&mut self, before: Option<Unit>, after: Option<Unit>) {
        // No host has 2^32 holders: each is a live peer or a spent ticket in memory.
        self.taken -= u32::from(before.is_some());
        self.taken += u32::from(after.is_some());
        let (old, new) = (
            before.and_then(|unit| unit.index),
            after.and_then(|unit| unit.index),
        );
        if old != new {
            let indices = self.indices.get_or_insert_default();
            if let Some(index) = new {
                indices.take(index);
            }
            if let Some(index) = old {
                indices.free.insert(index);
            }
        }
    }

    /// The lowest index that nobody has. At most as large as the number of holders.
    pub(super) fn lowest_free(&self) -> u32 {
        let lowest = |it: &Indices| it.free.first().copied().unwrap_or(it.next);
        self.indices.as_deref().map_or(0, lowest)
    }
}

impl Indices {
    fn take(&mut self, index: u32) {
        while self.next <= index {
            self.free.insert(self.next);
            self.next += 1;
        }
        self.free.remove(&index);
    }
}

/// What one holder has, in the order of keys. Mostly a handful.
#[derive(Default, Debug)]
pub(super) struct Held(Vec<(Key, Unit)>);

impl Held {
    pub(super) fn get(&self, key: &Key) -> Option<Unit> {
        let at = self.find(key).ok()?;
        self.0.get(at).map(|(_, unit)| *unit)
    }

    /// Puts the unit of a key to a state, and returns the state before.
    pub(super) fn put(&mut self, key: &Key, unit: Option<Unit>) -> Option<Unit> {
        match (self.find(key), unit) {
            (Ok(at), Some(unit)) => Some(std::mem::replace(&mut self.0[at].1, unit)),
            (Ok(at), None) => Some(self.0.remove(at).1),
            (Err(at), Some(unit)) => {
                self.0.insert(at, (key.clone(), unit));
                None
            }
            (Err(_), None) => None,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Key, Unit)> {
        self.0.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find(&self, key: &Key) -> Result<usize, usize> {
        self.0.binary_search_by(|(held, _)| held.cmp(key))
    }
}

impl IntoIterator for Held {
    type Item = (Key, Unit);
    type IntoIter = std::vec::IntoIter<(Key, Unit)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
