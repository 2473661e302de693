//! The one state under its one lock.

use super::state::State;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is behind the port.
pub(crate) struct Sdk(pub(super) Mutex<State>);

impl Sdk {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
