//! From messages of the application to datagrams: numbers them, cuts them into parts, waits for the window.
//!
//! A message becomes its frames at once, since nothing in a frame depends on when or how often it is sent.

use super::super::datagram::begin_data;
use super::super::frame::{Frame, Part};
use super::super::limits::{CHANNELS, PART_OVERHEAD};
use super::super::number::{self, FIRST};
use super::super::ranges::Ranges;
use super::super::reliability::Reliability;
use super::flight::{Flight, Freed};
use super::pace::Pace;
use super::queue::Queue;
use super::sent::Sent;

/// What a frame takes beside its bytes: up to four places in the queue, and the allocator's share.
const FRAME_COST: usize = 80;

/// Places that the queue may have beyond that.
const SPARE_PLACES: usize = 64;

/// The most that stands before a frame's bytes.
const MAX_HEADER: usize = 23;

/// Why a message cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Too much is waiting to be sent or acknowledged already.
    #[error("the peer does not keep up")]
    Full,
    /// A message of no bits, or of more bits than its bytes have.
    #[error("a message of {bits} bits in {bytes} bytes")]
    Bits {
        /// The bits.
        bits: usize,
        /// The bytes.
        bytes: usize,
    },
    /// A channel above the last one.
    #[error("channel {0}, there are {CHANNELS}")]
    Channel(u8),
}

/// The outgoing messages of one connection.
#[derive(Debug)]
pub(super) struct Outgoing {
    flight: Flight,
    pace: Pace,
    /// Frames that were never sent, the reliable ones with the message numbers that follow each other.
    queue: Queue<Box<[u8]>>,
    /// How many of them are reliable.
    queued_reliable: usize,
    /// Message number of the next one.
    message: u64,
    /// Indices of the channels that were ever used.
    channels: Vec<Indices>,
    part_id: u16,
    /// What frames take that are queued, or sent and not acknowledged.
    bytes: usize,
}

#[derive(Debug)]
struct Indices {
    channel: u8,
    order: u64,
    sequence: u64,
}

impl Outgoing {
    pub(super) fn new() -> Self {
        Self {
            flight: Flight::new(),
            pace: Pace::new(),
            queue: Queue::new(),
            queued_reliable: 0,
            message: FIRST,
            channels: Vec::new(),
            part_id: 0,
            bytes: 0,
        }
    }

    /// Queues a message.
    pub(super) fn send(
        &mut self,
        bytes: &[u8],
        bits: usize,
        reliability: Reliability,
        channel: u8,
        mtu: u16,
        max_bytes: usize,
    ) -> Result<(), SendError> {
        if bits == 0 || bits.div_ceil(8) != bytes.len() {
            return Err(SendError::Bits {
                bits,
                bytes: bytes.len(),
            });
        }
        if channel >= CHANNELS {
            return Err(SendError::Channel(channel));
        }
        let max_part = usize::from(mtu - PART_OVERHEAD);
        let count = bytes.len().div_ceil(max_part);
        let cost = bytes.len() + count * (MAX_HEADER + FRAME_COST);
        if self.bytes + cost > max_bytes {
            return Err(SendError::Full);
        }
        let (reliability, mut part) = match u32::try_from(count) {
            Ok(1) => (reliability, None),
            Ok(count) => {
                let id = self.part_id;
                self.part_id = id.wrapping_add(1);
                let first = Part {
                    count,
                    id,
                    index: 0,
                };
                (reliability.in_parts(), Some(first))
            }
            Err(_) => return Err(SendError::Full),
        };
        let (order, sequence) = self.indices(reliability, channel);
        let mut left = bits;
        for bytes in bytes.chunks(max_part) {
            let bits = left.min(bytes.len() * 8);
            left -= bits;
            self.queue(&Frame {
                reliability,
                // A part is shorter than a datagram.
                bits: bits as u16,
                message: number::raw(self.message),
                sequence,
                order,
                channel,
                part,
                bytes,
            });
            if let Some(part) = &mut part {
                part.index += 1;
            }
        }
        Ok(())
    }

    fn queue(&mut self, frame: &Frame<'_>) {
        // To the byte, or what is too much would have to be given back.
        let mut out = Vec::with_capacity(frame.length());
        frame.encode(&mut out);
        let frame = out.into_boxed_slice();
        if is_reliable(&frame) {
            self.message += 1;
            self.queued_reliable += 1;
        }
        self.bytes += frame.len() + FRAME_COST;
        self.queue.push_back(frame);
    }

    /// Ordering and sequencing index of the channel's next message.
    fn indices(&mut self, reliability: Reliability, channel: u8) -> (u32, u32) {
        if !reliability.has_channel() {
            return (0, 0);
        }
        let indices = self.open(channel);
        let at = (number::raw(indices.order), number::raw(indices.sequence));
        if reliability.is_sequenced() {
            indices.sequence += 1;
        } else {
            indices.order += 1;
            indices.sequence = FIRST;
        }
        at
    }

    fn open(&mut self, channel: u8) -> &mut Indices {
        let at = match self
            .channels
            .iter()
            .position(|known| known.channel == channel)
        {
            Some(at) => at,
            None => {
                // Most peers use one channel for good.
                self.channels.reserve_exact(1);
                self.channels.push(Indices {
                    channel,
                    order: FIRST,
                    sequence: FIRST,
                });
                self.channels.len() - 1
            }
        };
        &mut self.channels[at]
    }

    /// Writes one data datagram of at most `limit` bytes, if there is something to send that may go.
    pub(super) fn write(&mut self, now: u64, limit: usize, out: &mut Vec<u8>) -> bool {
        self.flight.expire(now, &mut self.pace);
        if !self.may_write() {
            return false;
        }
        begin_data(self.flight.next_raw(), out);
        let mut sent = Sent::new(now);
        if self.flight.may_repeat(&self.pace) {
            self.flight.repeat(&mut sent, limit, out);
        }
        while self.may_write_new()
            && self
                .queue
                .front()
                .is_some_and(|f| out.len() + f.len() <= limit)
        {
            let Some(frame) = self.queue.pop_front() else {
                break;
            };
            out.extend_from_slice(&frame);
            if is_reliable(&frame) {
                self.queued_reliable -= 1;
                self.flight.carry(&mut sent, frame);
            } else {
                self.bytes -= frame.len() + FRAME_COST;
            }
        }
        self.shrink();
        self.flight.depart(sent, &self.pace);
        true
    }

    /// A queue that was long once takes its place for no longer than needed.
    fn shrink(&mut self) {
        if self.queue.is_empty() {
            self.queue = Queue::new();
        } else if self.queue.capacity() > 4 * self.queue.len() + SPARE_PLACES {
            self.queue.shrink_to(2 * self.queue.len());
        }
    }

    fn may_write(&self) -> bool {
        self.flight.may_repeat(&self.pace) || self.may_write_new()
    }

    fn may_write_new(&self) -> bool {
        let first = self.queue.front();
        first.is_some_and(|frame| !is_reliable(frame) || self.flight.has_room())
            && self.flight.is_open(&self.pace)
    }

    /// When there is something to send: nanoseconds, `u64::MAX` for never, 0 for at once.
    pub(super) fn due(&self) -> u64 {
        if self.may_write() {
            0
        } else {
            self.flight.deadline(&self.pace)
        }
    }

    pub(super) fn acknowledge(&mut self, ranges: &Ranges<'_>, now: u64) {
        let Freed { messages, bytes } = self.flight.acknowledge(ranges, now, &mut self.pace);
        self.bytes -= bytes + messages * FRAME_COST;
    }

    pub(super) fn miss(&mut self, ranges: &Ranges<'_>) {
        self.flight.miss(ranges, &mut self.pace);
    }

    /// Drops all that was to be sent, or sent again.
    pub(super) fn clear(&mut self) {
        self.flight.clear();
        self.queue = Queue::new();
        self.queued_reliable = 0;
        self.bytes = 0;
    }

    /// Whether every reliable message was acknowledged.
    pub(super) fn is_acked(&self) -> bool {
        self.queued_reliable == 0 && self.flight.is_acked()
    }

    /// What frames take that are queued, or sent and not acknowledged, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many messages and parts went out again since this was asked last.
    pub(super) fn take_repeated(&mut self) -> u32 {
        self.flight.take_repeated()
    }

    /// The smoothed round trip in nanoseconds, once one was measured.
    pub(super) fn trip(&self) -> Option<u64> {
        self.pace.trip()
    }

    /// Heap bytes.
    pub(super) fn memory(&self) -> usize {
        // Four places a frame are in its cost.
        let places = self.queue.capacity();
        self.flight.memory()
            + places.saturating_sub(4 * self.queue.len()) * size_of::<Box<[u8]>>()
            + self.channels.capacity() * size_of::<Indices>()
            + self.bytes
    }

    /// For tests of what happens when numbers wrap.
    pub(super) fn count_from(&mut self, datagram: u64, message: u64, index: u64) {
        self.flight.count_from(datagram, message);
        self.message = message;
        for channel in 0..CHANNELS {
            let indices = self.open(channel);
            indices.order = index;
            indices.sequence = index;
        }
    }
}

/// A frame's reliability is in its first three bits.
fn is_reliable(frame: &[u8]) -> bool {
    frame
        .first()
        .is_some_and(|header| header >> 5 >= Reliability::Reliable as u8)
}
