//! The trait that game rules implement, their effects, and how they are exported.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::bindings::rules::exports::usher::policy::rules as wit;
use crate::{
    Broadcasting, Delivery, Description, Effect, Kicking, Message, Parting, Player, Reason,
    Sending, SessionId, UnixMillis, panic,
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
    /// Game data on channel 0 that arrives once and in order.
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

/// Exports [`Rules`] as this module's. Once in a crate, whose type is `cdylib`.
#[macro_export]
macro_rules! export_rules {
    ($rules:ty) => {
        #[doc(hidden)]
        #[allow(unsafe_code)]
        const _: () = {
            struct Module;

            impl $crate::__private::RulesModule for Module {
                type Rules = $rules;
                const NAME: &'static str = env!("CARGO_PKG_NAME");
                const VERSION: &'static str = env!("CARGO_PKG_VERSION");

                fn state() -> &'static ::std::thread::LocalKey<$crate::__private::State<$rules>> {
                    ::std::thread_local! {
                        static STATE: $crate::__private::State<$rules> = const {
                            ::std::cell::RefCell::new(None)
                        };
                    }
                    &STATE
                }
            }

            #[allow(dead_code)] // Natively nothing is exported, but a type that has no rules must show.
            type Exported = $crate::__private::ExportedRules<Module>;

            #[cfg(target_arch = "wasm32")]
            $crate::bindings::rules::export_rules_bindings!(
                Exported with_types_in $crate::bindings::rules
            );
        };
    };
}

/// Where an instance keeps its room: nothing before `start`.
#[doc(hidden)]
pub type State<R> = RefCell<Option<R>>;

/// What [`export_rules!`] knows about the crate that it stands in.
#[doc(hidden)]
pub trait RulesModule {
    type Rules: Rules + 'static;
    const NAME: &'static str;
    const VERSION: &'static str;

    fn state() -> &'static std::thread::LocalKey<State<Self::Rules>>;

    /// Runs a call on the room's state.
    fn with<T>(call: impl FnOnce(&mut Self::Rules) -> T) -> T {
        panic::install_hook();
        Self::state().with_borrow_mut(|state| {
            call(
                state
                    .as_mut()
                    .expect("the host calls start before anything else"),
            )
        })
    }
}

/// The contract's exports, made of rules.
#[doc(hidden)]
#[derive(Debug)]
pub struct ExportedRules<M>(PhantomData<M>);

impl<M: RulesModule> wit::Guest for ExportedRules<M> {
    fn start(room: String, saved: Option<Vec<u8>>) -> Result<Vec<Effect>, String> {
        panic::install_hook();
        let (rules, effects) = M::Rules::start(&room, saved.as_deref())?;
        M::state().set(Some(rules));
        Ok(effects)
    }

    fn on_join(player: Player) -> Vec<Effect> {
        M::with(|rules| rules.on_join(&player))
    }

    fn on_message(from: SessionId, message: Message) -> Vec<Effect> {
        M::with(|rules| rules.on_message(from, &message))
    }

    fn on_leave(session: SessionId, how: Parting) -> Vec<Effect> {
        M::with(|rules| rules.on_leave(session, how))
    }

    fn on_tick(now: UnixMillis) -> Vec<Effect> {
        M::with(|rules| rules.on_tick(now))
    }

    fn save() -> Vec<u8> {
        M::with(|rules| rules.save())
    }

    fn describe() -> Description {
        panic::install_hook();
        M::Rules::describe().or_package(M::NAME, M::VERSION)
    }
}
