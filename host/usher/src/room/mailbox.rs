//! How others reach the room.

use crate::core_loop::{RoomEvent, RoomLink};
use crate::inbox::{self, Full, Receiver, Sender};
use crate::quota::Quota;
use std::sync::Arc;
use tokio::sync::oneshot;
use usher_core::SessionId;
use usher_runtime::Message;

/// How many messages of players may wait for the rules, and how many bytes of them. At 60 a second from each of
/// 250 players, what rules have to take up within a quarter of a second.
const MESSAGES_WAITING: usize = 4096;
const BYTES_WAITING: usize = 32 << 20;

/// What waits for the room.
pub(super) enum Mail {
    /// Someone came or went.
    Event(RoomEvent),
    /// Players sent something, in this order.
    Messages(Vec<(SessionId, Message)>),
    /// Other rules are current: take the room over. Answered with what came of it.
    Swap(oneshot::Sender<Result<(), String>>),
}

/// Reaches the room from anywhere. Cheap to clone; never blocks.
#[derive(Clone)]
pub struct Mailbox {
    to: Sender<Mail>,
    waiting: Arc<Waiting>,
}

/// Where the room takes its mail from.
pub struct Mails {
    pub(super) from: Receiver<Mail>,
    pub(super) waiting: Arc<Waiting>,
}

/// What waits for the rules.
pub(super) struct Waiting {
    messages: Quota,
    bytes: Quota,
}

/// What one thread has for the rules: messages are put together, and handed over in one piece, so that the
/// room is woken once for all of them.
pub struct Bundle {
    mailbox: Mailbox,
    messages: Vec<(SessionId, Message)>,
}

/// A mailbox, and what the room is to be run on.
pub fn mailbox() -> (Mailbox, Mails) {
    // Nothing is offered there: how much waits is counted here, by the piece.
    let (to, from) = inbox::inbox(0);
    let waiting = Arc::new(Waiting {
        messages: Quota::new(MESSAGES_WAITING),
        bytes: Quota::new(BYTES_WAITING),
    });
    let mailbox = Mailbox {
        to,
        waiting: waiting.clone(),
    };
    (mailbox, Mails { from, waiting })
}

impl Mailbox {
    /// A player sent something.
    ///
    /// # Errors
    ///
    /// [`Full`] when the rules cannot keep up, or there are none.
    pub fn message(&self, from: SessionId, message: Message) -> Result<(), Full> {
        self.admit(&message)?;
        self.to.put(Mail::Messages(vec![(from, message)]));
        Ok(())
    }

    /// For a thread that has many messages in a turn.
    pub fn bundle(self) -> Bundle {
        Bundle {
            mailbox: self,
            messages: Vec::new(),
        }
    }

    /// Whether nobody will ever take up what is put in: there are no rules.
    pub fn is_closed(&self) -> bool {
        self.to.is_closed()
    }

    /// Has the room taken over by the rules that are current now. Blocks until that is done; the error
    /// says why the old ones play on.
    pub fn swap(&self) -> Result<(), String> {
        let (to, from) = oneshot::channel();
        self.to.put(Mail::Swap(to));
        from.blocking_recv()
            .unwrap_or_else(|_| Err("the room is closed".to_owned()))
    }

    /// Makes room for a message.
    fn admit(&self, message: &Message) -> Result<(), Full> {
        let Waiting { messages, bytes } = &*self.waiting;
        if self.is_closed() || !messages.take(1) {
            return Err(Full);
        }
        if !bytes.take(message.data.len()) {
            messages.give_back(1);
            return Err(Full);
        }
        Ok(())
    }
}

impl Bundle {
    /// A player sent something; it goes with the next [`send`](Bundle::send).
    ///
    /// # Errors
    ///
    /// [`Full`] when the rules cannot keep up, or there are none.
    pub fn add(&mut self, from: SessionId, message: Message) -> Result<(), Full> {
        self.mailbox.admit(&message)?;
        self.messages.push((from, message));
        Ok(())
    }

    /// Hands over what was added.
    pub fn send(&mut self) {
        if !self.messages.is_empty() {
            // The next one is likely to be as large.
            let next = Vec::with_capacity(self.messages.len());
            let messages = std::mem::replace(&mut self.messages, next);
            self.mailbox.to.put(Mail::Messages(messages));
        }
    }

    /// Whether nobody will ever take up what is added.
    pub fn is_closed(&self) -> bool {
        self.mailbox.is_closed()
    }
}

impl Waiting {
    /// So many messages, of so many bytes, wait no more.
    pub(super) fn give_back(&self, messages: usize, bytes: usize) {
        self.messages.give_back(messages);
        self.bytes.give_back(bytes);
    }
}

impl RoomLink for Mailbox {
    fn tell(&self, event: RoomEvent) {
        self.to.put(Mail::Event(event));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usher_runtime::Delivery;

    fn message(length: usize) -> Message {
        Message {
            data: vec![7; length].into(),
            delivery: Delivery::Unreliable,
            channel: 0,
        }
    }

    #[test]
    fn what_waits_is_bounded_in_number_and_in_bytes_whoever_brings_it() {
        let (mailbox, mut mails) = mailbox();
        let mut bundle = mailbox.clone().bundle();
        for _ in 1..MESSAGES_WAITING {
            assert_eq!(bundle.add(SessionId(1), message(1)), Ok(()));
        }
        assert_eq!(mailbox.message(SessionId(2), message(1)), Ok(()));
        assert_eq!(bundle.add(SessionId(1), message(1)), Err(Full));
        mails.waiting.give_back(2, 2);
        assert_eq!(bundle.add(SessionId(1), message(BYTES_WAITING)), Err(Full));
        assert_eq!(bundle.add(SessionId(1), message(1)), Ok(()));
        assert_eq!(mailbox.message(SessionId(2), message(1)), Ok(()));
        assert_eq!(mailbox.message(SessionId(2), message(1)), Err(Full));
        bundle.send();
        let waits = std::iter::from_fn(|| mails.from.try_next());
        let counts: Vec<_> = waits
            .map(|mail| match mail {
                Mail::Messages(messages) => messages.len(),
                _ => 0,
            })
            .collect();
        assert_eq!(counts, [1, 1, MESSAGES_WAITING]);
    }

    #[test]
    fn nothing_is_taken_where_there_are_no_rules() {
        let (mailbox, mails) = mailbox();
        drop(mails);
        assert!(mailbox.is_closed());
        assert_eq!(mailbox.message(SessionId(1), message(1)), Err(Full));
        let mut bundle = mailbox.bundle();
        assert_eq!(bundle.add(SessionId(1), message(1)), Err(Full));
    }
}
