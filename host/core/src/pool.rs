//! The pending pool: how many requests may be pending, in all and of one address.

use crate::address::AddressGroup;
use crate::by_choice::ByChoice;

/// Why there is no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoRoom {
    /// The pool is full.
    Pool,
    /// The address has its share.
    Share,
}

/// Counts pending requests, and places in the queue without a connection.
#[derive(Debug)]
pub(crate) struct Pool {
    max: u32,
    share: u32,
    total: u32,
    groups: ByChoice<AddressGroup, u32>,
}

impl Pool {
    /// A pool of `max`, of which one address may have `share`; 0 is no limit for either.
    pub(crate) fn new(max: u32, share: u32) -> Pool {
        Pool {
            max,
            share,
            total: 0,
            groups: ByChoice::default(),
        }
    }

    /// Takes a place.
    pub(crate) fn enter(&mut self, group: AddressGroup) -> Result<(), NoRoom> {
        if self.max != 0 && self.total >= self.max {
            return Err(NoRoom::Pool);
        }
        let count = self.groups.get(&group).copied().unwrap_or(0);
        if self.share != 0 && count >= self.share {
            return Err(NoRoom::Share);
        }
        self.groups.insert(group, count + 1);
        self.total += 1;
        Ok(())
    }

    /// Gives a place back that was taken with [`Pool::enter`] for the same group.
    pub(crate) fn leave(&mut self, group: AddressGroup) {
        if let Some(count) = self.groups.get_mut(&group) {
            *count -= 1;
            self.total -= 1;
            if *count == 0 {
                self.groups.remove(&group);
            }
        }
    }

    /// How many places are taken.
    pub(crate) fn total(&self) -> u32 {
        self.total
    }

    /// The most that one address has; for checks.
    #[cfg(test)]
    pub(crate) fn largest_share(&self) -> u32 {
        self.groups.values().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_is_bounded_in_all_and_by_address() {
        let group = |text: &str| AddressGroup::of(text.parse().unwrap());
        let (a, b) = (group("192.0.2.1"), group("192.0.2.2"));
        let mut pool = Pool::new(3, 2);
        assert_eq!(pool.enter(a), Ok(()));
        assert_eq!(pool.enter(a), Ok(()));
        assert_eq!(pool.enter(a), Err(NoRoom::Share));
        assert_eq!(pool.enter(b), Ok(()));
        assert_eq!(pool.enter(b), Err(NoRoom::Pool));
        pool.leave(a);
        assert_eq!(pool.enter(a), Ok(()));
        for group in [a, a, b] {
            pool.leave(group);
        }
        assert_eq!((pool.total(), pool.groups.len()), (0, 0));
    }

    #[test]
    fn zero_is_no_limit() {
        let group = AddressGroup::of("192.0.2.1".parse().unwrap());
        let mut pool = Pool::new(0, 0);
        assert!((0..10_000).all(|_| pool.enter(group).is_ok()));
    }
}
