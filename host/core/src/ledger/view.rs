//! What others may read of the ledger while the core goes on writing it.

use crate::key::Key;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How many units of each key are taken, readable from any thread. It is advice: by the time that a
/// reader acts on it, it may be out of date (semantics 10). Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct TakenView(Arc<RwLock<HashMap<Key, u32>>>);

impl TakenView {
    /// How many units of a key are taken, those of the asker included.
    pub fn taken(&self, key: &Key) -> u32 {
        // A poisoned lock means that a writer panicked between two inserts: the map is whole.
        let taken = self.0.read().unwrap_or_else(PoisonError::into_inner);
        taken.get(key).copied().unwrap_or(0)
    }

    /// Publishes how many are taken now of these.
    pub(super) fn publish(&self, changed: &[(&Key, u32)]) {
        if changed.is_empty() {
            return;
        }
        let mut taken = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (key, count) in changed {
            if *count == 0 {
                taken.remove(*key);
            } else if let Some(known) = taken.get_mut(*key) {
                *known = *count;
            } else {
                taken.insert((*key).clone(), *count);
            }
        }
    }
}
