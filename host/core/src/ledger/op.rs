//! What a commit is made of, and why one fails.

use super::unit::Holder;
use crate::claim::Claim;
use crate::key::Key;
use crate::reason::{Reason, Said};

/// An operation of a commit.
#[derive(Debug)]
pub(crate) enum Op<'a> {
    /// The holder lets go: every unit that lasts until then is given back, timed ones stay.
    Release(Holder),
    /// The holder never was: every unit is given back, timed ones too.
    Forget(Holder),
    /// What one holder has becomes another's.
    Move {
        /// Who has it.
        from: Holder,
        /// Who gets it; has nothing yet.
        to: Holder,
    },
    /// Take these besides what the holder has. A key that it has already is satisfied.
    Take(Holder, &'a [Claim]),
    /// Give back what is not named here.
    Keep(Holder, &'a [Claim]),
}

/// Why a claim does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Full {
    /// The key that has no room.
    pub(crate) key: Key,
    /// The limit that was tested.
    pub(crate) limit: u32,
    /// What the player is told.
    pub(crate) reason: Reason,
    /// What its policy said, where that is told in other words.
    pub(crate) said: Option<Said>,
}
