//! The trait that an admission policy implements.

use crate::contract::{Command, Description, Ending, Waiter};
use crate::early::Decided;
use crate::facts::Facts;
use crate::request::Request;
use crate::unwritten;

/// Decides who may enter.
///
/// There is no `self`: a policy keeps nothing between calls. The host runs it on several instances at
/// once, throws instances away, and holds every seat and queue itself.
pub trait Policy {
    /// Decides about a request. Called first of all, and again as [`request.why`](crate::Why) says.
    fn on_connect_request(request: &Request, facts: &Facts) -> Decided;

    /// The status of someone who waits; `None` repeats the last. Called every few seconds, so that a
    /// player sees the queue move.
    fn on_waiting(waiter: &Waiter) -> Option<Vec<u8>> {
        let _ = waiter;
        None
    }

    /// A request that this policy has seen is over. It comes without its payload and password.
    ///
    /// A policy that leaves this out is not called when requests end: it is this default that tells the host
    /// so, and one that is written must not call it.
    fn on_ended(request: &Request, how: &Ending) -> Vec<Command> {
        let _ = (request, how);
        unwritten::note();
        Vec::new()
    }

    /// What the module is. Name and version are those of its package where they are left open.
    fn describe() -> Description {
        Description::new()
    }
}
