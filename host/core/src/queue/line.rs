//! A line of requests whose turn is to come, each in it once.

use crate::by_number::Numbers;
use crate::id::RequestId;
use std::collections::VecDeque;

/// First in, first out.
#[derive(Default, Debug)]
pub(crate) struct Line {
    order: VecDeque<RequestId>,
    members: Numbers<RequestId>,
}

impl Line {
    /// Puts a request at the end, unless it is in.
    pub(crate) fn push(&mut self, request: RequestId) {
        if self.members.insert(request) {
            self.order.push_back(request);
        }
    }

    /// Takes the next one out.
    pub(crate) fn pop(&mut self) -> Option<RequestId> {
        let request = self.order.pop_front()?;
        self.members.remove(&request);
        if self.order.is_empty() {
            // A line is long after a change of the rules, and seldom else.
            *self = Line::default();
        }
        Some(request)
    }

    /// How many are in it.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }
}

impl FromIterator<RequestId> for Line {
    fn from_iter<I: IntoIterator<Item = RequestId>>(requests: I) -> Line {
        let mut line = Line::default();
        requests.into_iter().for_each(|request| line.push(request));
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_in_a_line_once_and_may_come_again_after_its_turn() {
        let mut line: Line = [3, 1, 3, 2].map(RequestId).into_iter().collect();
        line.push(RequestId(1));
        assert_eq!(line.len(), 3);
        assert_eq!(line.pop(), Some(RequestId(3)));
        line.push(RequestId(3));
        for id in [1, 2, 3] {
            assert_eq!(line.pop(), Some(RequestId(id)));
        }
        assert_eq!((line.pop(), line.len()), (None, 0));
        line.push(RequestId(3));
        assert_eq!(line.pop(), Some(RequestId(3)));
    }
}
