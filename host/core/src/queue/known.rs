//! Who waits as whom: those who wait, by the identity that their policy says they have.

use crate::by_choice::Drawn;
use crate::id::RequestId;
use std::collections::BTreeSet;
use std::hash::BuildHasher as _;

/// Requests by identity. It keeps a number for each identity and not the text, which the request has: who
/// asks compares that.
#[derive(Default, Debug)]
pub(crate) struct Known {
    requests: BTreeSet<(u64, RequestId)>,
    drawn: Drawn,
}

impl Known {
    /// Notes that a request waits as this.
    pub(crate) fn insert(&mut self, identity: &str, request: RequestId) {
        self.requests
            .insert((self.drawn.hash_one(identity), request));
    }

    /// A request does not wait as this any more.
    pub(crate) fn remove(&mut self, identity: &str, request: RequestId) {
        self.requests
            .remove(&(self.drawn.hash_one(identity), request));
    }

    /// Those who may wait as this, the oldest first: all that do, and seldom another.
    pub(crate) fn candidates(&self, identity: &str) -> Vec<RequestId> {
        let number = self.drawn.hash_one(identity);
        let same = (number, RequestId(0))..=(number, RequestId(u64::MAX));
        self.requests.range(same).map(|(_, id)| *id).collect()
    }

    /// How many are in it.
    pub(crate) fn len(&self) -> usize {
        self.requests.len()
    }
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
