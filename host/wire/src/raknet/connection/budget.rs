//! What all connections together may keep for messages that are not whole or not yet due.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A count of bytes that many connections share; a clone is another handle on the same count.
///
/// A message that is one datagram and is due needs none of it, so that an exhausted budget slows down long
/// and reordered messages only: what finds no room is not acknowledged, and comes again.
#[derive(Clone)]
pub struct Budget(Arc<Count>);

struct Count {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    /// 64 MiB.
    pub const DEFAULT_LIMIT: usize = 64 << 20;

    /// A budget of this many bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Count {
            limit,
            used: AtomicUsize::new(0),
        }))
    }

    /// Bytes in use. 0 once all connections are gone.
    #[must_use]
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) -> bool {
        self.0
            .used
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|used| *used <= self.0.limit)
            })
            .is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT)
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Budget({} of {})", self.used(), self.0.limit)
    }
}

/// What one connection has taken of the budget; given back when it goes.
#[derive(Debug)]
pub(super) struct Charge {
    budget: Budget,
    bytes: usize,
}

impl Charge {
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, bytes: 0 }
    }

    /// Takes more, or nothing and says so.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let taken = self.budget.take(bytes);
        if taken {
            self.bytes += bytes;
        }
        taken
    }

    pub(super) fn shrink(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.bytes, "more was given back than taken");
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.budget.give_back(bytes);
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_share_it_and_give_it_back() {
        let budget = Budget::new(100);
        let mut one = Charge::new(budget.clone());
        let mut two = Charge::new(budget.clone());
        assert!(one.grow(60));
        assert!(!two.grow(41));
        assert!(two.grow(40));
        one.shrink(10);
        assert_eq!((one.bytes(), two.bytes(), budget.used()), (50, 40, 90));
        drop(one);
        assert_eq!(budget.used(), 40);
        drop(two);
        assert_eq!(budget.used(), 0);
    }
}
