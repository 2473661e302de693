//! From frames to whole messages in their turn: each once, put together, in the order of its channel.

use super::super::frame::{Frame, Part};
use super::super::malformed::Malformed;
use super::assembly::{Added, Assemblies, Room};
use super::budget::{Budget, Charge, Share};
use super::channels::{Channels, Turn};
use super::filter::{Filter, Novelty};
use super::limits::Limits;
use super::queue::Queue;
use super::whole::{Incoming, Whole};

/// What a message that waits takes beside its bytes.
const WAIT_COST: usize = 128;

/// How many timeouts a message may take.
const SLOW: u64 = 6;

/// The incoming messages of one connection.
#[derive(Debug)]
pub(super) struct Inbound {
    filter: Filter,
    assemblies: Assemblies,
    channels: Channels,
    ready: Queue<Incoming>,
    /// What is kept and what was begun.
    charge: Charge,
    /// What of the charge is kept by someone else.
    elsewhere: u32,
    /// When anything came last that brings what is kept nearer to its end, in nanoseconds.
    fresh: u64,
}

impl Inbound {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            filter: Filter::new(),
            assemblies: Assemblies::default(),
            channels: Channels::default(),
            ready: Queue::new(),
            charge: Charge::new(budget),
            elsewhere: 0,
            fresh: 0,
        }
    }

    /// Takes a frame in. False: there is no room for it now, so its datagram must not be acknowledged.
    pub(super) fn take(
        &mut self,
        frame: &Frame<'_>,
        max_part: usize,
        limits: &Limits,
        now: u64,
    ) -> Result<bool, Malformed> {
        let number = if frame.reliability.is_reliable() {
            match self.filter.check(frame.message) {
                Novelty::New(number) => Some(number),
                Novelty::Seen => return Ok(true),
                Novelty::Later => return Ok(false),
                Novelty::TooFar => {
                    return Err(Malformed::Value {
                        field: "message number",
                        value: frame.message.into(),
                    });
                }
            }
        } else {
            None
        };
        let taken = match frame.part {
            None => Ok(self.take_whole(frame, limits, now)),
            Some(part) => {
                let room = Room {
                    max_parts: limits.max_parts,
                    max_part,
                    left: limits.max_held.saturating_sub(self.claimed()),
                    share: limits.share,
                    is_lowest: number.is_some_and(|number| self.filter.is_lowest(number)),
                    now,
                };
                self.take_part(frame, part, room)
            }
        };
        if self.charge.take_refused() {
            // That it does not go on is not the peer's fault.
            self.fresh = now;
        }
        // What is malformed will not be better when it comes again.
        if let Some(number) = number
            && !matches!(taken, Ok(false))
        {
            self.filter.record(number);
        }
        taken
    }

    fn take_part(&mut self, frame: &Frame<'_>, part: Part, room: Room) -> Result<bool, Malformed> {
        match self.assemblies.add(frame, part, room, &mut self.charge)? {
            Added::Known => return Ok(true),
            Added::Later => return Ok(false),
            Added::Kept => {}
            Added::Whole { whole, paid, claim } => self.finish(whole, paid, claim, room.now),
        }
        self.fresh = room.now;
        Ok(true)
    }

    fn take_whole(&mut self, frame: &Frame<'_>, limits: &Limits, now: u64) -> bool {
        let turn = self.channels.turn(
            frame.reliability,
            frame.channel,
            frame.order,
            frame.sequence,
        );
        match turn {
            Turn::Past => true,
            Turn::Now => {
                self.deliver(Whole::new(frame), now);
                true
            }
            Turn::Wait(order, sequence) => {
                let cost = frame.bytes.len() + WAIT_COST;
                let claimed = self.claimed();
                if claimed + cost > limits.max_held || !self.charge.claim(cost, limits.share) {
                    return false;
                }
                if claimed == 0 {
                    self.fresh = now;
                }
                self.charge.keep(cost);
                let message = Whole::new(frame).message;
                self.channels.wait(message, order, sequence, now);
                true
            }
        }
    }

    /// A message whose parts are all there: what was paid for them covers what it has to pay for waiting.
    fn finish(&mut self, whole: Whole, paid: usize, claim: usize, now: u64) {
        let message = &whole.message;
        let turn = self.channels.turn(
            message.reliability,
            message.channel,
            whole.order,
            whole.sequence,
        );
        let keeps = match turn {
            Turn::Wait(..) => message.bytes.len() + WAIT_COST,
            Turn::Now | Turn::Past => 0,
        };
        self.charge.give_back(paid - keeps, claim - keeps);
        match turn {
            Turn::Past => {}
            Turn::Now => self.deliver(whole, now),
            Turn::Wait(order, sequence) => {
                self.channels.wait(whole.message, order, sequence, now);
            }
        }
    }

    fn deliver(&mut self, whole: Whole, now: u64) {
        let Self {
            channels,
            ready,
            charge,
            ..
        } = self;
        // The message itself comes before those that waited for it.
        let mut waited = Vec::new();
        let awaited = channels.pass(&whole, now, |message| {
            let cost = message.bytes.len() + WAIT_COST;
            charge.give_back(cost, cost);
            waited.push(message);
        });
        if awaited {
            self.fresh = now;
        }
        ready.push_back(whole.message);
        ready.extend(waited);
    }

    /// Counts what someone else keeps.
    pub(super) fn hold(&mut self, bytes: usize, share: Share) -> bool {
        let held = u32::try_from(bytes).ok();
        let sum = held.and_then(|held| self.elsewhere.checked_add(held));
        match sum {
            Some(sum) if self.charge.claim(bytes, share) => {
                self.charge.keep(bytes);
                self.elsewhere = sum;
                true
            }
            _ => false,
        }
    }

    pub(super) fn release(&mut self) {
        let elsewhere = self.elsewhere as usize;
        self.charge.give_back(elsewhere, elsewhere);
        self.elsewhere = 0;
    }

    /// The next message that is due.
    pub(super) fn poll(&mut self) -> Option<Incoming> {
        let message = self.ready.pop_front();
        if self.ready.is_empty() && self.ready.capacity() > 0 {
            self.ready = Queue::new();
        }
        message
    }

    /// What its own messages may take, out of what this connection may keep.
    fn claimed(&self) -> usize {
        self.charge.claimed() - self.elsewhere as usize
    }

    /// When the peer has had all the time that there is to end what it has begun, in nanoseconds, `u64::MAX`
    /// for never.
    pub(super) fn stuck_at(&self, timeout: u64) -> u64 {
        if self.claimed() == 0 {
            return u64::MAX;
        }
        let oldest = [self.assemblies.oldest(), self.channels.oldest()];
        let oldest = oldest.into_iter().flatten().min().unwrap_or(self.fresh);
        let slow = oldest.saturating_add(timeout.saturating_mul(SLOW));
        slow.min(self.fresh.saturating_add(timeout))
    }

    /// Drops what is not whole and what waits.
    pub(super) fn forget_unfinished(&mut self) {
        self.assemblies = Assemblies::default();
        self.channels.forget_waiting();
        let kept = self.charge.kept() - self.elsewhere as usize;
        self.charge.give_back(kept, self.claimed());
    }

    /// Heap bytes.
    pub(super) fn memory(&self) -> usize {
        let ready: usize = self
            .ready
            .iter()
            .map(|message| message.bytes.capacity())
            .sum();
        self.filter.memory()
            + self.assemblies.memory()
            + self.channels.memory()
            + (self.charge.kept() - self.elsewhere as usize)
            + self.ready.capacity() * size_of::<Incoming>()
            + ready
    }

    /// For tests of what happens when numbers wrap.
    pub(super) fn count_from(&mut self, message: u64, index: u64) {
        self.filter.count_from(message);
        self.channels.count_from(index);
    }
}
