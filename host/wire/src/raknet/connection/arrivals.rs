//! Which datagrams have arrived: what to acknowledge, what to ask for again, what to drop.
//!
//! It looks back 512 numbers, because that is how many a peer remembers to have sent. An older number means
//! nothing to the peer; upstream even voids all that follows it in an ACK. So a datagram from before the window
//! is dropped, and whatever was reliable in it comes again under a new number.

use super::super::datagram::{begin_ack, begin_nak};
use super::super::number::{self, FIRST};
use super::super::ranges::RangeWriter;

/// Numbers looked back to.
const WINDOW: u64 = 512;

/// A number this far ahead of the expected one is not believed.
const MAX_JUMP: u64 = 50_000;

/// How long an acknowledgement may wait for others, in nanoseconds.
const ACK_DELAY: u64 = 10_000_000;

/// Acknowledgements that do not wait any longer.
const MANY: u16 = 64;

/// `due` when nothing is.
const NEVER: u64 = u64::MAX;

/// One bit for each number of the window.
#[derive(Debug)]
struct Bits([u64; (WINDOW / 64) as usize]);

impl Bits {
    fn get(&self, number: u64) -> bool {
        let (word, bit) = Self::place(number);
        self.0[word] & bit != 0
    }

    fn set(&mut self, number: u64) {
        let (word, bit) = Self::place(number);
        self.0[word] |= bit;
    }

    fn clear(&mut self, number: u64) {
        let (word, bit) = Self::place(number);
        self.0[word] &= !bit;
    }

    fn are_all_set(&self) -> bool {
        self.0.iter().all(|word| *word == u64::MAX)
    }

    /// Word (always within the array) and bit of a number.
    fn place(number: u64) -> (usize, u64) {
        ((number % WINDOW / 64) as usize, 1 << (number % 64))
    }
}

#[derive(Debug)]
struct Maps {
    received: Bits,
    /// Those that are to be acknowledged.
    owed: Bits,
}

impl Maps {
    /// What was before the first one is not awaited.
    const NOTHING_NEW: Self = Self {
        received: Bits([u64::MAX; (WINDOW / 64) as usize]),
        owed: Bits([0; (WINDOW / 64) as usize]),
    };
}

/// The incoming datagrams of one connection.
#[derive(Debug)]
pub(super) struct Arrivals {
    /// The number after the highest that came.
    expected: u64,
    /// What is known of the 512 below `expected`. None, as mostly when nobody speaks: all of them came, and were
    /// acknowledged.
    maps: Option<Box<Maps>>,
    owed_count: u16,
    /// None is owed below.
    owed_from: u64,
    /// When to acknowledge them.
    due: u64,
    /// They go as soon as there is something to go with.
    in_company: bool,
    /// Nothing below has to be asked for again any more.
    nak_from: u64,
}

impl Arrivals {
    pub(super) fn new() -> Self {
        Self {
            expected: FIRST,
            maps: None,
            owed_count: 0,
            owed_from: FIRST,
            due: NEVER,
            in_company: false,
            nak_from: FIRST,
        }
    }

    /// Takes note of a datagram, and gives its number if it is to be read.
    pub(super) fn arrive(&mut self, raw: u32) -> Option<u64> {
        let number = number::extend(raw, self.expected);
        if number < self.expected {
            let maps = self.maps.as_ref();
            if number + WINDOW < self.expected || maps.is_none_or(|maps| maps.received.get(number))
            {
                return None;
            }
        } else {
            let gap = number - self.expected;
            if gap > MAX_JUMP {
                return None;
            }
            let forgotten = (gap + 1).min(WINDOW);
            let maps = known(&mut self.maps);
            for step in 0..forgotten {
                let slot = number - step;
                maps.received.clear(slot);
                if maps.owed.get(slot) {
                    maps.owed.clear(slot);
                    self.owed_count -= 1;
                }
            }
            self.expected = number + 1;
            if gap == 0 && self.nak_from == number {
                self.nak_from = self.expected;
            }
        }
        known(&mut self.maps).received.set(number);
        Some(number)
    }

    /// Owes an acknowledgement for a datagram that [`arrive`](Self::arrive) gave.
    pub(super) fn owe(&mut self, number: u64, now: u64, at_once: bool) {
        known(&mut self.maps).owed.set(number);
        self.owed_from = if self.owed_count == 0 {
            number
        } else {
            self.owed_from.min(number)
        };
        self.owed_count += 1;
        let due = if at_once || self.owed_count >= MANY {
            now
        } else {
            now + ACK_DELAY
        };
        self.due = self.due.min(due);
    }

    /// What is owed now may wait for company, for as long as it ever waits for others.
    pub(super) fn wait_for_company(&mut self, now: u64) {
        if self.owed_count > 0 {
            self.in_company = true;
            self.due = now + ACK_DELAY;
        }
    }

    /// What is owed now waits for nothing more.
    pub(super) fn pay_at_once(&mut self, now: u64) {
        if self.owed_count > 0 {
            self.due = self.due.min(now);
        }
    }

    /// Whether there is nothing to acknowledge, and nothing to ask for again.
    pub(super) fn owes_nothing(&self) -> bool {
        self.owed_count == 0 && !self.owes_nak()
    }

    /// When there is something to send: nanoseconds, `u64::MAX` for never, 0 for at once.
    pub(super) fn due(&self) -> u64 {
        if self.owes_nak() { 0 } else { self.due }
    }

    fn owes_nak(&self) -> bool {
        // The newest one always arrived, so that a gap lies below it.
        self.nak_from < self.expected
    }

    /// Writes an ACK if one is due, or waits for company and has it.
    pub(super) fn write_ack(
        &mut self,
        now: u64,
        has_company: bool,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> bool {
        (self.due <= now || has_company && self.in_company) && self.write_owed(limit, out)
    }

    /// Writes a NAK if one is due.
    pub(super) fn write_nak(&mut self, limit: usize, out: &mut Vec<u8>) -> bool {
        if !self.owes_nak() {
            return false;
        }
        let from = self.nak_from.max(self.expected - WINDOW);
        let maps = self.maps.as_ref();
        let (next, any) = write_runs(begin_nak(limit, out), from, self.expected, |n| {
            maps.is_some_and(|maps| !maps.received.get(n))
        });
        self.nak_from = next;
        if !any {
            out.clear();
        }
        any
    }

    fn write_owed(&mut self, limit: usize, out: &mut Vec<u8>) -> bool {
        let owed = &mut known(&mut self.maps).owed;
        let from = self.owed_from.max(self.expected - WINDOW);
        let (next, any) = write_runs(begin_ack(limit, out), from, self.expected, |n| owed.get(n));
        for number in from..next {
            if owed.get(number) {
                owed.clear(number);
                self.owed_count -= 1;
            }
        }
        self.owed_from = next;
        if self.owed_count == 0 {
            self.due = NEVER;
            self.in_company = false;
            if self
                .maps
                .as_ref()
                .is_some_and(|maps| maps.received.are_all_set())
            {
                self.maps = None;
            }
        }
        if !any {
            out.clear();
        }
        any
    }

    /// Heap bytes.
    pub(super) fn memory(&self) -> usize {
        self.maps.as_ref().map_or(0, |_| size_of::<Maps>())
    }

    /// For tests of what happens when numbers wrap.
    pub(super) fn count_from(&mut self, number: u64) {
        self.expected = number;
        self.nak_from = number;
    }
}

fn known(maps: &mut Option<Box<Maps>>) -> &mut Maps {
    maps.get_or_insert_with(|| Box::new(Maps::NOTHING_NEW))
}

/// Writes the runs of wanted numbers from `from` to below `to`. Gives the first number that did not fit, or
/// `to`, and whether any was written.
fn write_runs(
    mut writer: RangeWriter<'_>,
    from: u64,
    to: u64,
    wanted: impl Fn(u64) -> bool,
) -> (u64, bool) {
    let mut any = false;
    let mut number = from;
    while number < to {
        if !wanted(number) {
            number += 1;
            continue;
        }
        let lowest = number;
        // A run ends where the wire's numbers begin again.
        while number + 1 < to && wanted(number + 1) && number::raw(number + 1) != 0 {
            number += 1;
        }
        if !writer.push(number::raw(lowest), number::raw(number)) {
            return (lowest, any);
        }
        any = true;
        number += 1;
    }
    (to, any)
}
