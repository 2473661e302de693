//! From frames to whole messages in their turn: each once, put together, in the order of its channel.

use super::super::frame::{Frame, Part};
use super::super::malformed::Malformed;
use super::assembly::{Added, Assemblies, Room};
use super::budget::{Budget, Charge};
use super::channels::{Channels, Turn};
use super::filter::{Filter, Novelty};
use super::limits::Limits;
use super::queue::Queue;
use super::whole::{Incoming, Whole};

/// What a message that waits takes beside its bytes.
const WAIT_COST: usize = 128;

/// The incoming messages of one connection.
#[derive(Debug)]
pub(super) struct Inbound {
    filter: Filter,
    assemblies: Assemblies,
    channels: Channels,
    ready: Queue<Incoming>,
    /// What is kept, out of what all connections may keep.
    charge: Charge,
    /// What is kept and what was begun, out of what this one may keep.
    claimed: usize,
    /// What of the charge is kept by someone else.
    elsewhere: u32,
}

impl Inbound {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            filter: Filter::new(),
            assemblies: Assemblies::default(),
            channels: Channels::default(),
            ready: Queue::new(),
            charge: Charge::new(budget),
            claimed: 0,
            elsewhere: 0,
        }
    }

    /// Takes a frame in. False: there is no room for it now, so its datagram must not be acknowledged.
    pub(super) fn take(
        &mut self,
        frame: &Frame<'_>,
        max_part: usize,
        limits: &Limits,
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
            None => Ok(self.take_whole(frame, limits)),
            Some(part) => {
                let room = Room {
                    max_parts: limits.max_parts,
                    max_part,
                    left: limits.max_held.saturating_sub(self.claimed),
                    is_lowest: number.is_some_and(|number| self.filter.is_lowest(number)),
                };
                self.take_part(frame, part, room)
            }
        };
        // What is malformed will not be better when it comes again.
        if let Some(number) = number
            && !matches!(taken, Ok(false))
        {
            self.filter.record(number);
        }
        taken
    }

    fn take_part(&mut self, frame: &Frame<'_>, part: Part, room: Room) -> Result<bool, Malformed> {
        let (added, claim) = self.assemblies.add(frame, part, room, &mut self.charge)?;
        self.claimed += claim;
        match added {
            Added::Kept => Ok(true),
            Added::Later => Ok(false),
            Added::Whole { whole, paid, claim } => {
                self.finish(whole, paid, claim);
                Ok(true)
            }
        }
    }

    fn take_whole(&mut self, frame: &Frame<'_>, limits: &Limits) -> bool {
        let turn = self.channels.turn(
            frame.reliability,
            frame.channel,
            frame.order,
            frame.sequence,
        );
        match turn {
            Turn::Past => true,
            Turn::Now => {
                self.deliver(Whole::new(frame));
                true
            }
            Turn::Wait(order, sequence) => {
                let cost = frame.bytes.len() + WAIT_COST;
                if self.claimed + cost > limits.max_held || !self.charge.grow(cost) {
                    return false;
                }
                self.claimed += cost;
                let message = Whole::new(frame).message;
                self.channels.wait(message, order, sequence);
                true
            }
        }
    }

    /// A message whose parts are all there: what was paid for them covers what it has to pay for waiting.
    fn finish(&mut self, whole: Whole, paid: usize, claim: usize) {
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
        self.charge.shrink(paid - keeps);
        self.claimed = self.claimed + keeps - claim;
        match turn {
            Turn::Past => {}
            Turn::Now => self.deliver(whole),
            Turn::Wait(order, sequence) => self.channels.wait(whole.message, order, sequence),
        }
    }

    fn deliver(&mut self, whole: Whole) {
        let Self {
            channels,
            ready,
            charge,
            claimed,
            ..
        } = self;
        // The message itself comes before those that waited for it.
        let mut waited = Vec::new();
        channels.pass(&whole, |message| {
            let cost = message.bytes.len() + WAIT_COST;
            charge.shrink(cost);
            *claimed -= cost;
            waited.push(message);
        });
        ready.push_back(whole.message);
        ready.extend(waited);
    }

    /// Counts what someone else keeps.
    pub(super) fn hold(&mut self, bytes: usize) -> bool {
        let held = u32::try_from(bytes).ok();
        let sum = held.and_then(|held| self.elsewhere.checked_add(held));
        match sum {
            Some(sum) if self.charge.grow(bytes) => {
                self.elsewhere = sum;
                true
            }
            _ => false,
        }
    }

    pub(super) fn release(&mut self) {
        self.charge.shrink(self.elsewhere as usize);
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
            + (self.charge.bytes() - self.elsewhere as usize)
            + self.ready.capacity() * size_of::<Incoming>()
            + ready
    }

    /// For tests of what happens when numbers wrap.
    pub(super) fn count_from(&mut self, message: u64, index: u64) {
        self.filter.count_from(message);
        self.channels.count_from(index);
    }
}
