//! How a policy or rules become a module's exports: what the export macros expand to.
//!
//! Public for the macros' sake only; the macros are the interface.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::bindings::admission::exports::usher::policy::admission;
use crate::bindings::rules::exports::usher::policy::rules;
use crate::contract::{
    Command, Description, Effect, Ending, Message, Parting, Player, SessionId, UnixMillis, Verdict,
    Waiter,
};
use crate::facts::Facts;
use crate::panic;
use crate::policy::Policy;
use crate::rules::Rules;
use crate::tell::tell;
use crate::unwritten;

/// Exports a [`Policy`](crate::Policy) as this module's. Once in a crate, whose type is `cdylib`.
#[macro_export]
macro_rules! export_policy {
    ($policy:ty) => {
        #[doc(hidden)]
        #[allow(unsafe_code)]
        const _: () = {
            struct Module;

            impl $crate::export::PolicyModule for Module {
                type Policy = $policy;
                const NAME: &'static str = env!("CARGO_PKG_NAME");
                const VERSION: &'static str = env!("CARGO_PKG_VERSION");
            }

            // Natively nothing is exported, but the types are checked, and count as used.
            #[allow(dead_code)]
            type Exported = $crate::export::ExportedPolicy<Module>;

            #[cfg(target_arch = "wasm32")]
            $crate::bindings::admission::export_admission_bindings!(
                Exported with_types_in $crate::bindings::admission
            );
        };
    };
}

/// What [`export_policy!`] knows about the crate that it stands in.
pub trait PolicyModule {
    type Policy: Policy;
    const NAME: &'static str;
    const VERSION: &'static str;
}

/// The contract's exports, made of a policy.
#[derive(Debug)]
pub struct ExportedPolicy<M>(PhantomData<M>);

impl<M: PolicyModule> admission::Guest for ExportedPolicy<M> {
    fn on_connect_request(request: admission::Request) -> admission::Decided {
        panic::install_hook();
        let facts = Facts::of_this_call();
        let decided = M::Policy::on_connect_request(&request.into(), &facts);
        tell(decided.unwrap_or_else(Verdict::from))
    }

    fn on_waiting(waiters: Vec<Waiter>) -> Vec<Option<Vec<u8>>> {
        panic::install_hook();
        waiters.iter().map(M::Policy::on_waiting).collect()
    }

    fn on_ended(request: admission::Request, how: Ending) -> Option<Vec<Command>> {
        panic::install_hook();
        let commands = M::Policy::on_ended(&request.into(), &how);
        (!unwritten::was_called()).then_some(commands)
    }

    fn describe() -> Description {
        panic::install_hook();
        M::Policy::describe().or_package(M::NAME, M::VERSION)
    }
}

/// Exports [`Rules`](crate::Rules) as this module's. Once in a crate, whose type is `cdylib`.
#[macro_export]
macro_rules! export_rules {
    ($rules:ty) => {
        #[doc(hidden)]
        #[allow(unsafe_code)]
        const _: () = {
            struct Module;

            impl $crate::export::RulesModule for Module {
                type Rules = $rules;
                const NAME: &'static str = env!("CARGO_PKG_NAME");
                const VERSION: &'static str = env!("CARGO_PKG_VERSION");

                fn state() -> &'static ::std::thread::LocalKey<$crate::export::State<$rules>> {
                    ::std::thread_local! {
                        static STATE: $crate::export::State<$rules> = const {
                            ::std::cell::RefCell::new(None)
                        };
                    }
                    &STATE
                }
            }

            // Natively nothing is exported, but the types are checked, and count as used.
            #[allow(dead_code)]
            type Exported = $crate::export::ExportedRules<Module>;

            #[cfg(target_arch = "wasm32")]
            $crate::bindings::rules::export_rules_bindings!(
                Exported with_types_in $crate::bindings::rules
            );
        };
    };
}

/// Where an instance keeps its room: nothing before `start`.
pub type State<R> = RefCell<Option<R>>;

/// What [`export_rules!`] knows about the crate that it stands in.
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
#[derive(Debug)]
pub struct ExportedRules<M>(PhantomData<M>);

impl<M: RulesModule> rules::Guest for ExportedRules<M> {
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
