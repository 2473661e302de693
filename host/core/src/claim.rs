//! Claims: how a verdict takes seats.

use crate::key::Key;
use crate::reason::{Reason, Said};
use crate::time::Moment;

/// How long a unit stays taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Until {
    /// Until the session ends.
    SessionEnd,
    /// Until a moment, whether or not the session lasts that long.
    Time(Moment),
}

/// "At most `limit` hold `key`, and if that many do already, `when_full` is why not."
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What is claimed; one unit of it.
    pub key: Key,
    /// The claim fits while others hold fewer units than this.
    pub limit: u32,
    /// What the player is told when it does not fit.
    pub when_full: Reason,
    /// How long the unit stays taken.
    pub until: Until,
    /// Hand out the lowest index of the key that nobody has.
    pub lowest_index: bool,
    /// The host's own claim: when a policy's claim of the same key is full too, the policy's reason is
    /// told.
    pub(crate) backstop: bool,
    /// What its policy said, where `when_full` says it in other words.
    pub(crate) said: Option<Said>,
}

impl Claim {
    /// A claim that lasts as long as the session.
    pub fn new(key: Key, limit: u32, when_full: Reason) -> Claim {
        Claim {
            key,
            limit,
            when_full,
            until: Until::SessionEnd,
            lowest_index: false,
            backstop: false,
            said: None,
        }
    }

    /// The same, with the lowest free index.
    pub fn with_lowest_index(self) -> Claim {
        Claim {
            lowest_index: true,
            ..self
        }
    }

    /// The same, for this long.
    pub fn until(self, until: Until) -> Claim {
        Claim { until, ..self }
    }

    pub(crate) fn into_backstop(self) -> Claim {
        Claim {
            backstop: true,
            ..self
        }
    }
}
