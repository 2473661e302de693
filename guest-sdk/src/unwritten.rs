//! Whether a policy left `on_ended` as it is. The default notes that it was called, because nothing else tells
//! a default from what an author wrote.

use std::sync::atomic::{AtomicBool, Ordering};

static CALLED: AtomicBool = AtomicBool::new(false);

/// The default of `on_ended` is called.
pub(crate) fn note() {
    // An instance has one thread; natively nobody asks.
    CALLED.store(true, Ordering::Relaxed);
}

/// Whether it was.
pub(crate) fn was_called() -> bool {
    CALLED.load(Ordering::Relaxed)
}
