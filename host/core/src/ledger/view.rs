//! What others may read of the ledger while the core goes on writing it.

use super::book::Keys;
use super::unit::Units;
use crate::key::Key;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// How many units of each key are taken, readable from any thread. It is advice: by the time that a
/// reader acts on it, it may be out of date (semantics 10). Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct TakenView(Arc<RwLock<Keys>>);

impl TakenView {
    /// How many units of a key are taken, those of the asker included.
    pub fn taken(&self, key: &Key) -> u32 {
        self.read().get(key).map_or(0, Units::len)
    }

    // Nothing that has the lock panics; if it did, what is counted would be the best that there is.

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Keys> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be had for the time of a commit, so that others see all of it or nothing.
    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Keys> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
