//! Whether the door looks for more datagrams at once, or lets them gather for a moment.
//!
//! Fetching one datagram costs nearly what fetching twenty does, and most of it is waking up. What nobody waits for
//! an answer to, which is noise and the acknowledgements of those who wait for a decision, comes one by one, about as
//! fast as a door that is always awake takes it up. So after such things the door looks away for a moment, and finds
//! many of them when it looks again; and so it does after a crowd that comes in. Not while someone is about who
//! notices: then it looks at once.

use std::time::Duration;

/// For how long noise gathers, with which players are about. A system adds about half of it.
const NOISE: Duration = Duration::from_micros(100);

/// For how long acknowledgements of those who wait gather: their clients take longer to send each.
const WAITERS: Duration = Duration::from_micros(500);

/// How many who come in make a crowd, when one look finds them: for each of them a moment is a small part of the way,
/// and to look for each of them by itself costs the door as much again.
const CROWD: u32 = 4;

/// How long after someone who notices was heard nothing gathers: as long as rules take to answer.
const ALERT: Duration = Duration::from_micros(300);

/// Who is kept waiting when the door looks away after a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Haste {
    /// Nobody: it was dropped.
    None,
    /// Someone who waits for a decision, or for its end: that is not the sooner for it.
    Waiter,
    /// A stranger, who asked something.
    Stranger,
    /// Someone on the way in, or who plays and acknowledges what it was told.
    Comer,
    /// Someone who plays, and said something.
    Player,
}

/// What came with the last look, and who is about.
#[derive(Default)]
pub(super) struct Gather {
    nobodys: u32,
    waiters: u32,
    strangers: u32,
    comers: u32,
    alert: Option<Duration>,
}

impl Gather {
    /// A look begins.
    pub(super) fn begin(&mut self) {
        let alert = self.alert;
        *self = Gather {
            alert,
            ..Gather::default()
        };
    }

    /// A datagram was taken up.
    pub(super) fn took(&mut self, haste: Haste, now: Duration) {
        match haste {
            Haste::None => self.nobodys += 1,
            Haste::Waiter => self.waiters += 1,
            Haste::Stranger => self.strangers += 1,
            Haste::Comer => self.comers += 1,
            Haste::Player => self.alert = Some(now + ALERT),
        }
    }

    /// For how long more is to gather before the door looks again, after a look that found some.
    pub(super) fn pause(&self, now: Duration) -> Option<Duration> {
        let patient = self.nobodys + self.waiters;
        // Strangers wait for a moment where they are a flood's, and not where they come alone.
        let newcomers = self.strangers + self.comers;
        let pause = if patient > 0 && patient >= newcomers {
            match self.waiters > self.nobodys {
                true => WAITERS,
                false => NOISE,
            }
        } else if newcomers >= CROWD {
            NOISE
        } else {
            return None;
        };
        self.alert.is_none_or(|it| it < now).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Haste::{Comer, None as Nobody, Player, Stranger, Waiter};

    const NOW: Duration = Duration::from_secs(1);

    fn pause(came: &[Haste], later: Duration) -> Option<Duration> {
        let mut gather = Gather::default();
        gather.begin();
        for haste in came {
            gather.took(*haste, NOW);
        }
        gather.pause(NOW + later)
    }

    #[test]
    fn only_what_nobody_waits_for_gathers() {
        let soon = Duration::ZERO;
        assert_eq!(pause(&[Nobody], soon), Some(NOISE));
        assert_eq!(pause(&[Waiter, Waiter, Nobody], soon), Some(WAITERS));
        assert_eq!(pause(&[Stranger, Nobody], soon), Some(NOISE));
        assert_eq!(pause(&[], soon), None);
        assert_eq!(pause(&[Stranger], soon), None);
        assert_eq!(pause(&[Stranger, Waiter, Stranger], soon), None);
    }

    #[test]
    fn who_comes_in_gathers_only_in_a_crowd() {
        let soon = Duration::ZERO;
        assert_eq!(pause(&[Comer], soon), None);
        assert_eq!(pause(&[Comer, Waiter, Comer], soon), None);
        let crowd = [Comer, Stranger, Waiter, Comer, Stranger];
        assert_eq!(pause(&crowd, soon), Some(NOISE));
    }

    #[test]
    fn nothing_gathers_for_a_while_after_someone_who_notices() {
        let came = [Player, Comer, Comer, Comer, Stranger, Nobody];
        assert_eq!(pause(&came, Duration::ZERO), None);
        assert_eq!(pause(&came, ALERT), None);
        assert_eq!(pause(&came, ALERT * 2), Some(NOISE), "of a crowd");
    }

    #[test]
    fn each_look_is_judged_by_itself() {
        let mut gather = Gather::default();
        gather.took(Nobody, NOW);
        gather.begin();
        assert_eq!(gather.pause(NOW), None);
        gather.took(Player, NOW);
        gather.begin();
        gather.took(Nobody, NOW);
        assert_eq!(gather.pause(NOW), None, "who notices is about all the same");
    }
}
