//! One peer's reliability layer, for either side: datagrams and time go in, messages and datagrams come out.
//!
//! ```
//! use std::time::Duration;
//! use usher_wire::raknet::{Budget, Connection, Limits, Reliability};
//!
//! let (mtu, now, budget) = (1400, Duration::ZERO, Budget::default());
//! let mut client = Connection::new(mtu, Limits::pending(mtu), budget.clone(), now);
//! let mut server = Connection::new(mtu, Limits::pending(mtu), budget, now);
//! client.send(b"\x87hello", Reliability::ReliableOrdered, 0)?;
//!
//! let mut datagram = Vec::new();
//! while client.poll_transmit(now, &mut datagram) {
//!     server.receive(&datagram, now)?;
//! }
//! assert_eq!(server.poll_message().unwrap().bytes, b"\x87hello");
//! while server.poll_transmit(now, &mut datagram) {
//!     client.receive(&datagram, now)?;
//! }
//! assert!(client.all_acked());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Time is that since any moment that the caller likes, and never goes back. After anything went in, the
//! caller takes out all messages and all datagrams, and comes back for datagrams at
//! [`poll_timeout`](Connection::poll_timeout) at the latest. Whoever does so never misses a deadline, and is
//! never woken for nothing.
//!
//! What a peer can make a connection keep is bounded by [`Limits`], and what all can, by a [`Budget`]. Tables
//! are made when they are needed and dropped when they are empty: an idle connection takes under 1 KiB.
//!
//! What the messages mean, and who may send which when, is left to others.

mod arrivals;
mod assembly;
mod budget;
mod channels;
mod filter;
mod flight;
mod inbound;
mod limits;
mod outgoing;
mod pace;
mod queue;
mod sent;
mod whole;

use std::fmt;
use std::time::Duration;

use super::datagram::{Datagram, Frames};
use super::limits::{IP_UDP_HEADER, MAX_MTU, MIN_MTU};
use super::malformed::Malformed;
use super::number::FIRST;
use super::reliability::Reliability;
use arrivals::Arrivals;
use inbound::Inbound;
use limits::Packed;
use outgoing::Outgoing;

pub use budget::{Budget, Share};
pub use limits::Limits;
pub use outgoing::SendError;
pub use whole::Incoming;

/// `owed_since` when nothing is owed.
const NEVER: u64 = u64::MAX;

/// The reliability layer of one peer. `Debug` shows no message, which may be a secret.
pub struct Connection {
    arrivals: Arrivals,
    inbound: Inbound,
    outgoing: Outgoing,
    limits: Packed,
    mtu: u16,
    /// When the last datagram came, in nanoseconds.
    heard: u64,
    /// Since when the peer has owed an acknowledgement without a break.
    owed_since: u64,
    lost: bool,
    stuck: bool,
    /// The last datagram that was written has messages.
    spoke: bool,
}

impl Connection {
    /// A connection on which nothing was said. The MTU is clamped to 576..=1400.
    #[must_use]
    pub fn new(mtu: u16, limits: Limits, budget: Budget, now: Duration) -> Self {
        Self {
            arrivals: Arrivals::new(),
            inbound: Inbound::new(budget),
            outgoing: Outgoing::new(),
            limits: Packed::new(limits),
            mtu: mtu.clamp(MIN_MTU, MAX_MTU),
            heard: nanos(now),
            owed_since: NEVER,
            lost: false,
            stuck: false,
            spoke: false,
        }
    }

    /// Other limits from here on, as after an acceptance. What is kept already is kept.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Packed::new(limits);
    }

    /// The limits that hold.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits.unpacked()
    }

    /// The MTU, in bytes with IP and UDP headers.
    #[must_use]
    pub fn mtu(&self) -> u16 {
        self.mtu
    }

    /// Takes a datagram in that [`classify`](super::classify()) calls connected.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: the rest of the datagram was ignored, or one message of it when only that was beyond
    /// the limits. The connection works on; whether to keep such a peer is for the caller.
    pub fn receive(&mut self, datagram: &[u8], now: Duration) -> Result<(), Malformed> {
        let datagram = Datagram::parse(datagram)?;
        let now = nanos(now);
        self.heard = self.heard.max(now);
        match datagram {
            Datagram::Ack(ranges) => {
                self.outgoing.acknowledge(&ranges, now);
                if self.outgoing.is_acked() {
                    self.owed_since = NEVER;
                }
            }
            Datagram::Nak(ranges) => self.outgoing.miss(&ranges),
            Datagram::Data { number, frames } => {
                if let Some(number) = self.arrivals.arrive(number) {
                    return self.read(number, frames, now);
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, number: u64, frames: Frames<'_>, now: u64) -> Result<(), Malformed> {
        let max_part = usize::from(self.mtu - IP_UDP_HEADER);
        let limits = self.limits();
        let mut result = Ok(());
        let mut all_taken = true;
        for frame in frames {
            match frame.and_then(|frame| self.inbound.take(&frame, max_part, &limits, now)) {
                Ok(taken) => all_taken &= taken,
                Err(cause) => result = result.and(Err(cause)),
            }
        }
        if all_taken {
            let at_once = self.outgoing.trip().is_none();
            self.arrivals.owe(number, now, at_once);
        }
        result
    }

    /// The next message that is due. Take all of them after each [`receive`](Self::receive).
    pub fn poll_message(&mut self) -> Option<Incoming> {
        self.inbound.poll()
    }

    /// Counts bytes in the budget that the caller goes on keeping of what it was handed, until
    /// [`release`](Self::release) or the end of the connection. False: there is no room, and nothing is counted.
    #[must_use]
    pub fn hold(&mut self, bytes: usize) -> bool {
        self.inbound.hold(bytes, self.limits().share)
    }

    /// The caller keeps nothing any more.
    pub fn release(&mut self) {
        self.inbound.release();
    }

    /// Queues a message of whole bytes. The channel counts for ordered and sequenced ones.
    ///
    /// # Errors
    ///
    /// [`SendError`]; nothing of the message is sent.
    pub fn send(
        &mut self,
        bytes: &[u8],
        reliability: Reliability,
        channel: u8,
    ) -> Result<(), SendError> {
        self.send_bits(bytes, bytes.len() * 8, reliability, channel)
    }

    /// Queues a message that may end inside a byte.
    ///
    /// # Errors
    ///
    /// [`SendError`]; nothing of the message is sent.
    pub fn send_bits(
        &mut self,
        bytes: &[u8],
        bits: usize,
        reliability: Reliability,
        channel: u8,
    ) -> Result<(), SendError> {
        let max_bytes = self.limits().max_outgoing;
        self.outgoing
            .send(bytes, bits, reliability, channel, self.mtu, max_bytes)
    }

    /// What is owed an acknowledgement will be answered soon: the two may go together, if that is no later than
    /// acknowledgements are anyway.
    pub fn acknowledge_with_answer(&mut self, now: Duration) {
        self.arrivals.wait_for_company(nanos(now));
    }

    /// What is owed an acknowledgement gets it with the next datagram, and waits for no others.
    pub fn acknowledge_at_once(&mut self, now: Duration) {
        self.arrivals.pay_at_once(nanos(now));
    }

    /// Whether neither side waits for anything of what was said so far.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.outgoing.bytes() == 0 && self.all_acked() && self.arrivals.owes_nothing()
    }

    /// Drops all that was to be sent. Acknowledgements go on: the peer says goodbye, and nobody else is left to
    /// hear anything.
    pub fn fall_silent(&mut self) {
        self.outgoing.clear();
        self.owed_since = NEVER;
    }

    /// Writes the next datagram that is due, at most `mtu - 28` bytes, into the buffer, which is cleared.
    /// Call it until it gives false.
    pub fn poll_transmit(&mut self, now: Duration, out: &mut Vec<u8>) -> bool {
        out.clear();
        let now = nanos(now);
        if self.owed_since == NEVER && !self.outgoing.is_acked() {
            self.owed_since = now;
        }
        self.lost |= now >= self.lost_at();
        self.stuck |= now >= self.inbound.stuck_at(nanos(self.limits().timeout));
        if self.lost || self.stuck {
            return false;
        }
        let limit = usize::from(self.mtu - IP_UDP_HEADER);
        // An acknowledgement comes right behind messages, which are mostly longer: so both travel as one,
        // where the system can do that.
        let has_company = std::mem::take(&mut self.spoke);
        if self.arrivals.write_nak(limit, out)
            || has_company && self.arrivals.write_ack(now, true, limit, out)
        {
            return true;
        }
        self.spoke = self.outgoing.write(now, limit, out);
        self.spoke || self.arrivals.write_ack(now, false, limit, out)
    }

    /// When to call [`poll_transmit`](Self::poll_transmit) again if nothing else happens before; a time that
    /// has passed means at once. None: not before something else happens.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Duration> {
        if self.lost || self.stuck {
            return None;
        }
        let due = self
            .arrivals
            .due()
            .min(self.outgoing.due())
            .min(self.lost_at())
            .min(self.inbound.stuck_at(nanos(self.limits().timeout)));
        (due != NEVER).then(|| Duration::from_nanos(due))
    }

    /// Whether the peer has to be given up: it owes an acknowledgement, and was silent for the timeout; or
    /// it [`is_stuck`](Self::is_stuck).
    ///
    /// One that had nothing to say for long is given half the timeout to answer, so that who sends something
    /// reliable each half of it finds the end on time.
    #[must_use]
    pub fn is_lost(&self, now: Duration) -> bool {
        self.lost || nanos(now) >= self.lost_at() || self.is_stuck(now)
    }

    /// Whether the peer has begun what it does not end, and has it kept for longer than its limits allow.
    #[must_use]
    pub fn is_stuck(&self, now: Duration) -> bool {
        self.stuck || nanos(now) >= self.inbound.stuck_at(nanos(self.limits().timeout))
    }

    /// Drops all that came and is not whole, or waits for what is missing, and takes no more of it.
    pub fn forget_unfinished(&mut self) {
        self.inbound.forget_unfinished();
        self.limits = Packed::new(Limits {
            max_held: 0,
            share: Share::NONE,
            ..self.limits()
        });
    }

    fn lost_at(&self) -> u64 {
        if self.owed_since == NEVER {
            return NEVER;
        }
        let timeout = nanos(self.limits().timeout);
        let silent = self.heard.saturating_add(timeout);
        silent.max(self.owed_since.saturating_add(timeout / 2))
    }

    /// Whether the peer has acknowledged every reliable message.
    #[must_use]
    pub fn all_acked(&self) -> bool {
        self.outgoing.is_acked()
    }

    /// What outgoing messages take that are not sent, or not acknowledged, in bytes.
    #[must_use]
    pub fn outgoing_bytes(&self) -> usize {
        self.outgoing.bytes()
    }

    /// When the last well-formed datagram came.
    #[must_use]
    pub fn last_heard(&self) -> Duration {
        Duration::from_nanos(self.heard)
    }

    /// The smoothed round trip, once one was measured.
    #[must_use]
    pub fn rtt(&self) -> Option<Duration> {
        self.outgoing.trip().map(Duration::from_nanos)
    }

    /// How many messages and parts of messages went out again since this was asked last.
    pub fn take_repeated(&mut self) -> u32 {
        self.outgoing.take_repeated()
    }

    /// What the connection takes, in bytes, itself included and messages not polled too.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.arrivals.memory() + self.inbound.memory() + self.outgoing.memory()
    }

    /// Counts everything, on both sides, as after this many datagrams, messages and indices below the number
    /// at which the wire's numbers begin again. For tests, before anything was said, on both ends.
    #[doc(hidden)]
    pub fn count_from_before_the_wrap(&mut self, datagrams: u32, messages: u32, indices: u32) {
        let [datagram, message, index] =
            [datagrams, messages, indices].map(|before| 2 * FIRST - u64::from(before) % FIRST);
        self.arrivals.count_from(datagram);
        self.inbound.count_from(message, index);
        self.outgoing.count_from(datagram, message, index);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("mtu", &self.mtu)
            .field("last_heard", &self.last_heard())
            .field("all_acked", &self.all_acked())
            .field("outgoing_bytes", &self.outgoing_bytes())
            .finish_non_exhaustive()
    }
}

fn nanos(time: Duration) -> u64 {
    // 584 years.
    u64::try_from(time.as_nanos()).unwrap_or(NEVER - 1)
}
