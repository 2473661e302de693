//! Time, as the caller tells it.

use std::sync::Arc;
use usher_core::Moment;

/// Says what time it is. The caller's, so that a moment here is the moment that the core means.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;
