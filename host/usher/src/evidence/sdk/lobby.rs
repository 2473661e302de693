//! When a session of the game server is to be ended. What happens goes in, with its time; what is due comes
//! out; no IO.
//!
//! A session that was claimed for a lone player blocks the game server for every match, so whoever claimed
//! it must end it: when the last player leaves, and when nobody came. Sessions that others made are ended
//! only where this host owns the game server's lifecycle. Once the endpoint was told, a session is over, and
//! who comes in after all is not in it: see [`super::late`].

use super::allocation::{Allocation, Origin};
use super::backoff::Backoff;
use super::late::{Late, Seen};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long after a claim that was not answered a new session is still taken for the one that it asked for.
const EXPECTED: Duration = Duration::from_secs(600);

/// The same after an answer that says that the claim failed: it can be wrong for a moment only.
const EXPECTED_SOON: Duration = Duration::from_secs(60);

/// How many of these, and how many claimed sessions, are kept in mind.
const KEPT: usize = 64;

/// How long the endpoint has to show that a session has ended, before it is told so again.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);

/// How long a session may go without players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Patience {
    /// One that was claimed, and that nobody has come to yet.
    pub(super) claimed: Duration,
    /// Any other, where those are ended too.
    pub(super) others: Option<Others>,
}

/// How long a session that others made may go without players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Others {
    /// Before the first one has come.
    pub(super) before: Duration,
    /// After the last one has gone.
    pub(super) after: Duration,
}

/// How a session is ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// By its id.
    Session(Arc<str>),
    /// By saying that players may come again: Agones' own endpoint has no ids.
    Unnamed,
}

/// Whether a session can still come of a claim that was answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Prospect {
    /// It can, some time.
    Open,
    /// It can, if it does soon.
    Soon,
    /// It cannot.
    None,
}

/// What came of telling the endpoint that a session is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// It has heard it.
    Heard,
    /// Nobody knows.
    Lost,
    /// It has not, or does not want to.
    Refused,
}

/// The session of now, and who is in it.
pub(super) struct Lobby {
    patience: Patience,
    players: u32,
    /// Until when a new session would be the one that a claim asked for, for each claim that is not settled.
    expected: VecDeque<Instant>,
    /// Whether the last of them is of the claim that was sent last: no session has come of it yet.
    unsettled: bool,
    /// Whether a claimed session that is there from the very start is one of this host's, before it was
    /// started again.
    adopts: bool,
    /// Sessions that were claimed.
    ours: VecDeque<Arc<str>>,
    session: Option<Session>,
    late: Late,
}

struct Session {
    ending: Ending,
    ours: bool,
    /// Whether anyone came to it.
    was_seated: bool,
    began: Instant,
    /// Whether someone it was claimed for did not get in.
    given_back: bool,
    /// Those it was claimed for and who are not in yet.
    claimants: u32,
    /// Since when nobody is in it, or has a claim to it.
    quiet_since: Instant,
    /// Whether it is being ended, by its id. Nobody joins it any more, so that is carried through.
    over: bool,
    /// The endpoint was told that it is over: not again before this.
    not_before: Option<Instant>,
    backoff: Backoff,
}

impl Lobby {
    pub(super) fn new(patience: Patience) -> Lobby {
        Lobby {
            patience,
            players: 0,
            expected: VecDeque::new(),
            unsettled: false,
            adopts: false,
            ours: VecDeque::new(),
            session: None,
            late: Late::default(),
        }
    }

    /// A session that the game server made itself and that the first view shows is this host's: nobody else
    /// claims any here, and of what it claimed before it was started again it knows nothing.
    pub(super) fn adopt(&mut self) {
        self.adopts = true;
    }

    /// So many are seated now.
    pub(super) fn players(&mut self, players: u32, now: Instant) {
        let before = std::mem::replace(&mut self.players, players);
        let Some(session) = &mut self.session else {
            match players {
                0 => self.late.left(),
                _ if players > before => self.late.came(now),
                _ => {}
            }
            return;
        };
        // Who leaves may be of the session before.
        session.was_seated |= players > before;
        session.claimants = session
            .claimants
            .saturating_sub(players.saturating_sub(before));
        if players == 0 && before > 0 {
            session.quiet_since = now;
        }
    }

    /// How many are seated, as far as is known here.
    pub(super) fn seated(&self) -> u32 {
        self.players
    }

    /// A session is about to be claimed.
    pub(super) fn asked(&mut self, now: Instant) {
        keep(&mut self.expected, now + EXPECTED);
        self.unsettled = true;
    }

    /// The claim that was under way was answered. Whatever that says of it, a session may have come already.
    pub(super) fn answered(&mut self, prospect: Prospect, now: Instant) {
        if !self.unsettled || prospect == Prospect::Open {
            return;
        }
        self.expected.pop_back();
        if prospect == Prospect::Soon {
            keep(&mut self.expected, now + EXPECTED_SOON);
        }
    }

    /// Whether a session that is new, and that the game server made itself, is one that was asked for here.
    fn expects(&mut self, now: Instant) -> bool {
        self.unsettled = false;
        self.expected.retain(|until| *until >= now);
        let expected = self.expected.pop_back().is_some();
        // The endpoint has come to what it was asked before, or never will.
        for until in &mut self.expected {
            *until = (*until).min(now + EXPECTED_SOON);
        }
        expected
    }

    /// This is the session from now on. `received` says that it never was before; `unnamed`, that there is
    /// one without an id.
    pub(super) fn follow(
        &mut self,
        current: Option<&Arc<Allocation>>,
        received: bool,
        unnamed: bool,
        now: Instant,
    ) {
        let adopts = std::mem::take(&mut self.adopts);
        if let Some(current) = current
            && received
            && current.origin == Origin::SelfMade
            && (self.expects(now) || adopts)
        {
            keep(&mut self.ours, current.id.clone());
        }
        let ending = match current {
            Some(allocation) => Some(Ending::Session(allocation.id.clone())),
            None => unnamed.then_some(Ending::Unnamed),
        };
        if self.session.as_ref().map(|session| &session.ending) == ending.as_ref() {
            return;
        }
        let ours = current.is_some_and(|it| self.ours.contains(&it.id));
        let next = ending.map(|ending| Session {
            ending,
            ours,
            // One that was claimed is for those who are here.
            was_seated: ours && self.players > 0,
            began: now,
            given_back: false,
            claimants: 0,
            quiet_since: now,
            over: false,
            not_before: None,
            backoff: Backoff::default(),
        });
        self.late = Late::default();
        let before = std::mem::replace(&mut self.session, next);
        if let (Some(before), None) = (before.filter(|it| it.over), &self.session) {
            self.late.ended(before.ours, now);
            if self.players > 0 {
                self.late.came(now);
            }
        }
    }

    /// Someone has a claim to the session, and will get in or give it back.
    pub(super) fn claimed(&mut self, now: Instant) {
        if let Some(session) = &mut self.session {
            session.claimants = session.claimants.saturating_add(1);
            session.quiet_since = now;
        }
    }

    /// Someone who had a claim to it did not get in.
    pub(super) fn given_back(&mut self) {
        if let Some(session) = &mut self.session {
            session.claimants = session.claimants.saturating_sub(1);
            session.given_back = true;
        }
    }

    /// Whether the session was claimed by this host.
    pub(super) fn is_ours(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.ours)
    }

    /// The session, if this host has to end it before it stops.
    pub(super) fn to_end_at_last(&self) -> Option<Ending> {
        let session = self.session.as_ref()?;
        session.ours.then(|| session.ending.clone())
    }

    /// When the session is to be ended, or one to be claimed for who came too late, if everything stays as
    /// it is.
    pub(super) fn due(&self) -> Option<Instant> {
        let Some(session) = self.session.as_ref() else {
            return self.late.due();
        };
        if session.over {
            return session.not_before;
        }
        if self.players > 0 {
            return None;
        }
        let since = session.quiet_since;
        let due = match (session.ours, self.patience.others) {
            (true, _) => {
                let over = (session.was_seated || session.given_back) && session.claimants == 0;
                let patience = self.patience.claimed;
                since + if over { Duration::ZERO } else { patience }
            }
            (false, Some(others)) if session.was_seated => since + others.after,
            // Those of the session before may have been here for longer than that.
            (false, Some(others)) if since > session.began => {
                (session.began + others.before).max(since + others.after)
            }
            (false, Some(others)) => since + others.before,
            (false, None) => return None,
        };
        Some(
            session
                .not_before
                .map_or(due, |not_before| due.max(not_before)),
        )
    }

    /// What is to be ended now.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<Ending> {
        if self.due()? > now {
            return None;
        }
        let session = self.session.as_mut()?;
        session.over = matches!(session.ending, Ending::Session(_));
        Some(session.ending.clone())
    }

    /// Whether someone is in no session for having come too late, and that is to be seen to now.
    pub(super) fn take_late(&mut self, now: Instant) -> Option<Seen> {
        self.late.take(now)
    }

    /// The endpoint was told.
    pub(super) fn told(&mut self, ending: &Ending, told: Told, now: Instant) {
        let session = self.session.as_mut();
        let Some(session) = session.filter(|session| session.ending == *ending) else {
            return;
        };
        session.over &= told != Told::Refused;
        let wait = session.backoff.next();
        session.not_before = Some(match told {
            Told::Heard => now + wait.max(SHOWN_WITHIN),
            Told::Lost | Told::Refused => now + wait,
        });
    }
}

/// Keeps something in mind, and forgets the oldest where there is too much.
fn keep<T>(kept: &mut VecDeque<T>, one: T) {
    if kept.len() == KEPT {
        kept.pop_front();
    }
    kept.push_back(one);
}

#[cfg(test)]
mod tests;
