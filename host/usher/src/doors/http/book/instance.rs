//! Which game server it is that calls, and when it last did.

use std::collections::VecDeque;
use usher_core::Moment;

/// How many that were replaced are remembered: one that still runs must not replace the one that came
/// after it.
const REMEMBERED: usize = 16;

/// The game server of a door.
pub(super) struct Instance {
    /// What it calls itself; absent while it does not.
    current: Option<Box<str>>,
    /// When its last call came; absent before the first.
    pub(super) seen: Option<Moment>,
    replaced: VecDeque<Box<str>>,
}

/// Another game server has come in this one's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::doors::http) struct Replaced;

impl Instance {
    pub(super) fn new() -> Instance {
        Instance {
            current: None,
            seen: None,
            replaced: VecDeque::new(),
        }
    }

    /// Takes a call. True if it is the first one of another game server than the one that called before.
    pub(super) fn call(&mut self, shown: Option<&str>, now: Moment) -> Result<bool, Replaced> {
        let is_new = match shown {
            // Whoever does not say who it is, is taken for the one that is there.
            None => false,
            Some(shown) if self.current.as_deref() == Some(shown) => false,
            Some(shown) if self.replaced.iter().any(|old| **old == *shown) => {
                return Err(Replaced);
            }
            Some(shown) => {
                let old = self.current.replace(shown.into());
                if let Some(old) = old {
                    if self.replaced.len() == REMEMBERED {
                        self.replaced.pop_front();
                    }
                    self.replaced.push_back(old);
                }
                self.seen.is_some()
            }
        };
        self.seen = Some(now);
        Ok(is_new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_replaces_and_the_old_one_may_not_come_back() {
        let mut instance = Instance::new();
        let mut call = |shown: Option<&str>| instance.call(shown, Moment::ZERO);
        assert_eq!(call(Some("a")), Ok(false), "nobody was there before");
        assert_eq!(call(Some("a")), Ok(false));
        assert_eq!(call(None), Ok(false));
        assert_eq!(call(Some("b")), Ok(true));
        assert_eq!(call(Some("a")), Err(Replaced));
        assert_eq!(call(Some("b")), Ok(false));
    }

    #[test]
    fn one_that_gives_its_name_later_is_another() {
        let mut instance = Instance::new();
        assert_eq!(instance.call(None, Moment::ZERO), Ok(false));
        assert_eq!(instance.call(Some("a"), Moment::ZERO), Ok(true));
    }

    #[test]
    fn few_are_remembered_and_a_replaced_one_renews_nothing() {
        let mut instance = Instance::new();
        for number in 0..100 {
            let name = number.to_string();
            assert!(instance.call(Some(&name), Moment::ZERO).is_ok());
        }
        assert_eq!(instance.replaced.len(), REMEMBERED);
        let later = Moment::from_millis(1);
        assert_eq!(instance.call(Some("98"), later), Err(Replaced));
        assert_eq!(instance.seen, Some(Moment::ZERO));
    }
}
