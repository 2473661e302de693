//! A sorted set that knows at which place each of its members stands.
//!
//! Members are kept in chunks, each sorted, and before every chunk it is noted how many come before it. So
//! a place is two binary searches; a change moves what is in one chunk and counts the chunks after it anew,
//! which at tens of thousands of members is less work than to walk a tree. It costs a member its own size
//! and little more.

/// The most that a chunk holds.
const CHUNK: usize = 128;

/// A set, sorted, whose members are cheap to copy.
#[derive(Debug)]
pub(crate) struct Ranked<T> {
    /// None of them is empty.
    chunks: Vec<Vec<T>>,
    /// How many members are before each chunk.
    before: Vec<usize>,
    len: usize,
}

impl<T> Default for Ranked<T> {
    fn default() -> Ranked<T> {
        Ranked {
            chunks: Vec::new(),
            before: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy + Ord> Ranked<T> {
    /// How many members there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts a member in. One that is in already changes nothing.
    pub(crate) fn insert(&mut self, member: T) {
        // What is beyond every chunk goes into the last one.
        let last = self.chunks.len().saturating_sub(1);
        let at = self.chunk_of(&member).min(last);
        let Some(chunk) = self.chunks.get_mut(at) else {
            self.chunks.push(vec![member]);
            return self.count_from(0);
        };
        let Err(place) = chunk.binary_search(&member) else {
            return;
        };
        if chunk.len() < CHUNK {
            chunk.insert(place, member);
            self.len += 1;
            return self.after(at).for_each(|before| *before += 1);
        }
        // Most members come in order, at the end: the chunks before stay full.
        if place == CHUNK && at == last {
            self.chunks.push(vec![member]);
            return self.count_from(at);
        }
        let mut second = chunk.split_off(CHUNK / 2);
        if place < CHUNK / 2 {
            chunk.insert(place, member);
        } else {
            second.insert(place - CHUNK / 2, member);
        }
        self.chunks.insert(at + 1, second);
        self.count_from(at);
    }

    /// Takes a member out. Returns whether it was in.
    pub(crate) fn remove(&mut self, member: &T) -> bool {
        let at = self.chunk_of(member);
        let Some(chunk) = self.chunks.get_mut(at) else {
            return false;
        };
        let Ok(place) = chunk.binary_search(member) else {
            return false;
        };
        chunk.remove(place);
        let gone = chunk.is_empty();
        if gone {
            self.chunks.remove(at);
        }
        let joined = [at, at.saturating_sub(1)].map(|at| self.join(at));
        if gone || joined.contains(&true) {
            self.count_from(at.saturating_sub(1));
        } else {
            self.len -= 1;
            self.after(at).for_each(|before| *before -= 1);
        }
        true
    }

    /// What is noted of the chunks after one. They lie together, and are counted many at a time.
    fn after(&mut self, at: usize) -> impl Iterator<Item = &mut usize> {
        self.before.iter_mut().skip(at + 1)
    }

    /// Joins a chunk with the one after it when both are small: what has shrunk is given back. Returns
    /// whether it did.
    fn join(&mut self, at: usize) -> bool {
        // One that is missing counts as full, so where they are small both are there.
        let size = |chunk: Option<&Vec<T>>| chunk.map_or(CHUNK, Vec::len);
        let small = size(self.chunks.get(at)) + size(self.chunks.get(at + 1)) <= CHUNK / 2;
        if small {
            let next = self.chunks.remove(at + 1);
            self.chunks[at].extend(next);
        }
        small
    }

    /// How many members are before this one, which is in.
    pub(crate) fn rank(&self, member: &T) -> Option<usize> {
        let at = self.chunk_of(member);
        let place = self.chunks.get(at)?.binary_search(member).ok()?;
        Some(self.before.get(at)? + place)
    }

    /// The first member, or the first after another.
    pub(crate) fn next(&self, after: Option<&T>) -> Option<&T> {
        let Some(after) = after else {
            return self.chunks.first()?.first();
        };
        let at = self
            .chunks
            .partition_point(|chunk| chunk.last() <= Some(after));
        let chunk = self.chunks.get(at)?;
        chunk.get(chunk.partition_point(|member| member <= after))
    }

    /// All members, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// The chunk that a member is in, or would be; the number of chunks if it is beyond all.
    fn chunk_of(&self, member: &T) -> usize {
        self.chunks
            .partition_point(|chunk| chunk.last() < Some(member))
    }

    /// Notes anew how many members are before the chunks from this one on.
    fn count_from(&mut self, at: usize) {
        self.before.truncate(at);
        let counted = self.before.last().zip(self.chunks.get(at.wrapping_sub(1)));
        let mut before = counted.map_or(0, |(before, chunk)| before + chunk.len());
        for chunk in self.chunks.iter().skip(at) {
            self.before.push(before);
            before += chunk.len();
        }
        self.len = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// What holds of every set after every change.
    fn sound(set: &Ranked<u16>) {
        assert_eq!(set.before.len(), set.chunks.len());
        let mut before = 0;
        for (chunk, noted) in set.chunks.iter().zip(&set.before) {
            assert!((1..=CHUNK).contains(&chunk.len()), "{}", chunk.len());
            assert_eq!(*noted, before);
            before += chunk.len();
        }
        assert_eq!(set.len(), before);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_is_a_sorted_set_that_knows_places(
            // Numbers that collide often, and runs that come and go in order.
            changes in prop::collection::vec((0..600_u16, 1..200_u16, any::<bool>()), 1..40)
        ) {
            let (mut set, mut model) = (Ranked::default(), BTreeSet::new());
            for (first, count, put) in changes {
                for member in first..first + count {
                    if put {
                        set.insert(member);
                        model.insert(member);
                    } else {
                        prop_assert_eq!(set.remove(&member), model.remove(&member));
                    }
                }
                sound(&set);
                prop_assert!(set.iter().eq(&model));
                prop_assert_eq!(set.is_empty(), model.is_empty());
                for member in [first, first + count, 0, 799] {
                    let rank = model.contains(&member).then(|| model.range(..member).count());
                    prop_assert_eq!(set.rank(&member), rank);
                    let next = model.range(member + 1..).next();
                    prop_assert_eq!(set.next(Some(&member)), next);
                }
                prop_assert_eq!(set.next(None), model.first());
            }
        }
    }

    #[test]
    fn members_that_come_in_order_leave_no_room_between_them() {
        let mut set = Ranked::default();
        for member in 0..u16::try_from(10 * CHUNK).unwrap() {
            set.insert(member);
        }
        assert_eq!(set.chunks.len(), 10);
        // And what is left of them is put together.
        for member in (0..u16::try_from(10 * CHUNK).unwrap()).filter(|member| member % 8 != 0) {
            set.remove(&member);
        }
        assert!(set.chunks.len() <= 4, "{}", set.chunks.len());
        sound(&set);
    }
}
