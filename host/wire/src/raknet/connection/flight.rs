//! What is under way: the datagrams that were sent, and the reliable messages that no acknowledgement names.
//!
//! A message that was lost goes out again in a datagram of a new number. The old number is remembered for as
//! long as the peer would remember it, so that a late acknowledgement still counts.

use super::super::number::{self, FIRST};
use super::super::ranges::Ranges;
use super::pace::Pace;
use super::queue::Queue;
use super::sent::{Sent, State};

/// Datagrams that are remembered; a peer's NAK and ACK never name older ones.
const MAX_HISTORY: usize = 512;

/// The span of message numbers that may be unacknowledged: a peer has as many places.
const MAX_UNACKED: u64 = 512;

/// How often a message goes out again because the peer asks. From there on only time sends it, or a peer could
/// have us send without end.
const MAX_ASKED: u8 = 8;

/// A reliable message that is not acknowledged.
#[derive(Debug)]
struct Unacked {
    frame: Box<[u8]>,
    /// How often the peer has asked for it.
    asked: u8,
}

/// The outgoing datagrams and reliable messages of one connection.
#[derive(Debug)]
pub(super) struct Flight {
    /// Number of the next datagram.
    next: u64,
    /// No datagram below is under way.
    oldest: u64,
    /// The last datagrams, up to `next`.
    history: Queue<Sent>,
    /// How many of them are under way.
    under_way: u16,
    /// The one after the newest that was acknowledged.
    heard_of: u64,
    /// Message number of the first of `unacked`.
    lowest: u64,
    /// Each is in exactly one datagram that is under way, or in `again`.
    unacked: Queue<Option<Unacked>>,
    /// Messages to be sent again, and some that were acknowledged in the meantime; never the first one.
    again: Queue<u64>,
    /// Datagrams that may go out above the window, each in place of one that the peer misses.
    instead: u16,
    /// Messages and parts that went out again.
    repeated: u32,
}

impl Flight {
    pub(super) fn new() -> Self {
        Self {
            next: FIRST,
            oldest: FIRST,
            history: Queue::new(),
            under_way: 0,
            heard_of: FIRST,
            lowest: FIRST,
            unacked: Queue::new(),
            again: Queue::new(),
            instead: 0,
            repeated: 0,
        }
    }

    /// Wire number of the next datagram.
    pub(super) fn next_raw(&self) -> u32 {
        number::raw(self.next)
    }

    /// Whether there is nothing that the peer has to acknowledge.
    pub(super) fn is_acked(&self) -> bool {
        self.unacked.is_empty()
    }

    /// Whether one more reliable message may be under way.
    pub(super) fn has_room(&self) -> bool {
        (self.unacked.len() as u64) < MAX_UNACKED
    }

    /// Whether the window lets a datagram go.
    pub(super) fn is_open(&self, pace: &Pace) -> bool {
        self.under_way < pace.window()
    }

    /// Whether something is to be sent again, and may.
    pub(super) fn may_repeat(&self, pace: &Pace) -> bool {
        !self.again.is_empty() && (self.instead > 0 || self.is_open(pace))
    }

    /// When something has been under way for too long: nanoseconds, `u64::MAX` for never.
    pub(super) fn deadline(&self, pace: &Pace) -> u64 {
        if self.under_way == 0 {
            return u64::MAX;
        }
        self.at(self.oldest)
            .and_then(|at| self.history.get(at))
            .map_or(u64::MAX, |sent| sent.at.saturating_add(pace.wait()))
    }

    /// Writes lost messages into the datagram that is being built, as many as fit.
    pub(super) fn repeat(&mut self, sent: &mut Sent, limit: usize, out: &mut Vec<u8>) {
        while let Some(&number) = self.again.front() {
            let at = number.checked_sub(self.lowest).map(|at| at as usize);
            if let Some(Some(message)) = at.and_then(|at| self.unacked.get(at)) {
                if out.len() + message.frame.len() > limit {
                    break;
                }
                out.extend_from_slice(&message.frame);
                sent.add(number);
                self.repeated = self.repeated.saturating_add(1);
            }
            self.again.pop_front();
        }
        self.skip_acked();
    }

    /// A reliable message goes into the datagram that is being built.
    pub(super) fn carry(&mut self, sent: &mut Sent, frame: Box<[u8]>) {
        sent.add(self.lowest + self.unacked.len() as u64);
        self.unacked.push_back(Some(Unacked { frame, asked: 0 }));
    }

    /// The datagram that was being built goes out.
    pub(super) fn depart(&mut self, sent: Sent, pace: &Pace) {
        if !self.is_open(pace) {
            self.instead = self.instead.saturating_sub(1);
        }
        if self.again.is_empty() {
            self.instead = 0;
        }
        if self.history.len() == MAX_HISTORY {
            // The peer has forgotten it.
            self.lose(self.next - MAX_HISTORY as u64);
            self.history.pop_front();
        }
        self.history.push_back(sent);
        self.under_way += 1;
        self.next += 1;
        self.find_oldest();
    }

    /// How many messages and parts went out again since this was asked last.
    pub(super) fn take_repeated(&mut self) -> u32 {
        std::mem::take(&mut self.repeated)
    }

    /// Takes an ACK in, and gives the bytes and the number of messages that are done with.
    pub(super) fn acknowledge(&mut self, ranges: &Ranges<'_>, now: u64, pace: &mut Pace) -> Freed {
        let window_was_used = self.under_way >= pace.window() / 2;
        let mut freed = Freed::default();
        let mut count = 0;
        let mut newest = None;
        for (lowest, highest) in ranges.iter() {
            let (from, to) = self.known(lowest, highest, self.first());
            for datagram in from..to {
                let Some(sent) = self.sent(datagram) else {
                    continue;
                };
                if sent.state == State::Acked {
                    continue;
                }
                let was_under_way = sent.state == State::UnderWay;
                sent.state = State::Acked;
                newest = newest.max(Some(sent.at));
                let messages = std::mem::take(&mut sent.messages);
                if was_under_way {
                    self.under_way -= 1;
                }
                count += 1;
                self.heard_of = self.heard_of.max(datagram + 1);
                for message in messages.iter() {
                    self.done(message, &mut freed);
                }
            }
        }
        if let Some(at) = newest {
            pace.acknowledged(count, now.saturating_sub(at), window_was_used);
            self.find_oldest();
            self.forget();
        }
        freed
    }

    /// Takes a NAK in: what it names goes out again at once.
    pub(super) fn miss(&mut self, ranges: &Ranges<'_>, pace: &mut Pace) {
        for (lowest, highest) in ranges.iter() {
            let (from, to) = self.known(lowest, highest, self.oldest);
            for datagram in from..to {
                if self.ask(datagram) {
                    self.lose(datagram);
                    self.instead = self.instead.saturating_add(1);
                    pace.missed(datagram, self.next);
                }
            }
        }
        self.find_oldest();
        self.forget();
    }

    /// Gives up on datagrams that have been under way for too long.
    pub(super) fn expire(&mut self, now: u64, pace: &mut Pace) {
        if self.deadline(pace) > now {
            return;
        }
        let (wait, oldest) = (pace.wait(), self.oldest);
        for datagram in oldest..self.next {
            match self.sent(datagram) {
                Some(sent) if sent.at.saturating_add(wait) <= now => self.lose(datagram),
                _ => break,
            }
        }
        if oldest < self.heard_of {
            // Newer ones arrived: this one was lost, or its acknowledgement was.
            pace.missed(oldest, self.next);
        } else {
            pace.timed_out(self.next);
        }
        self.instead = 0;
        self.find_oldest();
        self.forget();
    }

    /// Forgets what was sent. Numbers go on from where they are.
    pub(super) fn clear(&mut self) {
        self.lowest += self.unacked.len() as u64;
        self.unacked = Queue::new();
        self.again = Queue::new();
        self.history = Queue::new();
        self.under_way = 0;
        self.oldest = self.next;
        self.instead = 0;
    }

    /// Whether this datagram is under way and may be asked for once more.
    fn ask(&mut self, datagram: u64) -> bool {
        let lowest = self.lowest;
        let Some(at) = self.at(datagram) else {
            return false;
        };
        let Self {
            history, unacked, ..
        } = self;
        let Some(sent) = history.get(at).filter(|sent| sent.state == State::UnderWay) else {
            return false;
        };
        for number in sent.messages.iter() {
            let at = number.checked_sub(lowest).map(|at| at as usize);
            if let Some(Some(message)) = at.and_then(|at| unacked.get_mut(at)) {
                if message.asked >= MAX_ASKED {
                    return false;
                }
                message.asked += 1;
            }
        }
        true
    }

    /// A datagram is under way no more, and what only it carries has to go out again.
    fn lose(&mut self, datagram: u64) {
        let Some(at) = self.at(datagram) else { return };
        let Self {
            history,
            unacked,
            again,
            under_way,
            lowest,
            ..
        } = self;
        let Some(sent) = history.get_mut(at) else {
            return;
        };
        if sent.state != State::UnderWay {
            return;
        }
        sent.state = State::Lost;
        *under_way -= 1;
        for number in sent.messages.iter() {
            let at = number.checked_sub(*lowest).map(|at| at as usize);
            if let Some(Some(_)) = at.and_then(|at| unacked.get(at)) {
                again.push_back(number);
            }
        }
    }

    /// A message has arrived.
    fn done(&mut self, number: u64, freed: &mut Freed) {
        let Some(at) = number.checked_sub(self.lowest) else {
            return;
        };
        let message = self.unacked.get_mut(at as usize).and_then(Option::take);
        if let Some(message) = message {
            freed.messages += 1;
            freed.bytes += message.frame.len();
        }
    }

    /// Where a datagram stands in the history.
    fn at(&self, datagram: u64) -> Option<usize> {
        datagram.checked_sub(self.first()).map(|at| at as usize)
    }

    fn sent(&mut self, datagram: u64) -> Option<&mut Sent> {
        let at = self.at(datagram)?;
        self.history.get_mut(at)
    }

    /// The first datagram of the history.
    fn first(&self) -> u64 {
        self.next - self.history.len() as u64
    }

    /// The part of a range of wire numbers from `floor` to below `next`.
    fn known(&self, lowest: u32, highest: u32, floor: u64) -> (u64, u64) {
        let from = number::extend(lowest, self.next);
        let to = from + u64::from(highest - lowest) + 1;
        (from.max(floor), to.min(self.next))
    }

    fn find_oldest(&mut self) {
        self.oldest = self.oldest.max(self.first());
        while self.oldest < self.next {
            match self.sent(self.oldest) {
                Some(sent) if sent.state == State::UnderWay => break,
                _ => self.oldest += 1,
            }
        }
    }

    /// Lets go of what no acknowledgement can change any more.
    fn forget(&mut self) {
        while let Some(None) = self.unacked.front() {
            self.unacked.pop_front();
            self.lowest += 1;
        }
        self.skip_acked();
        let lowest = self.lowest;
        while let Some(sent) = self.history.front() {
            let over = match sent.state {
                State::UnderWay => false,
                State::Acked => true,
                State::Lost => sent.messages.iter().all(|number| number < lowest),
            };
            if !over {
                break;
            }
            self.history.pop_front();
        }
        if self.unacked.is_empty() {
            self.unacked = Queue::new();
            self.again = Queue::new();
            if self.under_way == 0 {
                self.history = Queue::new();
                self.oldest = self.next;
            }
        }
    }

    /// Keeps the promise of `again`.
    fn skip_acked(&mut self) {
        while let Some(&number) = self.again.front() {
            let at = number.checked_sub(self.lowest).map(|at| at as usize);
            if let Some(Some(_)) = at.and_then(|at| self.unacked.get(at)) {
                break;
            }
            self.again.pop_front();
        }
    }

    /// Heap bytes, without those of the messages.
    pub(super) fn memory(&self) -> usize {
        let messages: usize = self.history.iter().map(|sent| sent.messages.memory()).sum();
        self.history.capacity() * size_of::<Sent>()
            + self.unacked.capacity() * size_of::<Option<Unacked>>()
            + self.again.capacity() * size_of::<u64>()
            + messages
    }

    /// For tests of what happens when numbers wrap.
    pub(super) fn count_from(&mut self, datagram: u64, message: u64) {
        self.next = datagram;
        self.oldest = datagram;
        self.heard_of = datagram;
        self.lowest = message;
    }
}

/// What an ACK has settled.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Freed {
    pub(super) messages: usize,
    pub(super) bytes: usize,
}
