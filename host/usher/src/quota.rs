//! How much of something may wait at a time, where it waits in pieces that are no use to count one by one.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A bound, and how much of it is taken.
#[derive(Debug)]
pub struct Quota {
    most: usize,
    taken: AtomicUsize,
}

impl Quota {
    /// Nothing of so much is taken.
    pub fn new(most: usize) -> Quota {
        let taken = AtomicUsize::new(0);
        Quota { most, taken }
    }

    /// Takes so much. False: there is no room for all of it, and nothing is taken.
    #[must_use]
    pub fn take(&self, wanted: usize) -> bool {
        self.take_within(|taken| {
            let sum = taken.checked_add(wanted)?;
            (sum <= self.most).then_some(sum)
        })
        .is_some()
    }

    /// Takes as much as there is room for: how much.
    #[must_use]
    pub fn take_some(&self, wanted: usize) -> usize {
        let some = |taken: usize| wanted.min(self.most.saturating_sub(taken));
        let before = self.take_within(|taken| Some(taken + some(taken)));
        before.map_or(0, some)
    }

    /// Gives back what was taken.
    pub fn give_back(&self, taken: usize) {
        self.taken.fetch_sub(taken, Ordering::Relaxed);
    }

    /// What was taken before, where something was.
    fn take_within(&self, sum: impl FnMut(usize) -> Option<usize>) -> Option<usize> {
        let order = Ordering::Relaxed;
        self.taken.fetch_update(order, order, sum).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_taken_or_nothing() {
        let quota = Quota::new(10);
        assert!(quota.take(7));
        assert!(!quota.take(4));
        assert!(!quota.take(usize::MAX));
        assert!(quota.take(3));
        quota.give_back(7);
        assert!(quota.take(7));
    }

    #[test]
    fn some_of_it_is_what_there_is_room_for() {
        let quota = Quota::new(10);
        assert_eq!(quota.take_some(7), 7);
        assert_eq!(quota.take_some(7), 3);
        assert_eq!(quota.take_some(7), 0);
        quota.give_back(5);
        assert_eq!(quota.take_some(4), 4);
    }
}
