//! The trait that game rules implement, and what they can have done.

use crate::contract::{
    Broadcasting, Delivery, Description, Effect, Kicking, Message, Parting, Player, Reason,
    Sending, SessionId, UnixMillis,
};

/// What happens in a room. One value holds a room's state; calls come one at a time.
///
/// Every call returns what is to be done, in order. What a call that panics would have returned is
/// never done.
pub trait Rules: Sized {
    /// Begins a room, or takes it over: `saved` is what an earlier version [saved](Rules::save), and
    /// its players are still there. An error says in a sentence why the state can't be read, and the
    /// old version plays on.
    fn start(room: &str, saved: Option<&[u8]>) -> Result<(Self, Vec<Effect>), String>;

    /// A player is in: before anything that the player sends.
    fn on_join(&mut self, player: &Player) -> Vec<Effect>;

    /// A player has sent something.
    fn on_message(&mut self, from: SessionId, message: &Message) -> Vec<Effect>;

    /// A player is gone. Once for each who joined.
    fn on_leave(&mut self, session: SessionId, how: Parting) -> Vec<Effect>;

    /// Time passes: ten times a second while anyone is in the room.
    fn on_tick(&mut self, now: UnixMillis) -> Vec<Effect> {
        let _ = now;
        Vec::new()
    }

    /// The state, for a later version or after a trap. At most 16 MiB. Begin it with a version number:
    /// whoever reads it is another program.
    fn save(&self) -> Vec<u8>;

    /// What the module is. Name and version are those of its package where they are left open.
    fn describe() -> Description {
        Description::new()
    }
}

impl Effect {
    /// A message for one player.
    pub fn send(to: SessionId, message: Message) -> Effect {
        Effect::Send(Sending { to, message })
    }

    /// A message for everyone in the room.
    pub fn broadcast(message: Message) -> Effect {
        Effect::broadcast_except([], message)
    }

    /// A message for everyone in the room but some.
    pub fn broadcast_except(
        except: impl IntoIterator<Item = SessionId>,
        message: Message,
    ) -> Effect {
        Effect::Broadcast(Broadcasting {
            except: except.into_iter().collect(),
            message,
        })
    }

    /// Ends a player's session.
    pub fn kick(session: SessionId, reason: Reason) -> Effect {
        Effect::Kick(Kicking { session, reason })
    }

    /// Closes the room to new players.
    pub fn close(reason: Reason) -> Effect {
        Effect::Close(reason)
    }

    /// Takes new players again.
    pub fn open() -> Effect {
        Effect::Open
    }

    /// A line for the operator's log.
    pub fn say(text: impl Into<String>) -> Effect {
        Effect::Say(text.into())
    }
}

impl Message {
    /// Game data on channel 0 that arrives once and in order, where the protocol can do that: `rtyp` sends
    /// nothing again.
    pub fn ordered(data: impl Into<Vec<u8>>) -> Message {
        Message::new(data, Delivery::Ordered)
    }

    /// Game data on channel 0 that travels as stated. A protocol without the kind asked for uses the
    /// nearest that it has.
    pub fn new(data: impl Into<Vec<u8>>, delivery: Delivery) -> Message {
        Message {
            data: data.into(),
            delivery,
            channel: 0,
        }
    }

    /// On a channel of the protocol.
    pub fn on_channel(mut self, channel: u8) -> Message {
        self.channel = channel;
        self
    }
}
