//! The trait that an admission policy implements, and how it is exported.

use std::marker::PhantomData;

use crate::bindings::admission::exports::usher::policy::admission as wit;
use crate::{Command, Decided, Description, Ending, Facts, Request, Verdict, Waiter, panic};

/// Decides who may enter.
///
/// There is no `self`: a policy keeps nothing between calls. The host runs it on several instances at
/// once, throws instances away, and holds every seat and queue itself.
pub trait Policy {
    /// Decides about a request. Called first of all, and again as [`why`](wit::Request::why) says.
    fn on_connect_request(request: &Request, facts: &Facts) -> Decided;

    /// The status of someone who waits; `None` repeats the last. Called every few seconds, so that a
    /// player sees the queue move.
    fn on_waiting(waiter: &Waiter) -> Option<Vec<u8>> {
        let _ = waiter;
        None
    }

    /// A request that this policy has seen is over. It comes without its payload and password.
    fn on_ended(request: &Request, how: &Ending) -> Vec<Command> {
        let _ = (request, how);
        Vec::new()
    }

    /// What the module is. Name and version are those of its package where they are left open.
    fn describe() -> Description {
        Description::new()
    }
}

/// Exports a [`Policy`] as this module's. Once in a crate, whose type is `cdylib`.
#[macro_export]
macro_rules! export_policy {
    ($policy:ty) => {
        #[doc(hidden)]
        #[allow(unsafe_code)]
        const _: () = {
            struct Module;

            impl $crate::__private::PolicyModule for Module {
                type Policy = $policy;
                const NAME: &'static str = env!("CARGO_PKG_NAME");
                const VERSION: &'static str = env!("CARGO_PKG_VERSION");
            }

            #[allow(dead_code)] // Natively nothing is exported, but a type that is no policy must show.
            type Exported = $crate::__private::ExportedPolicy<Module>;

            #[cfg(target_arch = "wasm32")]
            $crate::bindings::admission::export_admission_bindings!(
                Exported with_types_in $crate::bindings::admission
            );
        };
    };
}

/// What [`export_policy!`] knows about the crate that it stands in.
#[doc(hidden)]
pub trait PolicyModule {
    type Policy: Policy;
    const NAME: &'static str;
    const VERSION: &'static str;
}

/// The contract's exports, made of a policy.
#[doc(hidden)]
#[derive(Debug)]
pub struct ExportedPolicy<M>(PhantomData<M>);

impl<M: PolicyModule> wit::Guest for ExportedPolicy<M> {
    fn on_connect_request(request: wit::Request, facts: Vec<wit::Fact>) -> Verdict {
        panic::install_hook();
        M::Policy::on_connect_request(&request.into(), &facts.into()).unwrap_or_else(Verdict::from)
    }

    fn on_waiting(waiters: Vec<Waiter>) -> Vec<Option<Vec<u8>>> {
        panic::install_hook();
        waiters.iter().map(M::Policy::on_waiting).collect()
    }

    fn on_ended(request: wit::Request, how: Ending) -> Vec<Command> {
        panic::install_hook();
        M::Policy::on_ended(&request.into(), &how)
    }

    fn describe() -> Description {
        panic::install_hook();
        M::Policy::describe().or_package(M::NAME, M::VERSION)
    }
}
