//! Who guesses session tokens, in a table that cannot grow.
//!
//! Eight Connects with unknown tokens in five seconds, and the next five seconds of that address are
//! dropped unread. The table has a fixed size and is indexed by a secret hash: an attacker can neither
//! make it grow nor choose whom to push out of it. Two addresses that share an entry share its
//! allowance, which costs a bystander at most a bind from another address than it logged in with.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::time::Duration;
use usher_core::{AddressGroup, Moment};

/// This many misses within the window are too many.
const MISSES: u8 = 8;
const WINDOW: Duration = Duration::from_secs(5);
const PENALTY: Duration = Duration::from_secs(5);

/// Sets, and the entries in each: room for 4,096 addresses in 96 KiB.
const SETS: usize = 1024;
const WAYS: usize = 4;

/// The addresses that missed lately.
pub(super) struct Misses {
    hasher: RandomState,
    sets: Box<[[Entry; WAYS]]>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    /// What of the hash did not choose the set; 0 means free.
    tag: u32,
    misses: u8,
    /// When the first of these misses was, or the penalty began.
    since: Moment,
}

impl Entry {
    fn limited(&self) -> bool {
        self.misses >= MISSES
    }

    fn is_over(&self, now: Moment) -> bool {
        let lasts = if self.limited() { PENALTY } else { WINDOW };
        self.tag == 0 || now >= self.since.after(lasts)
    }
}

impl Misses {
    pub(super) fn new() -> Misses {
        Misses {
            hasher: RandomState::new(),
            sets: vec![[Entry::default(); WAYS]; SETS].into(),
        }
    }

    /// Whether what comes from this address is dropped unread.
    pub(super) fn is_limited(&self, from: IpAddr, now: Moment) -> bool {
        let (set, tag) = self.place(from);
        let entry = self.sets[set].iter().find(|entry| entry.tag == tag);
        entry.is_some_and(|entry| entry.limited() && !entry.is_over(now))
    }

    /// Notes a miss of an address that is not limited.
    pub(super) fn note(&mut self, from: IpAddr, now: Moment) {
        let (set, tag) = self.place(from);
        let entries = &mut self.sets[set];
        // An address has one entry, or an old one would hide the new.
        let known = entries.iter().position(|entry| entry.tag == tag);
        let place = known.unwrap_or_else(|| Misses::oldest(entries, now));
        let entry = &mut entries[place];
        if known.is_none() || entry.is_over(now) {
            *entry = Entry {
                tag,
                misses: 0,
                since: now,
            };
        }
        entry.misses = entry.misses.saturating_add(1);
        if entry.limited() {
            entry.since = now;
        }
    }

    /// Whose place is taken: what is over goes first, then who is not limited, then what is oldest.
    fn oldest(entries: &[Entry; WAYS], now: Moment) -> usize {
        let worth = |entry: &Entry| (!entry.is_over(now), entry.limited(), entry.since);
        let ways = 0..WAYS;
        // There are more ways than none, so there is a least worthy.
        ways.min_by_key(|way| worth(&entries[*way])).unwrap_or(0)
    }

    fn place(&self, from: IpAddr) -> (usize, u32) {
        let hash = self.hasher.hash_one(AddressGroup::of(from));
        let [a, b, c, d, low @ ..] = hash.to_be_bytes();
        let set = u32::from_be_bytes(low) as usize % SETS;
        (set, u32::from_be_bytes([a, b, c, d]).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::from_millis(1_000_000 + millis)
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn miss(misses: &mut Misses, from: IpAddr, times: usize, now: Moment) {
        for _ in 0..times {
            misses.note(from, now);
        }
    }

    #[test]
    fn the_eighth_miss_in_five_seconds_limits_for_five() {
        let (mut misses, guesser) = (Misses::new(), ip("192.0.2.1"));
        miss(&mut misses, guesser, 7, at(0));
        assert!(!misses.is_limited(guesser, at(0)));
        misses.note(guesser, at(4_999));
        for (now, limited) in [(4_999, true), (9_998, true), (9_999, false)] {
            assert_eq!(misses.is_limited(guesser, at(now)), limited, "{now}");
        }
        assert!(!misses.is_limited(ip("192.0.2.2"), at(4_999)));
    }

    #[test]
    fn misses_are_forgotten_after_the_window_and_after_the_penalty() {
        let (mut misses, guesser) = (Misses::new(), ip("192.0.2.1"));
        miss(&mut misses, guesser, 7, at(0));
        miss(&mut misses, guesser, 7, at(5_000));
        assert!(!misses.is_limited(guesser, at(5_000)));
        misses.note(guesser, at(5_000));
        assert!(misses.is_limited(guesser, at(9_999)));
        miss(&mut misses, guesser, 7, at(10_000));
        assert!(!misses.is_limited(guesser, at(10_000)));
    }

    #[test]
    fn an_ipv6_network_is_one_address_and_mapped_ipv4_is_ipv4() {
        let mut misses = Misses::new();
        for last in 0..8 {
            misses.note(ip(&format!("2001:db8::{last}")), at(0));
        }
        assert!(misses.is_limited(ip("2001:db8::ffff:1"), at(0)));
        assert!(!misses.is_limited(ip("2001:db8:0:1::1"), at(0)));
        miss(&mut misses, ip("::ffff:192.0.2.1"), 8, at(0));
        assert!(misses.is_limited(ip("192.0.2.1"), at(0)));
    }

    #[test]
    fn a_crowd_of_others_does_not_free_who_is_limited() {
        let (mut misses, guesser) = (Misses::new(), ip("192.0.2.1"));
        miss(&mut misses, guesser, 8, at(0));
        for number in 0..100_000_u32 {
            misses.note(IpAddr::from(number.to_be_bytes()), at(1));
        }
        assert!(misses.is_limited(guesser, at(1)));
    }
}
