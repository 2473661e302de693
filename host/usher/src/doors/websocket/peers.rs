//! The way from the core and the rules to the connection of each peer.

use super::backlog::{Backlog, Forbearance};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, mpsc};
use usher_core::{Grant, Reason, RequestId, SessionEnd, SessionId};
use usher_runtime::{Delivery, Message};

/// What a connection is told, in the order in which it happened.
#[derive(Debug)]
pub(super) enum Told {
    Status {
        text: Arc<[u8]>,
        position: Option<u32>,
    },
    Refused {
        reason: Reason,
        at_knock: bool,
    },
    Accepted(Grant),
    /// The rules know it.
    Joined,
    /// A message of the game.
    Data(Arc<[u8]>),
    Ended(SessionEnd),
}

/// All of them at one door.
#[derive(Clone)]
pub(super) struct Peers {
    all: Arc<Mutex<All>>,
    /// How many bytes may wait for one of them.
    bound: usize,
    /// With all who do not keep up.
    patience: Forbearance,
}

#[derive(Default)]
struct All {
    requests: HashMap<RequestId, Arc<Known>>,
    sessions: HashMap<SessionId, Arc<Known>>,
    /// Bytes of those who are not decided about.
    undecided: u64,
}

struct Known {
    to: mpsc::UnboundedSender<Told>,
    /// For bytes of the game that were not handed to the system yet.
    backlog: Backlog,
    /// It was promised something that it does not get any more.
    overflow: Notify,
}

/// The connection's end, until it is dropped.
pub(super) struct Peer {
    all: Peers,
    request: RequestId,
    known: Arc<Known>,
    from: mpsc::UnboundedReceiver<Told>,
    payload: u64,
}

/// What became of a message for a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sent {
    /// It is on its way.
    Yes,
    /// Nobody is there.
    Nobody,
    /// The player does not keep up.
    Full,
}

impl Peers {
    pub(super) fn new(bound: usize) -> Peers {
        Peers {
            all: Arc::default(),
            bound,
            patience: Forbearance::default(),
        }
    }

    /// A connection whose request the core is about to be told of, with a payload of so many bytes.
    pub(super) fn enter(&self, request: RequestId, payload: usize) -> Peer {
        let (to, from) = mpsc::unbounded_channel();
        let known = Arc::new(Known {
            to,
            backlog: Backlog::new(self.bound),
            overflow: Notify::new(),
        });
        let payload = payload as u64;
        let mut all = self.lock();
        all.requests.insert(request, known.clone());
        all.undecided += payload;
        drop(all);
        Peer {
            all: self.clone(),
            request,
            known,
            from,
            payload,
        }
    }

    /// Tells a connection, if it is still there.
    pub(super) fn tell(&self, request: RequestId, told: Told) {
        if let Some(known) = self.lock().requests.get(&request) {
            // It may be about to leave.
            let _ = known.to.send(told);
        }
    }

    /// Tells a connection that it has a session.
    pub(super) fn seat(&self, request: RequestId, grant: Grant) {
        let mut all = self.lock();
        // One that has just gone needs none; the core will hear of it next.
        if let Some(known) = all.requests.get(&request).cloned() {
            let session = grant.session;
            let _ = known.to.send(Told::Accepted(grant));
            all.sessions.insert(session, known);
        }
    }

    /// Tells a connection that its session is over.
    pub(super) fn unseat(&self, request: RequestId, session: SessionId, how: SessionEnd) {
        self.lock().sessions.remove(&session);
        self.tell(request, Told::Ended(how));
    }

    /// Sends a message of the game, in order behind everything else, unless too much waits. For what was promised
    /// this waits a while, and a player that does not get it is notified of that, and to be ended. May block.
    pub(super) fn send(&self, to: SessionId, message: Message) -> Sent {
        let Some(known) = self.lock().sessions.get(&to).cloned() else {
            return Sent::Nobody;
        };
        let length = message.data.len();
        if !known.backlog.take(length) {
            let promised = matches!(message.delivery, Delivery::Reliable | Delivery::Ordered);
            if !promised {
                return Sent::Full;
            }
            if !known.backlog.await_and_take(length, &self.patience) {
                known.overflow.notify_one();
                return Sent::Full;
            }
        }
        match known.to.send(Told::Data(message.data)) {
            Ok(()) => Sent::Yes,
            Err(_) => Sent::Nobody,
        }
    }

    /// How many there are, and how many bytes of those who are not decided about.
    pub(super) fn count(&self) -> (u32, u64) {
        let all = self.lock();
        // Each has a file descriptor.
        let peers = u32::try_from(all.requests.len()).unwrap_or(u32::MAX);
        (peers, all.undecided)
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        // Nothing panics between two steps that belong together.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Peer {
    pub(super) fn request(&self) -> RequestId {
        self.request
    }

    /// What the core or the rules have to say, unless it is not to be `heard` now; `None` as soon as it does
    /// not get what it was promised. Safe to cancel.
    pub(super) async fn told(&mut self, heard: bool) -> Option<Told> {
        tokio::select! {
            biased;
            () = self.known.overflow.notified() => None,
            // A sender is kept here for as long as this end lives, so there is always something to come.
            Some(told) = self.from.recv(), if heard => Some(told),
        }
    }

    /// The same, if there is something at once.
    pub(super) fn told_already(&mut self) -> Option<Told> {
        self.from.try_recv().ok()
    }

    /// So many bytes of the game are with the system now.
    pub(super) fn sent(&self, bytes: usize) {
        self.known.backlog.give_back(bytes);
    }

    /// It is decided about.
    pub(super) fn decided(&mut self) {
        let payload = std::mem::take(&mut self.payload);
        self.all.lock().undecided -= payload;
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.known.backlog.close();
        let mut all = self.all.lock();
        all.undecided -= self.payload;
        all.requests.remove(&self.request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(session: u64) -> Grant {
        Grant {
            session: SessionId(session),
            token: None,
            number: None,
            name: "R9".into(),
            room: "main".into(),
            config: [].into(),
        }
    }

    fn message(delivery: Delivery, length: usize) -> Message {
        Message {
            delivery,
            channel: 0,
            data: vec![0; length].into(),
        }
    }

    fn has_overflowed(peer: &mut Peer) -> bool {
        let told = std::pin::pin!(peer.told(false));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        told.poll(&mut context).is_ready()
    }

    #[test]
    fn what_may_be_lost_is_lost_and_what_was_promised_ends_who_does_not_keep_up() {
        let peers = Peers::new(100);
        let mut peer = peers.enter(RequestId(1), 10);
        let session = SessionId(7);
        assert_eq!(
            peers.send(session, message(Delivery::Ordered, 1)),
            Sent::Nobody
        );
        peers.seat(RequestId(1), grant(7));
        assert_eq!(
            peers.send(session, message(Delivery::Ordered, 60)),
            Sent::Yes
        );
        assert_eq!(
            peers.send(session, message(Delivery::Unreliable, 41)),
            Sent::Full
        );
        assert!(!has_overflowed(&mut peer));
        assert_eq!(
            peers.send(session, message(Delivery::Unreliable, 40)),
            Sent::Yes
        );
        peer.sent(60);
        assert_eq!(
            peers.send(session, message(Delivery::Reliable, 60)),
            Sent::Yes
        );
        assert!(!has_overflowed(&mut peer));
        assert_eq!(
            peers.send(session, message(Delivery::Reliable, 1)),
            Sent::Full
        );
        assert!(has_overflowed(&mut peer));
        assert!(matches!(peer.told_already(), Some(Told::Accepted(_))));
        peers.unseat(RequestId(1), session, SessionEnd::Left);
        assert_eq!(
            peers.send(session, message(Delivery::Ordered, 1)),
            Sent::Nobody
        );
    }

    #[test]
    fn nothing_is_left_of_one_that_is_gone() {
        let peers = Peers::new(100);
        let mut peer = peers.enter(RequestId(1), 10);
        let other = peers.enter(RequestId(2), 5);
        assert_eq!(peers.count(), (2, 15));
        peer.decided();
        assert_eq!(peers.count(), (2, 5));
        drop((peer, other));
        assert_eq!(peers.count(), (0, 0));
        peers.seat(RequestId(1), grant(7));
        assert!(
            peers.lock().sessions.is_empty(),
            "it went before it could know"
        );
    }
}
