//! Before there is a connection: first requests, from the largest MTU to the smallest, and a second request
//! for every answer.

use std::collections::VecDeque;
use std::time::Duration;

use super::super::classify::{Class, classify};
use super::super::dialect::Dialect;
use super::super::limits::IP_UDP_HEADER;
use super::super::offline::{Offline, Refusal};
use super::setup::Setup;

/// First requests at one MTU before the next smaller one.
const ATTEMPTS: u32 = 3;

/// Time between two first requests, and from the last one to giving up.
const INTERVAL: Duration = Duration::from_millis(500);

/// Answers that are answered at once; of more at a time, some may as well have been lost.
const MAX_ANSWERS: usize = 4;

/// What a datagram meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing that changes anything.
    Nothing,
    /// The server has a place for us: the connection begins.
    Begun { mtu: u16 },
    /// It has none.
    Refused(Refusal),
}

/// A first request that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    /// 1 for the first.
    pub(super) attempt: u32,
    pub(super) mtu: u16,
}

#[derive(Debug)]
pub(super) struct Opening {
    /// First requests so far.
    attempts: u32,
    /// When the next one is due, or we give up.
    due: Duration,
    /// What there is to answer: cookie and MTU.
    answers: VecDeque<(Option<u32>, u16)>,
}

impl Opening {
    pub(super) fn new(now: Duration) -> Self {
        Self {
            attempts: 0,
            due: now,
            answers: VecDeque::new(),
        }
    }

    /// Whether the last request has had its time.
    pub(super) fn is_over(&self, setup: &Setup, now: Duration) -> bool {
        self.attempts >= attempts(setup.dialect) && self.due <= now
    }

    pub(super) fn due(&self) -> Duration {
        self.due
    }

    /// Takes any datagram of the server.
    pub(super) fn receive(&mut self, datagram: &[u8]) -> Heard {
        if classify(datagram) != Class::Offline {
            return Heard::Nothing;
        }
        match Offline::parse(datagram, false) {
            Ok(Offline::Reply1 { cookie, mtu, .. }) => {
                // An answer that was not asked for says nothing about us.
                if self.attempts > 0 && self.answers.len() < MAX_ANSWERS {
                    self.answers.push_back((cookie, Dialect::agreed_mtu(mtu)));
                }
                Heard::Nothing
            }
            Ok(Offline::Reply2 { mtu, .. }) => Heard::Begun {
                mtu: Dialect::agreed_mtu(mtu),
            },
            Ok(Offline::Refused { refusal, .. }) => Heard::Refused(refusal),
            Ok(_) | Err(_) => Heard::Nothing,
        }
    }

    /// Writes the second request that answers a first reply, if one is owed.
    pub(super) fn answer(&mut self, setup: &Setup, out: &mut Vec<u8>) -> bool {
        let Some((cookie, mtu)) = self.answers.pop_front() else {
            return false;
        };
        let request = Offline::Request2 {
            cookie,
            dialled: setup.server,
            mtu,
            guid: setup.guid,
        };
        request.encode(out);
        true
    }

    /// Writes a first request, if one is due.
    pub(super) fn ask(&mut self, setup: &Setup, now: Duration, out: &mut Vec<u8>) -> Option<Asked> {
        let dialect = setup.dialect;
        if self.due > now || self.attempts >= attempts(dialect) {
            return None;
        }
        let rung = (self.attempts / ATTEMPTS) as usize;
        let last = dialect.rungs.len().checked_sub(1)?;
        let mtu = dialect.rungs[rung.min(last)];
        let request = Offline::Request1 {
            protocol: *dialect.protocols.first()?,
            length: usize::from(mtu.saturating_sub(IP_UDP_HEADER)),
        };
        request.encode(out);
        self.attempts += 1;
        // Counted from the request: whoever is woken late does not send several in a row.
        self.due = now + INTERVAL;
        Some(Asked {
            attempt: self.attempts,
            mtu,
        })
    }
}

/// Three for each MTU, and one more at the last.
fn attempts(dialect: &Dialect) -> u32 {
    dialect.rungs.len() as u32 * ATTEMPTS + 1
}
