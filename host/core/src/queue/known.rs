//! Who waits as whom: those who wait, by the identity that their policy says they have.

use super::ranked::Ranked;
use crate::id::RequestId;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Requests by identity. It keeps a number for each identity and not the text, which the request has: who
/// asks compares that.
#[derive(Default, Debug)]
pub(crate) struct Known {
    requests: Ranked<(u64, RequestId)>,
}

impl Known {
    /// Notes that a request waits as this.
    pub(crate) fn insert(&mut self, identity: &str, request: RequestId) {
        self.requests.insert((number(identity), request));
    }

    /// A request does not wait as this any more.
    pub(crate) fn remove(&mut self, identity: &str, request: RequestId) {
        self.requests.remove(&(number(identity), request));
    }

    /// Those who may wait as this, the oldest first: all that do, and seldom another.
    pub(crate) fn candidates(&self, identity: &str) -> Vec<RequestId> {
        let number = number(identity);
        let mut found = Vec::new();
        let mut at = (number, RequestId(0));
        while let Some(next) = self.requests.next(Some(&at)).filter(|it| it.0 == number) {
            found.push(next.1);
            at = *next;
        }
        found
    }

    /// How many are in it.
    pub(crate) fn len(&self) -> usize {
        self.requests.len()
    }
}

/// The same in every run.
fn number(identity: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_found_by_the_identity_that_they_wait_as() {
        let mut known = Known::default();
        for (identity, id) in [("ada", 3), ("bob", 2), ("ada", 1), ("ada", 1)] {
            known.insert(identity, RequestId(id));
        }
        assert_eq!(known.candidates("ada"), [RequestId(1), RequestId(3)]);
        known.remove("ada", RequestId(1));
        known.remove("bob", RequestId(3));
        assert_eq!(known.candidates("ada"), [RequestId(3)]);
        assert_eq!(known.candidates("bob"), [RequestId(2)]);
        assert_eq!((known.candidates("cy"), known.len()), (vec![], 2));
    }
}
