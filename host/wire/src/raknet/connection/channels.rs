//! Order within a channel: what is due, what waits for its turn, what came too late.
//!
//! An ordered message is due when all before it were. A sequenced one carries the index of the next ordered
//! message and an index of its own, which begins again after each ordered one: it is due when that ordered
//! message is the next and no newer sequenced one was.

use std::collections::BTreeMap;

use super::super::number::{self, FIRST};
use super::super::reliability::Reliability;
use super::whole::{Incoming, Whole};

/// Stands after all sequenced messages of the same ordering index.
const ORDERED: u64 = u64::MAX;

/// What becomes of a whole message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It is due.
    Now,
    /// It has to wait, at this place in its channel.
    Wait(u64, u64),
    /// It came too late, or twice.
    Past,
}

/// The incoming side of the channels that were ever used.
#[derive(Debug, Default)]
pub(super) struct Channels(Vec<Channel>);

#[derive(Debug)]
struct Channel {
    id: u8,
    /// Ordering index of the next ordered message.
    next: u64,
    /// The lowest sequencing index that is not too late.
    newest: u64,
    waiting: BTreeMap<(u64, u64), Incoming>,
    /// While any wait: an ordering index, and since when one that is not above it has waited.
    mark: (u64, u64),
}

impl Channels {
    /// What becomes of a message with this place.
    pub(super) fn turn(
        &self,
        reliability: Reliability,
        channel: u8,
        order: u32,
        sequence: u32,
    ) -> Turn {
        if !reliability.has_channel() {
            return Turn::Now;
        }
        let channel = self.0.iter().find(|known| known.id == channel);
        let (next, newest) = channel.map_or((FIRST, FIRST), |known| (known.next, known.newest));
        let order = number::extend(order, next);
        if order < next {
            return Turn::Past;
        }
        let sequence = match (reliability.is_sequenced(), order == next) {
            (false, true) => return Turn::Now,
            (false, false) => ORDERED,
            (true, true) if number::extend(sequence, newest) >= newest => return Turn::Now,
            (true, true) => return Turn::Past,
            // It will begin again at 0 when its turn has come.
            (true, false) => number::extend(sequence, FIRST),
        };
        let twice = channel.is_some_and(|known| known.waiting.contains_key(&(order, sequence)));
        if twice {
            Turn::Past
        } else {
            Turn::Wait(order, sequence)
        }
    }

    /// Lets a message wait at the place that [`turn`](Self::turn) gave.
    pub(super) fn wait(&mut self, message: Incoming, order: u64, sequence: u64, now: u64) {
        let channel = self.open(message.channel);
        if channel.waiting.is_empty() {
            channel.mark = (order, now);
        }
        channel.waiting.insert((order, sequence), message);
    }

    /// Counts a message that is due, and hands on those whose turn comes with it. True: any waited for it.
    pub(super) fn pass(&mut self, whole: &Whole, now: u64, mut due: impl FnMut(Incoming)) -> bool {
        let reliability = whole.message.reliability;
        if !reliability.has_channel() {
            return false;
        }
        let channel = self.open(whole.message.channel);
        if reliability.is_sequenced() {
            channel.newest = number::extend(whole.sequence, channel.newest) + 1;
            return false;
        }
        let awaited = !channel.waiting.is_empty();
        channel.next += 1;
        channel.newest = FIRST;
        while let Some(first) = channel.waiting.first_entry() {
            let (order, sequence) = *first.key();
            if order > channel.next {
                break;
            }
            if sequence == ORDERED {
                channel.next += 1;
                channel.newest = FIRST;
            } else {
                channel.newest = sequence + 1;
            }
            due(first.remove());
        }
        // Those below the mark have all gone: the next one stands above all that wait now. So none waits for
        // longer than two marks do, and no message needs a time of its own.
        if let (Some((first, _)), Some((last, _))) = (
            channel.waiting.first_key_value(),
            channel.waiting.last_key_value(),
        ) && first.0 > channel.mark.0
        {
            channel.mark = (last.0, now);
        }
        awaited
    }

    /// Since when the channel that has made others wait for longest has.
    pub(super) fn oldest(&self) -> Option<u64> {
        let waiting = self.0.iter().filter(|known| !known.waiting.is_empty());
        waiting.map(|known| known.mark.1).min()
    }

    /// Forgets those that wait.
    pub(super) fn forget_waiting(&mut self) {
        for channel in &mut self.0 {
            channel.waiting.clear();
        }
    }

    fn open(&mut self, id: u8) -> &mut Channel {
        let at = match self.0.iter().position(|known| known.id == id) {
            Some(at) => at,
            None => {
                // Most peers use one channel for good.
                self.0.reserve_exact(1);
                self.0.push(Channel {
                    id,
                    next: FIRST,
                    newest: FIRST,
                    waiting: BTreeMap::new(),
                    mark: (FIRST, 0),
                });
                self.0.len() - 1
            }
        };
        &mut self.0[at]
    }

    /// Heap bytes of the table; those of waiting messages are counted by whoever bounds them.
    pub(super) fn memory(&self) -> usize {
        self.0.capacity() * size_of::<Channel>()
    }

    /// For tests of what happens when numbers wrap.
    pub(super) fn count_from(&mut self, number: u64) {
        for id in 0..super::super::limits::CHANNELS {
            let channel = self.open(id);
            channel.next = number;
            channel.newest = number;
        }
    }
}
