//! A host that fits in a test: the imports, requests to decide, and a ledger that says what would come
//! of a verdict. It runs natively only.
//!
//! ```
//! use usher_sdk::prelude::*;
//! use usher_sdk::testing::{self, Outcome};
//!
//! struct Four;
//!
//! impl Policy for Four {
//!     fn on_connect_request(_: &Request, _: &Facts) -> Decided {
//!         let full = Reason::new("server-full", "The game already has 4 players");
//!         Verdict::accept().claim(Claim::on(Key::slot()).at_most(4).or(full)).into()
//!     }
//! }
//!
//! let request = testing::request().name("R9").build();
//! let fifth = testing::host().taken(Key::slot(), 4).outcome::<Four>(&request);
//! assert_eq!(fifth.code(), Some("server-full"));
//! ```
//!
//! It is not the host: it checks none of the contract's bounds, has no queue and hands out no index.

pub use crate::bindings::admission::usher::policy::log::Level;
use crate::contract::{
    Admission, Claim, Decision, Inquiry, Key, Passing, Reason, Verdict, Waiting,
};
use crate::facts::Facts;
use crate::host::fake::Fake;
use crate::policy::Policy;
use crate::request::Request;

mod evidence;
mod request;
pub use evidence::{
    Allocation, Backfill, Places, allocation, backfill, hold, idle, session_claimed, unavailable,
    verdict, verified,
};
pub use request::{RequestBuilder, WaiterBuilder, player, request, waiter};

/// A host with an empty ledger, no buckets, no params, the clock at 0 and a fixed seed.
pub fn host() -> Host {
    Host(Fake::default())
}

/// A fake host. Made by [`host`], then told what the test needs.
#[derive(Clone, Debug)]
pub struct Host(Fake);

impl Host {
    /// With `units` of a key held by others.
    pub fn taken(mut self, key: Key, units: u32) -> Host {
        self.0.taken.insert(key, units);
        self
    }

    /// With a param. A number or a list is given as its TOML text.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Host {
        self.0.params.insert(name.into(), value.into());
        self
    }

    /// With a bucket, empty if it was not there before. One that the test does not give is not there, and
    /// to look into it panics, as it is a fault in the host.
    pub fn bucket(mut self, name: impl Into<String>) -> Host {
        self.0.buckets.entry(name.into()).or_default();
        self
    }

    /// With an entry in a bucket, and the operator's note beside it: text, an address, or a network such
    /// as `192.0.2.0/24`.
    pub fn listed(
        mut self,
        bucket: impl Into<String>,
        entry: impl Into<String>,
        note: impl Into<String>,
    ) -> Host {
        let bucket = self.0.buckets.entry(bucket.into()).or_default();
        bucket.insert(entry.into(), note.into());
        self
    }

    /// With the clock at a moment, in milliseconds since the Unix epoch.
    pub fn now_ms(mut self, now: u64) -> Host {
        self.0.now_ms = now;
        self
    }

    /// With another seed for [`random`](crate::random).
    pub fn seed(mut self, seed: u64) -> Host {
        self.0.seed = seed;
        self
    }

    /// Runs code whose imports this host answers. Every run starts from the same seed.
    pub fn run<T>(&self, code: impl FnOnce() -> T) -> T {
        self.run_logged(code).0
    }

    /// The same, and the lines that the code has logged.
    pub fn run_logged<T>(&self, code: impl FnOnce() -> T) -> (T, Vec<(Level, String)>) {
        self.0.answering(code)
    }

    /// What a policy decides with no facts.
    pub fn decide<P: Policy>(&self, request: &Request) -> Verdict {
        self.decide_with::<P>(request, &Facts::none())
    }

    /// What a policy decides with facts.
    pub fn decide_with<P: Policy>(&self, request: &Request, facts: &Facts) -> Verdict {
        self.run(|| P::on_connect_request(request, facts))
            .unwrap_or_else(Verdict::from)
    }

    /// What comes of a request, with no facts.
    pub fn outcome<P: Policy>(&self, request: &Request) -> Outcome {
        self.outcome_with::<P>(request, &Facts::none())
    }

    /// What comes of a request: the policy decides, and its claims are tried on the ledger.
    pub fn outcome_with<P: Policy>(&self, request: &Request, facts: &Facts) -> Outcome {
        match self.decide_with::<P>(request, facts).decision {
            Decision::Accept(acceptance) => {
                let mut first_full = None;
                for option in acceptance.options {
                    match self.first_full(request, &option.claims) {
                        None => return Outcome::Accepted(option),
                        Some(reason) => first_full = first_full.or(Some(reason)),
                    }
                }
                match (acceptance.otherwise_wait, first_full) {
                    (Some(waiting), _) => Outcome::Waits(waiting),
                    (None, Some(reason)) => Outcome::Rejected(reason),
                    (None, None) => panic!("an accept needs an option"),
                }
            }
            Decision::Pass(passing) => match self.first_full(request, &passing.claims) {
                None => Outcome::Passed(passing),
                Some(reason) => Outcome::Rejected(reason),
            },
            Decision::Reject(reason) => Outcome::Rejected(reason),
            Decision::Wait(waiting) => Outcome::Waits(waiting),
            Decision::Ask(inquiry) => Outcome::Asks(inquiry),
        }
    }

    /// The reason of the first claim that does not fit; last comes the host's own on `server`.
    fn first_full(&self, request: &Request, claims: &[Claim]) -> Option<Reason> {
        let server = Claim::on(Key::server())
            .at_most(request.max_players)
            .or(Reason::new("server-full", "The server is full"));
        claims
            .iter()
            .chain([&server])
            .find(|claim| self.0.units(&claim.key) >= claim.limit)
            .map(|claim| claim.when_full.clone())
    }
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Let in, by this option.
    Accepted(Admission),
    /// Left to the next policy.
    Passed(Passing),
    /// Refused.
    Rejected(Reason),
    /// In a lane.
    Waits(Waiting),
    /// Asked again once this is found out.
    Asks(Inquiry),
}

impl Outcome {
    /// The code of a refusal.
    pub fn code(&self) -> Option<&str> {
        match self {
            Outcome::Rejected(reason) => Some(&reason.code),
            _ => None,
        }
    }

    /// How it was let in.
    ///
    /// # Panics
    ///
    /// When it was not.
    pub fn accepted(self) -> Admission {
        match self {
            Outcome::Accepted(admission) => admission,
            other => panic!("not accepted: {other:?}"),
        }
    }

    /// How it waits.
    ///
    /// # Panics
    ///
    /// When it does not.
    pub fn waits(self) -> Waiting {
        match self {
            Outcome::Waits(waiting) => waiting,
            other => panic!("does not wait: {other:?}"),
        }
    }
}

#[cfg(test)]
mod tests;
