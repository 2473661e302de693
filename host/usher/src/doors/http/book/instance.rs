//! Which game server it is that calls, and when it last did.

use std::collections::VecDeque;
use std::time::Duration;
use usher_core::Moment;

/// How many that were replaced are remembered: one that still runs must not replace the one that came
/// after it.
const REMEMBERED: usize = 16;

/// The game server of a door.
pub(super) struct Instance {
    /// What it calls itself; absent while it does not.
    current: Option<Box<str>>,
    /// Which one it is.
    life: Life,
    /// Its calls that are not answered.
    calls: u32,
    /// When its last call came, or was answered; absent before the first.
    seen: Option<Moment>,
    replaced: VecDeque<Box<str>>,
}

/// One game server after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::doors::http) struct Life(u64);

/// Another game server has come in this one's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::doors::http) struct Replaced;

impl Instance {
    pub(super) fn new() -> Instance {
        Instance {
            current: None,
            life: Life(0),
            calls: 0,
            seen: None,
            replaced: VecDeque::new(),
        }
    }

    /// Takes a call, whose it is until [`Instance::answered`]. True if it is the first one of another game
    /// server than the one that called before.
    pub(super) fn call(
        &mut self,
        shown: Option<&str>,
        now: Moment,
    ) -> Result<(Life, bool), Replaced> {
        let is_new = match shown {
            // Whoever does not say who it is, is taken for the one that is there.
            None => false,
            Some(shown) if self.current.as_deref() == Some(shown) => false,
            Some(shown) if self.replaced.iter().any(|old| **old == *shown) => {
                return Err(Replaced);
            }
            Some(shown) => {
                self.succeed(shown);
                self.seen.is_some()
            }
        };
        self.seen = Some(now);
        self.calls += 1;
        Ok((self.life, is_new))
    }

    fn succeed(&mut self, shown: &str) {
        let old = self.current.replace(shown.into());
        if let Some(old) = old {
            if self.replaced.len() == REMEMBERED {
                self.replaced.pop_front();
            }
            self.replaced.push_back(old);
        }
        self.life.0 += 1;
        self.calls = 0;
    }

    /// Whether this is the one that is there.
    pub(super) fn is(&self, life: Life) -> bool {
        life == self.life
    }

    /// A call of this one was answered, or its connection broke.
    pub(super) fn answered(&mut self, life: Life, now: Moment) {
        if life == self.life {
            self.calls = self.calls.saturating_sub(1);
            self.seen = Some(now);
        }
    }

    /// For so long it could not be heard.
    pub(super) fn pardon(&mut self, gap: Duration) {
        self.seen = self.seen.map(|at| at.after(gap));
    }

    /// When it gave its last sign of life; a call that is not answered is one.
    pub(super) fn seen(&self, now: Moment) -> Option<Moment> {
        match self.calls {
            0 => self.seen,
            _ => Some(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_replaces_and_the_old_one_may_not_come_back() {
        let mut instance = Instance::new();
        let mut call = |shown: Option<&str>| {
            let called = instance.call(shown, Moment::ZERO);
            called.map(|(_, is_new)| is_new)
        };
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
        let (first, is_new) = instance.call(None, Moment::ZERO).expect("nobody else");
        assert!(!is_new);
        let (second, is_new) = instance.call(Some("a"), Moment::ZERO).expect("another");
        assert!(is_new && first != second);
    }

    #[test]
    fn few_are_remembered_and_a_replaced_one_renews_nothing() {
        let mut instance = Instance::new();
        for number in 0..100 {
            let name = number.to_string();
            let (life, _) = instance.call(Some(&name), Moment::ZERO).expect("another");
            instance.answered(life, Moment::ZERO);
        }
        assert_eq!(instance.replaced.len(), REMEMBERED);
        let later = Moment::from_millis(1);
        assert_eq!(instance.call(Some("98"), later), Err(Replaced));
        assert_eq!(instance.seen(later), Some(Moment::ZERO));
    }

    #[test]
    fn a_call_is_a_sign_of_life_from_when_it_comes_until_it_is_answered() {
        let at = Moment::from_millis;
        let mut instance = Instance::new();
        assert_eq!(instance.seen(at(1)), None);
        let (old, _) = instance.call(Some("a"), at(1)).expect("the first");
        let (other, _) = instance.call(Some("a"), at(2)).expect("the same");
        assert_eq!(instance.seen(at(100)), Some(at(100)));
        instance.answered(other, at(101));
        assert_eq!(instance.seen(at(200)), Some(at(200)));
        instance.answered(old, at(201));
        assert_eq!(instance.seen(at(300)), Some(at(201)));
        // What is answered to the one before is no sign of life of the next.
        let (old, _) = instance.call(Some("a"), at(301)).expect("the same");
        let (new, _) = instance.call(Some("b"), at(302)).expect("another");
        instance.answered(new, at(303));
        instance.answered(old, at(400));
        assert_eq!(instance.seen(at(500)), Some(at(303)));
    }
}
