//! One player: what it has under way, and what came back.

use super::speech::{Heard, Speech, write};
use super::wire::{Received, Sending, Wire};
use crate::samples::Samples;
use std::time::Duration;

/// Nothing for so long, and what is under way is lost: others take its place.
const STALLED: Duration = Duration::from_millis(250);

/// One of those who play.
pub(super) struct Player {
    pub(super) wire: Wire,
    speech: Speech,
    pub(super) inside: bool,
    pub(super) gone: bool,
    /// How many messages are under way.
    pub(super) flying: u64,
    heard: Duration,
    /// The wake-up that was asked for last and is still to come.
    wake: Option<Duration>,
}

/// What all players count together.
#[derive(Default)]
pub(super) struct Count {
    pub(super) sent: u64,
    pub(super) back: u64,
    pub(super) lost: u64,
    /// Datagrams that the system did not take, and messages that the protocol did not.
    pub(super) untaken: u64,
    pub(super) ended: u64,
    /// Every so many messages that come back one is timed.
    pub(super) round_trip: Samples,
}

/// So many come back in a second that timing each would be much of the work.
const TIMED: u64 = 8;

/// What is used again and again.
pub(super) struct Desk {
    pub(super) sending: Sending,
    pub(super) received: Received,
    pub(super) buffer: Vec<u8>,
    pub(super) message: Vec<u8>,
}

impl Player {
    pub(super) fn new(wire: Wire, speech: Speech) -> Player {
        Player {
            inside: !matches!(speech, Speech::RakNet(_)),
            wire,
            speech,
            gone: false,
            flying: 0,
            heard: Duration::ZERO,
            wake: None,
        }
    }

    /// Says this many messages that were due then; they leave with the next [`turn`](Player::turn).
    pub(super) fn say(
        &mut self,
        how_many: u64,
        due: Duration,
        now: Duration,
        desk: &mut Desk,
        count: &mut Count,
    ) {
        for _ in 0..how_many {
            write(&mut desk.message, due);
            if !self.speech.say(&desk.message, now, &mut desk.sending) {
                count.untaken += 1;
                return;
            }
            count.sent += 1;
            self.flying += 1;
        }
    }

    /// Takes what came.
    pub(super) fn hear(&mut self, now: Duration, desk: &mut Desk, count: &mut Count) {
        while self.wire.receive(&mut desk.received) {
            for bytes in desk.received.datagrams() {
                let Player {
                    speech,
                    inside,
                    gone,
                    flying,
                    ..
                } = self;
                speech.hear(bytes, now, |heard| match heard {
                    Heard::Message(due) => {
                        *flying = flying.saturating_sub(1);
                        count.back += 1;
                        if count.back.is_multiple_of(TIMED) {
                            count.round_trip.add(now.saturating_sub(due));
                        }
                    }
                    Heard::Entered => *inside = true,
                    Heard::Ended => {
                        (*inside, *gone) = (false, true);
                        count.ended += 1;
                    }
                });
            }
            self.heard = now;
            if !desk.received.is_full() {
                return;
            }
        }
    }

    /// Sends all that there is to be sent. A wake-up to arrange, if there is a new one.
    pub(super) fn turn(
        &mut self,
        now: Duration,
        desk: &mut Desk,
        count: &mut Count,
    ) -> Option<Duration> {
        let (inside, gone) = (&mut self.inside, &mut self.gone);
        let due = self.speech.turn(
            now,
            &mut desk.sending,
            &mut desk.buffer,
            |heard| match heard {
                Heard::Entered => *inside = true,
                Heard::Ended => {
                    (*inside, *gone) = (false, true);
                    count.ended += 1;
                }
                Heard::Message(_) => {}
            },
        );
        if desk.sending.count() > 0 {
            count.untaken += self.wire.send(&mut desk.sending) as u64;
        }
        if self.wake.is_some_and(|wake| wake <= now) {
            self.wake = None;
        }
        let due = due?;
        // An earlier wake-up will look again; a later one is left to come in vain.
        if self.wake.is_some_and(|wake| wake <= due) {
            return None;
        }
        self.wake = Some(due);
        self.wake
    }

    /// Whether what is under way does not come any more: then it is counted as lost.
    pub(super) fn gives_up(&mut self, now: Duration, count: &mut Count) -> bool {
        let stalled = self.flying > 0 && now.saturating_sub(self.heard) > STALLED;
        if stalled {
            count.lost += std::mem::take(&mut self.flying);
            self.heard = now;
        }
        stalled
    }

    /// From now on it counts how long nothing came.
    pub(super) fn begin(&mut self, now: Duration) {
        self.heard = now;
    }

    pub(super) fn leave(&mut self, now: Duration) {
        self.speech.leave(now);
    }
}
