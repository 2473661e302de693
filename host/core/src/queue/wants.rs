//! What those who wait are waiting for, kept so that a queue of many costs little.
//!
//! Most of them wait by the same rules for the same things: the seat that a policy claims is one key with one
//! reason, and only a name is each one's own. What many have in common is kept once.

use crate::by_choice::Choices;
use crate::claim::{Claim, Until};
use crate::key::Key;
use crate::reason::Reason;
use std::sync::Arc;

/// What someone waits for: any one of several options, all of its claims.
#[derive(Default, Debug)]
pub(crate) struct Wants {
    /// The claims of all options, one option after another.
    wants: Box<[Want]>,
    /// Where each option ends, the last one left out.
    ends: Box<[usize]>,
}

#[derive(Debug)]
struct Want {
    key: Key,
    terms: Arc<Terms>,
}

/// A claim without its key.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Terms {
    limit: u32,
    when_full: Reason,
    until: Until,
    lowest_index: bool,
    backstop: bool,
}

impl Wants {
    /// The options, each with its claims.
    pub(crate) fn options(&self) -> Vec<Vec<Claim>> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let ends = self.ends.iter().copied().chain([self.wants.len()]);
        let option = |(begin, end)| {
            let wants = self.wants.get(begin..end).unwrap_or_default();
            wants.iter().map(Want::claim).collect()
        };
        begins.zip(ends).map(option).collect()
    }

    /// What is claimed in any option; a key may come several times.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.wants.iter().map(|want| &want.key)
    }
}

impl Want {
    fn claim(&self) -> Claim {
        Claim {
            key: self.key.clone(),
            limit: self.terms.limit,
            when_full: self.terms.when_full.clone(),
            until: self.terms.until,
            lowest_index: self.terms.lowest_index,
            backstop: self.terms.backstop,
            // Nobody is refused by what they wait for.
            said: None,
        }
    }
}

/// How many different ones are remembered. What is each one's own is in it too, so it is emptied now and
/// then; what is common is back at once.
const REMEMBERED: usize = 512;

/// What was wanted lately.
#[derive(Default, Debug)]
pub(crate) struct Common {
    keys: Choices<Key>,
    terms: Choices<Arc<Terms>>,
}

impl Common {
    /// The options in few words.
    pub(crate) fn wants(&mut self, options: &[Vec<Claim>]) -> Wants {
        let mut wants = Vec::with_capacity(options.iter().map(Vec::len).sum());
        let mut ends = Vec::with_capacity(options.len());
        for claims in options {
            wants.extend(claims.iter().map(|claim| self.want(claim)));
            ends.push(wants.len());
        }
        ends.pop();
        Wants {
            wants: wants.into(),
            ends: ends.into(),
        }
    }

    fn want(&mut self, claim: &Claim) -> Want {
        let terms = Arc::new(Terms {
            limit: claim.limit,
            when_full: claim.when_full.clone(),
            until: claim.until,
            lowest_index: claim.lowest_index,
            backstop: claim.backstop,
        });
        Want {
            key: once(&mut self.keys, claim.key.clone()),
            terms: once(&mut self.terms, terms),
        }
    }
}

/// The one that is equal and remembered, or this one.
fn once<T: Clone + Eq + std::hash::Hash>(remembered: &mut Choices<T>, value: T) -> T {
    if let Some(same) = remembered.get(&value) {
        return same.clone();
    }
    if remembered.len() >= REMEMBERED {
        remembered.clear();
    }
    remembered.insert(value.clone());
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Moment;
    use std::collections::HashSet;

    fn claim(key: Key, limit: u32, text: &str) -> Claim {
        Claim::new(key, limit, Reason::new("full", text))
    }

    #[test]
    fn wants_are_the_claims_that_they_were_made_of() {
        let expiry = Until::Time(Moment::from_millis(9));
        let red = vec![
            claim(Key::server(), 4, "The server is full.").into_backstop(),
            claim(Key::slot(), 4, "").with_lowest_index(),
        ];
        let blue = vec![claim(Key::of("ticket", "t"), 1, "Spent.").until(expiry)];
        let mut common = Common::default();
        for options in [
            vec![],
            vec![vec![]],
            vec![red.clone()],
            vec![red.clone(), vec![], blue.clone()],
            vec![vec![], red.clone()],
            vec![blue, red],
        ] {
            let wants = common.wants(&options);
            let given = wants.options();
            // No option at all is one without claims.
            assert_eq!(
                given,
                if options.is_empty() {
                    vec![vec![]]
                } else {
                    options.clone()
                }
            );
            let keys = options.iter().flatten().map(|claim| &claim.key);
            assert!(wants.keys().eq(keys));
        }
    }

    #[test]
    fn what_many_wait_for_is_kept_once_and_little_is_remembered() {
        let mut common = Common::default();
        let wants: Vec<_> = (0..5_000)
            .map(|n| {
                let name = claim(Key::of("name", &format!("player{n}")), 1, "Taken.");
                common.wants(&[vec![claim(Key::server(), 18, "Full."), name]])
            })
            .collect();
        let terms: HashSet<_> = wants
            .iter()
            .flat_map(|wants| wants.wants.iter())
            .map(|want| Arc::as_ptr(&want.terms))
            .collect();
        assert_eq!(terms.len(), 2);
        assert!(common.keys.len() <= REMEMBERED && common.terms.len() == 2);
    }
}
