//! Records that are found by where they lie.
//!
//! Tables have four bytes for each and not the record, so that tens of thousands of places are in the
//! processor's cache when the records are not.

/// How many records lie together. They never move, however many there come to be.
const CHUNK: usize = 64;

/// Where a record lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place(u32);

/// Records of one kind.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    chunks: Vec<Box<[Option<T>]>>,
    /// Places without a record, that of the last one that was taken out at the end.
    free: Vec<Place>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab {
            chunks: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slab<T> {
    /// Puts a record in. `None`, and it is dropped, if there are 2^32 already: nobody has that many.
    pub(crate) fn insert(&mut self, record: T) -> Option<Place> {
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                let first = u32::try_from(self.chunks.len() * CHUNK).ok()?;
                self.chunks.push((0..CHUNK).map(|_| None).collect());
                let more = (first..first.checked_add(CHUNK as u32)?).rev();
                self.free.extend(more.map(Place));
                self.free.pop()?
            }
        };
        *self.slot(place)? = Some(record);
        Some(place)
    }

    /// Takes a record out.
    pub(crate) fn remove(&mut self, place: Place) -> Option<T> {
        let record = self.slot(place)?.take()?;
        self.free.push(place);
        Some(record)
    }

    /// A record.
    pub(crate) fn get(&self, place: Place) -> Option<&T> {
        let at = place.0 as usize;
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)?.as_ref()
    }

    /// A record, to be changed.
    pub(crate) fn get_mut(&mut self, place: Place) -> Option<&mut T> {
        self.slot(place)?.as_mut()
    }

    /// All of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten().flatten()
    }

    fn slot(&mut self, place: Place) -> Option<&mut Option<T>> {
        let at = place.0 as usize;
        self.chunks.get_mut(at / CHUNK)?.get_mut(at % CHUNK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_where_it_was_put_until_it_is_taken_out() {
        let mut slab = Slab::default();
        let places: Vec<_> = (0..200)
            .map(|number| slab.insert(number).unwrap())
            .collect();
        for (number, place) in (0..).zip(&places) {
            assert_eq!(slab.get(*place), Some(&number));
        }
        for place in places.iter().step_by(2) {
            assert!(slab.remove(*place).is_some());
            assert_eq!((slab.remove(*place), slab.get(*place)), (None, None));
        }
        assert!(slab.iter().all(|number| number % 2 == 1));
        // What is free is used before there is more.
        for number in 1_000..1_100 {
            let place = slab.insert(number).unwrap();
            assert!(places.contains(&place));
        }
        *slab.get_mut(places[1]).unwrap() = 7;
        assert_eq!(slab.get(places[1]), Some(&7));
        assert_eq!((slab.iter().count(), slab.chunks.len()), (200, 4));
    }
}
