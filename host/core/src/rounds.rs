//! When each request's next status is due. Many are due at one moment, so that few calls serve them.

use crate::id::RequestId;
use crate::queue::Ranked;
use crate::time::Moment;
use std::collections::BTreeMap;

/// Requests by the moment of their next status. Each is in it once at most; who puts it in knows when.
#[derive(Default, Debug)]
pub(crate) struct Rounds {
    due: BTreeMap<Moment, Ranked<RequestId>>,
    len: usize,
}

impl Rounds {
    /// Notes when a request's status is due.
    pub(crate) fn put(&mut self, request: RequestId, at: Moment) {
        self.due.entry(at).or_default().insert(request);
        self.len += 1;
    }

    /// Takes a request out that was put in for this moment.
    pub(crate) fn remove(&mut self, request: RequestId, at: Moment) {
        let Some(round) = self.due.get_mut(&at) else {
            return;
        };
        if round.remove(&request) {
            self.len -= 1;
        }
        if round.is_empty() {
            self.due.remove(&at);
        }
    }

    /// When the next ones are due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.due.first_key_value().map(|(at, _)| *at)
    }

    /// Takes those out who are due next.
    pub(crate) fn pop(&mut self) -> Vec<RequestId> {
        let round = self.due.pop_first();
        let round: Vec<_> = round
            .iter()
            .flat_map(|(_, round)| round.iter())
            .copied()
            .collect();
        self.len -= round.len();
        round
    }

    /// How many requests are in it.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_are_due_at_one_moment_come_out_together() {
        let at = Moment::from_millis;
        let mut rounds = Rounds::default();
        for (id, due) in [(1, 20), (2, 10), (3, 20), (4, 20)] {
            rounds.put(RequestId(id), at(due));
        }
        rounds.remove(RequestId(3), at(20));
        rounds.remove(RequestId(1), at(10));
        assert_eq!((rounds.next(), rounds.len()), (Some(at(10)), 3));
        assert_eq!(rounds.pop(), [RequestId(2)]);
        assert_eq!(rounds.pop(), [RequestId(1), RequestId(4)]);
        assert_eq!(
            (rounds.next(), rounds.len(), rounds.pop()),
            (None, 0, vec![])
        );
        rounds.put(RequestId(1), at(30));
        rounds.remove(RequestId(1), at(30));
        assert_eq!((rounds.next(), rounds.len()), (None, 0));
    }
}
