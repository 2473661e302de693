//! What the door says of itself to whoever asks, which is more than it is asked with: how often it may, and
//! the text.

use std::hash::{BuildHasher as _, RandomState};
use std::net::Ipv4Addr;
use std::sync::Arc;

/// How many pongs are sent in a second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PongLimits {
    /// In all.
    pub total: u32,
    /// To one address.
    pub each: u32,
}

/// Entries of the table: 64 KiB.
const ENTRIES: usize = 8192;

/// Counts pongs, in a table that cannot grow. Two addresses that share an entry share its allowance.
pub(super) struct Pongs {
    limits: PongLimits,
    hasher: RandomState,
    second: u64,
    total: u32,
    entries: Box<[Entry]>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    /// The second that is counted.
    second: u32,
    count: u32,
}

impl Pongs {
    pub(super) fn new(limits: PongLimits) -> Pongs {
        Pongs {
            limits,
            hasher: RandomState::new(),
            second: 0,
            total: 0,
            entries: vec![Entry::default(); ENTRIES].into(),
        }
    }

    /// Whether one more may be sent to this address in this second, and if so, counts it.
    pub(super) fn may(&mut self, to: Ipv4Addr, second: u64) -> bool {
        if std::mem::replace(&mut self.second, second) != second {
            self.total = 0;
        }
        // Never 0, which stands in entries that were not used. Some second of 136 years ago does no harm.
        let stamp = u32::try_from(second % u64::from(u32::MAX)).unwrap_or(0) + 1;
        // Far fewer than fit into any integer.
        let place = self.hasher.hash_one(to) as usize % ENTRIES;
        let entry = &mut self.entries[place];
        if std::mem::replace(&mut entry.second, stamp) != stamp {
            entry.count = 0;
        }
        if entry.count >= self.limits.each || self.total >= self.limits.total {
            return false;
        }
        entry.count += 1;
        self.total += 1;
        true
    }
}

/// The text, with figures in it that change.
pub(super) struct Advertisement {
    template: Arc<str>,
    max_players: String,
}

impl Advertisement {
    pub(super) fn new(template: Arc<str>, max_players: u32) -> Advertisement {
        Advertisement {
            template,
            max_players: max_players.to_string(),
        }
    }

    /// The text as it is now.
    pub(super) fn text(&self, players: u32) -> String {
        let text = self.template.replace("{players}", &players.to_string());
        text.replace("{max-players}", &self.max_players)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PongLimits = PongLimits { total: 10, each: 3 };

    fn count(pongs: &mut Pongs, to: [u8; 4], second: u64, tries: u32) -> usize {
        (0..tries).filter(|_| pongs.may(to.into(), second)).count()
    }

    #[test]
    fn pongs_are_limited_to_one_address_and_in_all() {
        let mut pongs = Pongs::new(LIMITS);
        assert_eq!(count(&mut pongs, [192, 0, 2, 1], 5, 9), 3);
        assert_eq!(count(&mut pongs, [192, 0, 2, 1], 6, 9), 3, "another second");
        let all: usize = (0..=255)
            .map(|last| count(&mut pongs, [192, 0, 2, last], 7, 9))
            .sum();
        assert_eq!(all, 10);
    }

    #[test]
    fn none_are_sent_where_none_are_allowed() {
        let mut pongs = Pongs::new(PongLimits { total: 0, each: 9 });
        assert_eq!(count(&mut pongs, [192, 0, 2, 1], 0, 9), 0);
    }

    #[test]
    fn the_text_has_the_figures_of_the_moment() {
        let text = Advertisement::new("{\"n\":{players},\"of\":{max-players}}".into(), 64);
        assert_eq!(text.text(7), "{\"n\":7,\"of\":64}");
        assert_eq!(Advertisement::new("".into(), 1).text(1), "");
    }
}
