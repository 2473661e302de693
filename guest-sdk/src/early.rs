//! What a policy returns, so that `?` ends it early with a verdict.

use crate::contract::{Reason, Verdict};

/// What a policy returns: a verdict either way. `?` works on [`Facts::get`](crate::Facts::get) and on
/// any check that fails with a [`Reason`].
pub type Decided = Result<Verdict, Early>;

/// A verdict that a policy reaches before its end: a question that must be answered first, or a
/// refusal. Boxed, so that the results which carry it stay small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Early(Box<Verdict>);

impl From<Verdict> for Early {
    fn from(verdict: Verdict) -> Early {
        Early(Box::new(verdict))
    }
}

/// So that `?` on a check that failed refuses with its reason.
impl From<Reason> for Early {
    fn from(reason: Reason) -> Early {
        Verdict::reject(reason).into()
    }
}

impl From<Early> for Verdict {
    fn from(early: Early) -> Verdict {
        *early.0
    }
}

impl From<Verdict> for Decided {
    fn from(verdict: Verdict) -> Decided {
        Ok(verdict)
    }
}
