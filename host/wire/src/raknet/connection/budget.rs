//! What all connections together may keep for messages that are not whole or not yet due, and how they share it.
//!
//! Room is claimed before anything is kept, and for all of a message at once: what was begun never waits for
//! room. Nobody can have so much that nothing is left: each connection has a little that is always there for
//! it, and may take of the rest only a fraction of what is free. The fuller the budget, the less the next one
//! gets.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How much of a budget is set apart for what connections are assured of: one of so many parts.
const APART: usize = 4;

/// How much of what is free a connection may have: one of so many parts.
const FRACTION: usize = 16;

/// A count of bytes that many connections share; a clone is another handle on the same count.
///
/// A message that is one datagram and is due needs none of it, so that an exhausted budget slows down long
/// and reordered messages only: what finds no room is not acknowledged, and comes again.
#[derive(Clone)]
pub struct Budget(Arc<Count>);

struct Count {
    limit: usize,
    /// What is kept.
    used: AtomicUsize,
    claims: Mutex<Claims>,
}

/// Room that is promised. What is kept is never more.
#[derive(Default)]
struct Claims {
    all: usize,
    /// Of the part that is not set apart.
    open: usize,
}

/// What a connection's part of a [`Budget`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Bytes that it may have however full the budget is.
    ///
    /// That is a promise as long as those of all connections are within a quarter of the budget.
    pub assured: usize,
    /// Bytes that it has to leave to others, beside what these are assured of.
    pub spared: usize,
}

impl Share {
    /// Nothing at all, of a budget of up to 4 GiB.
    pub const NONE: Self = Self {
        assured: 0,
        spared: u32::MAX as usize,
    };
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
            claims: Mutex::default(),
        }))
    }

    /// The bytes that there are.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// Bytes in use. 0 once all connections are gone.
    #[must_use]
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    fn claims<T>(&self, change: impl FnOnce(&mut Claims) -> T) -> T {
        // Nothing between the two changes of a claim can panic.
        let mut claims = self.0.claims.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut claims)
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

/// What one connection has of the budget; given back when it goes.
#[derive(Debug)]
pub(super) struct Charge {
    budget: Budget,
    // Small, because there are as many as there are peers.
    /// What it keeps.
    kept: u32,
    /// What it may keep.
    claimed: u32,
    /// How much of that is of the open part of the budget.
    open: u32,
    was_refused: bool,
}

impl Charge {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            budget,
            kept: 0,
            claimed: 0,
            open: 0,
            was_refused: false,
        }
    }

    /// Claims more room, or nothing and says so.
    pub(super) fn claim(&mut self, bytes: usize, share: Share) -> bool {
        self.claim_beside(self.open as usize, bytes, share)
    }

    /// As [`claim`](Self::claim), as if it had nothing of the open part yet: for what has to come before
    /// anything else can go.
    pub(super) fn claim_first(&mut self, bytes: usize, share: Share) -> bool {
        self.claim_beside(0, bytes, share)
    }

    fn claim_beside(&mut self, open: usize, bytes: usize, share: Share) -> bool {
        let limit = self.budget.limit();
        let claimed = self.claimed().saturating_add(bytes);
        let more = claimed
            .saturating_sub(share.assured)
            .saturating_sub(self.open as usize);
        let fits = u32::try_from(claimed).is_ok();
        let taken = self.budget.claims(|claims| {
            let free = (limit - limit / APART)
                .saturating_sub(claims.open)
                .saturating_sub(share.spared);
            let all = claims.all.saturating_add(bytes);
            let may =
                fits && all <= limit && (more == 0 || open.saturating_add(more) <= free / FRACTION);
            if may {
                claims.all = all;
                claims.open += more;
            }
            may
        });
        if taken {
            // It fits, and what is of the open part is a part of it.
            self.claimed = claimed as u32;
            self.open += more as u32;
        }
        self.was_refused |= !taken;
        taken
    }

    /// The largest claim that could be granted, to one who has nothing while nobody else has anything.
    pub(super) fn most(&self, share: Share) -> usize {
        let limit = self.budget.limit();
        let open = (limit - limit / APART).saturating_sub(share.spared) / FRACTION;
        open.saturating_add(share.assured).min(limit)
    }

    /// Whether a claim was refused since this was asked last.
    pub(super) fn take_refused(&mut self) -> bool {
        std::mem::take(&mut self.was_refused)
    }

    /// Keeps bytes in room that was claimed.
    pub(super) fn keep(&mut self, bytes: usize) {
        debug_assert!(
            self.kept() + bytes <= self.claimed(),
            "more than was claimed"
        );
        // No more than was claimed.
        self.kept += bytes as u32;
        self.budget.0.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Gives back bytes that were kept, and room.
    pub(super) fn give_back(&mut self, kept: usize, claimed: usize) {
        debug_assert!(
            kept <= self.kept() && claimed <= self.claimed(),
            "more was given back than taken"
        );
        let (kept, claimed) = (kept.min(self.kept()), claimed.min(self.claimed()));
        let open = claimed.min(self.open as usize);
        // None is more than what it is taken from.
        self.kept -= kept as u32;
        self.claimed -= claimed as u32;
        self.open -= open as u32;
        self.budget.0.used.fetch_sub(kept, Ordering::Relaxed);
        self.budget.claims(|claims| {
            claims.all -= claimed;
            claims.open -= open;
        });
    }

    pub(super) fn kept(&self) -> usize {
        self.kept as usize
    }

    pub(super) fn claimed(&self) -> usize {
        self.claimed as usize
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if self.claimed > 0 {
            self.give_back(self.kept(), self.claimed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one more connection with nothing could claim.
    fn left(budget: &Budget, share: Share) -> usize {
        let mut most = 0;
        for bit in (0..usize::BITS - 1).rev() {
            let more = most | 1 << bit;
            if Charge::new(budget.clone()).claim(more, share) {
                most = more;
            }
        }
        most
    }

    #[test]
    fn what_is_claimed_is_given_back() {
        let budget = Budget::new(64_000);
        let share = Share::default();
        let mut one = Charge::new(budget.clone());
        assert_eq!((left(&budget, share), one.most(share)), (3_000, 3_000));
        assert!(one.claim(2_000, share));
        assert!(!one.claim(1_001, share));
        one.keep(1_500);
        assert_eq!(
            (one.kept(), one.claimed(), budget.used()),
            (1_500, 2_000, 1_500)
        );
        assert_eq!(left(&budget, share), 46_000 / FRACTION);
        one.give_back(1_000, 1_200);
        assert_eq!((one.kept(), one.claimed(), budget.used()), (500, 800, 500));
        drop(one);
        assert_eq!((left(&budget, share), budget.used()), (3_000, 0));
    }

    #[test]
    fn whoever_is_there_a_newcomer_has_what_it_is_assured_of() {
        let budget = Budget::new(64_000);
        let share = Share {
            assured: 100,
            spared: 0,
        };
        let mut greedy = Vec::new();
        for _ in 0..159 {
            let most = left(&budget, share);
            assert!(most >= 100);
            let mut charge = Charge::new(budget.clone());
            assert!(charge.claim(most, share));
            greedy.push(charge);
        }
        assert_eq!(left(&budget, share), 100);
        drop(greedy);
        assert_eq!(left(&budget, share), 3_100);
        assert_eq!(Charge::new(budget).most(share), 3_100);
    }

    #[test]
    fn what_has_to_be_spared_is_left_to_those_who_need_not() {
        let budget = Budget::new(64_000);
        let share = Share {
            assured: 0,
            spared: 16_000,
        };
        let mut greedy = Vec::new();
        while left(&budget, share) > 0 {
            let mut charge = Charge::new(budget.clone());
            assert!(charge.claim(left(&budget, share), share));
            greedy.push(charge);
        }
        assert!(left(&budget, Share::default()) >= 1_000);
        assert_eq!(left(&budget, Share::NONE), 0);
    }

    #[test]
    fn what_must_come_first_is_measured_by_itself() {
        let budget = Budget::new(64_000);
        let share = Share::default();
        let mut charge = Charge::new(budget.clone());
        assert!(charge.claim(2_500, share));
        assert!(!charge.claim(2_000, share));
        assert!(charge.take_refused() && !charge.take_refused());
        assert!(charge.claim_first(2_000, share));
        assert!(!charge.take_refused());
    }
}
