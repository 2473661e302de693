//! Where what players send goes: to the rules of a room, or to a game server behind the doors.

use crate::inbox::Full;
use crate::relay::{Lines, Relay};
use crate::room::{Bundle, Mailbox};
use std::io;
use std::sync::Arc;
use usher_core::SessionId;
use usher_runtime::{Delivery, Message};

/// The game, as a door is given it.
#[derive(Clone)]
pub enum Game {
    /// A room, whose rules take messages, or none where there are no rules.
    Rules(Mailbox),
    /// A game server.
    Relay(Relay),
}

impl Game {
    /// The game for a door that has one thread for all of its players. Must be called within the runtime of
    /// that thread.
    ///
    /// # Errors
    ///
    /// What the system says when it has no file to give.
    pub(in crate::doors) fn outlet(self, door: &Arc<str>) -> io::Result<Outlet> {
        Ok(match self {
            Game::Rules(mailbox) => Outlet::Rules(mailbox.bundle()),
            Game::Relay(relay) => Outlet::Relay(Box::new(Lines::new(relay, door.clone())?)),
        })
    }
}

/// The game, for the thread that has all players of a door.
#[derive(Default)]
pub(in crate::doors) enum Outlet {
    /// What players send is dropped.
    #[default]
    Nowhere,
    Rules(Bundle),
    Relay(Box<Lines>),
}

impl Outlet {
    /// Whether nobody will ever take up what players send.
    pub(in crate::doors) fn is_closed(&self) -> bool {
        match self {
            Outlet::Nowhere => true,
            Outlet::Rules(bundle) => bundle.is_closed(),
            Outlet::Relay(_) => false,
        }
    }

    /// A player is in. False: it cannot play, and its session is to end.
    #[must_use]
    pub(in crate::doors) fn join(&mut self, session: SessionId) -> bool {
        match self {
            // The core tells them.
            Outlet::Nowhere | Outlet::Rules(_) => true,
            Outlet::Relay(lines) => lines.open(session),
        }
    }

    /// A player is gone.
    pub(in crate::doors) fn leave(&mut self, session: SessionId) {
        if let Outlet::Relay(lines) = self {
            lines.close(session);
        }
    }

    /// A player sent something. Rules may get it with the next [`flush`](Outlet::flush).
    ///
    /// # Errors
    ///
    /// [`Full`] when the rules cannot keep up, or there are none. To a game server nothing is promised.
    pub(in crate::doors) fn offer(
        &mut self,
        from: SessionId,
        bytes: &[u8],
        delivery: Delivery,
        channel: u8,
    ) -> Result<(), Full> {
        match self {
            Outlet::Nowhere => Err(Full),
            Outlet::Rules(bundle) => bundle.add(
                from,
                Message {
                    data: bytes.into(),
                    delivery,
                    channel,
                },
            ),
            Outlet::Relay(lines) => {
                lines.send(from, bytes);
                Ok(())
            }
        }
    }

    /// Hands on what was offered. To be called at the end of a turn, and before anything is said of a player
    /// that the rules are to hear behind its messages.
    pub(in crate::doors) fn flush(&mut self) {
        if let Outlet::Rules(bundle) = self {
            bundle.send();
        }
    }

    /// Until there may be something to [`hear`](Outlet::hear). Safe to cancel.
    pub(in crate::doors) async fn readable(&mut self) -> io::Result<()> {
        match self {
            // They say what they say by way of the door's orders.
            Outlet::Nowhere | Outlet::Rules(_) => std::future::pending().await,
            Outlet::Relay(lines) => lines.readable().await,
        }
    }

    /// Whether there may be something to hear already.
    pub(in crate::doors) fn is_readable(&mut self) -> bool {
        match self {
            Outlet::Nowhere | Outlet::Rules(_) => false,
            Outlet::Relay(lines) => lines.is_readable(),
        }
    }

    /// Gives what the game server said to `take`, and how it is to travel; a bounded part of it.
    pub(in crate::doors) fn hear(&mut self, mut take: impl FnMut(SessionId, &[u8], Delivery)) {
        if let Outlet::Relay(lines) = self {
            let delivery = lines.delivery();
            lines.receive(HEARD, |session, bytes| take(session, bytes, delivery));
        }
    }

    /// Whether the metrics are to be told something.
    pub(in crate::doors) fn has_news(&self) -> bool {
        match self {
            Outlet::Nowhere | Outlet::Rules(_) => false,
            Outlet::Relay(lines) => lines.has_news(),
        }
    }

    /// Tells the metrics what was counted.
    pub(in crate::doors) fn hand_on(&mut self) {
        if let Outlet::Relay(lines) = self {
            lines.hand_on();
        }
    }
}

/// How much of what a game server says is taken up in a turn: what a door sends in few calls.
const HEARD: usize = 256;
