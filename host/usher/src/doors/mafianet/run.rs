//! The door's thread: it waits for datagrams, orders and time, and does a bounded part of each in turn.
//!
//! A turn takes one batch of datagrams, some orders and some peers whose time has come, and then sends all
//! that follows from it in few calls. So nobody waits longer than a turn, however much of anything comes,
//! and those who play share their thread with no policy, no rules and no core. Between turns it may look away for
//! a moment ([`Gather`]).

use super::doorman::{Doorman, Post};
use super::drops::Cause;
use super::gather::Gather;
use super::orders::Order;
use super::status::Shared;
use crate::clock::Clock;
use crate::doors::socket::path::Path;
use crate::doors::socket::{Batch, Socket};
use crate::inbox::Receiver;
use std::io::ErrorKind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};

/// How many orders are taken up in a turn.
const ORDERS: usize = 512;

/// How often drops are handed on to the metrics.
const HAND_ON: Duration = Duration::from_millis(250);

/// How soon rules that could not keep up are tried again.
const RETRY: Duration = Duration::from_millis(10);

/// How long peers have to hear their last word once the door closes.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// After a failure of the socket, before it is tried again.
const BACK_OFF: Duration = Duration::from_millis(250);

pub(super) struct Runner {
    pub(super) doorman: Doorman,
    pub(super) socket: Socket,
    pub(super) orders: Receiver<Order>,
    pub(super) clock: Clock,
    pub(super) shared: Arc<Shared>,
    pub(super) gather: Gather,
    /// Drops are handed on then.
    pub(super) hand_on: Duration,
    /// When the door ends, once it closes.
    pub(super) closes: Option<Duration>,
}

/// What is there to do after a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Nothing, until something comes or is due.
    Wait,
    /// What came last was not all.
    GoOn,
    /// More is to gather first, for as long.
    Pause(Duration),
}

impl Post for Socket {
    fn post(&mut self, path: Path, bytes: &[u8]) {
        Socket::post(self, path, bytes);
    }
}

impl Runner {
    /// Runs until the door is closed or gone.
    pub(super) async fn run(mut self) {
        let mut batch = Batch::new();
        let mut next = Next::Wait;
        loop {
            if let Next::Pause(pause) = next {
                // Nothing else runs on this thread, and a timer of the runtime is ten times as coarse.
                thread::sleep(pause);
            }
            if next == Next::Wait {
                let wake = self.wake();
                tokio::select! {
                    order = self.orders.next() => match order {
                        Some(order) => self.obey(order, self.clock.elapsed()),
                        None => return,
                    },
                    ready = self.socket.readable() => if let Err(error) = ready {
                        tracing::warn!("datagrams cannot be received: {error}");
                        sleep(BACK_OFF).await;
                    },
                    ready = self.doorman.game.readable() => if let Err(error) = ready {
                        tracing::warn!("the game server cannot be heard: {error}");
                        sleep(BACK_OFF).await;
                    },
                    () = sleep_until(wake) => {}
                }
            } else {
                // The system is asked for news, and nothing is waited for.
                yield_now().await;
            }
            next = self.turn(&mut batch);
            if self.is_over() {
                self.doorman.hand_on();
                return;
            }
        }
    }

    /// When something is due, if nothing comes before.
    fn wake(&self) -> Instant {
        /// Where nothing is due: so far away that it never comes.
        const NEVER: Duration = Duration::from_secs(24 * 60 * 60);
        let hand_on = self.doorman.has_news().then_some(self.hand_on);
        let stalled = self.doorman.is_stalled();
        let retry = stalled.then(|| self.clock.elapsed() + RETRY);
        let bans = self.doorman.bans_due();
        let due = [
            self.doorman.timers.next(),
            self.doorman.peers.due(),
            hand_on,
            retry,
            bans,
            self.closes,
        ];
        let due = due.into_iter().flatten().min();
        self.clock
            .instant_at(due.unwrap_or_else(|| self.clock.elapsed() + NEVER))
    }

    fn turn(&mut self, batch: &mut Batch) -> Next {
        let mut left = ORDERS;
        let now = self.clock.elapsed();
        while left > 0
            && let Some(order) = self.orders.try_next()
        {
            left = left.saturating_sub(order.weight());
            self.obey(order, now);
        }
        // What comes is judged by the list of this moment, and before anyone is given up for silence: what
        // was said may lie in the socket.
        self.doorman.look_for_bans(now);
        let received = self.receive(batch);
        let now = self.clock.elapsed();
        self.doorman.hear_game(now);
        self.doorman.tick(now);
        let untold = self.doorman.tell(now);
        // While what is posted is sent, the core can be at it.
        self.doorman.core.flush();
        let settled = self.doorman.settle(now, &mut self.socket);
        self.doorman.game.flush();
        let lost = self.socket.flush();
        self.doorman.drops.count_many(Cause::SendFailed, lost);
        self.doorman.core.flush();
        self.report(now);
        let more = left == 0
            || untold
            || !settled
            || self.doorman.has_unchecked()
            || self.doorman.game.is_readable();
        if more { Next::GoOn } else { received }
    }

    /// Receives what is there, at most a batch, and says when to look again.
    fn receive(&mut self, batch: &mut Batch) -> Next {
        match self.socket.receive(batch) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Next::Wait,
            Err(error) => {
                tracing::debug!("datagrams cannot be received: {error}");
                return Next::Wait;
            }
        }
        let now = self.clock.elapsed();
        self.gather.begin();
        for (path, bytes) in batch.datagrams() {
            let haste = self.doorman.take(path, bytes, now, &mut self.socket);
            self.gather.took(haste, now);
        }
        if batch.is_full() {
            Next::GoOn
        } else if let Some(pause) = self.gather.pause(now) {
            Next::Pause(pause)
        } else {
            self.socket.wait_for_more();
            Next::Wait
        }
    }

    fn obey(&mut self, order: Order, now: Duration) {
        if let Order::Close = order {
            self.closes = Some(now + LAST_WORDS);
            return;
        }
        self.doorman.obey(order, now, &mut self.socket);
    }

    fn report(&mut self, now: Duration) {
        let shed = self.shared.take_shed();
        self.doorman.drops.count_many(Cause::QueueFull, shed);
        self.shared.publish(&self.doorman.peers.counts());
        if now >= self.hand_on {
            self.doorman.hand_on();
            self.hand_on = now + HAND_ON;
        }
    }

    fn is_over(&self) -> bool {
        self.closes
            .is_some_and(|closes| self.doorman.peers.is_empty() || self.clock.elapsed() >= closes)
    }
}
