//! How others reach the room.

use crate::core_loop::{RoomEvent, RoomLink};
use crate::inbox::{self, Full, Receiver, Sender};
use tokio::sync::oneshot;
use usher_core::SessionId;
use usher_runtime::Message;

/// How many messages of players may wait for the rules. At 60 a second from each of 64 players, what
/// rules have to take up within a quarter of a second.
const MESSAGES_WAITING: usize = 1024;

/// What waits for the room.
pub(super) enum Mail {
    /// Someone came or went.
    Event(RoomEvent),
    /// Someone sent something.
    Message(SessionId, Message),
    /// Other rules are current: take the room over. Answered with what came of it.
    Swap(oneshot::Sender<Result<(), String>>),
}

/// Reaches the room from anywhere. Cheap to clone; never blocks.
#[derive(Clone)]
pub struct Mailbox(Sender<Mail>);

/// Where the room takes its mail from.
pub struct Mails(pub(super) Receiver<Mail>);

/// A mailbox, and what the room is to be run on.
pub fn mailbox() -> (Mailbox, Mails) {
    let (to, from) = inbox::inbox(MESSAGES_WAITING);
    (Mailbox(to), Mails(from))
}

impl Mailbox {
    /// A player sent something.
    ///
    /// # Errors
    ///
    /// [`Full`] when the rules cannot keep up, or there are none.
    pub fn message(&self, from: SessionId, message: Message) -> Result<(), Full> {
        self.0.offer(Mail::Message(from, message))
    }

    /// Whether nobody will ever take up what is put in: there are no rules.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Has the room taken over by the rules that are current now. Blocks until that is done; the error
    /// says why the old ones play on.
    pub fn swap(&self) -> Result<(), String> {
        let (to, from) = oneshot::channel();
        self.0.put(Mail::Swap(to));
        from.blocking_recv()
            .unwrap_or_else(|_| Err("the room is closed".to_owned()))
    }
}

impl RoomLink for Mailbox {
    fn tell(&self, event: RoomEvent) {
        self.0.put(Mail::Event(event));
    }
}
