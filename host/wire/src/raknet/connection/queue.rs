//! A queue that takes one word while it is empty: thousands of peers wait, and have nothing in theirs.

use std::collections::VecDeque;

/// A queue. Emptied by [`pop_front`](Self::pop_front) it keeps its memory for the next; a new one in its place
/// gives that back.
#[derive(Debug)]
#[expect(
    clippy::box_collection,
    reason = "an empty deque takes four words, and a connection has five of them"
)]
pub(super) struct Queue<T>(Option<Box<VecDeque<T>>>);

impl<T> Queue<T> {
    pub(super) const fn new() -> Self {
        Self(None)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |all| all.len())
    }

    pub(super) fn capacity(&self) -> usize {
        self.0.as_ref().map_or(0, |all| all.capacity())
    }

    pub(super) fn front(&self) -> Option<&T> {
        self.0.as_ref()?.front()
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.0.as_ref()?.get(at)
    }

    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.0.as_mut()?.get_mut(at)
    }

    pub(super) fn push_back(&mut self, one: T) {
        self.0.get_or_insert_default().push_back(one);
    }

    pub(super) fn pop_front(&mut self) -> Option<T> {
        self.0.as_mut()?.pop_front()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flat_map(|all| all.iter())
    }

    pub(super) fn extend(&mut self, more: Vec<T>) {
        if !more.is_empty() {
            self.0.get_or_insert_default().extend(more);
        }
    }

    pub(super) fn shrink_to(&mut self, capacity: usize) {
        if let Some(all) = &mut self.0 {
            all.shrink_to(capacity);
        }
    }
}
