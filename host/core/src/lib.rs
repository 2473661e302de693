//! The admission engine of Usher: who may enter a game server, and when.
//!
//! [`Core`] owns what must be exact and must survive a change of rules: the pending pool, the waiting
//! queue, the seat ledger, sessions with their UDP endpoints, and every timeout of these. It owns no
//! rule: each decision is asked of policies, which are peers of the core like any other. It emits
//! [`Output::Ask`] and later gets [`Input::Answer`], or never does.
//!
//! The crate is sans-IO. It has no socket, no thread, no clock and no generator of random numbers:
//! inputs go in with the moment at which they arrived, outputs are polled out, and
//! [`Core::poll_timeout`] says when to come back. So the whole life of a request runs in virtual time,
//! and a bad interleaving is a seed that anyone can replay.
//!
//! ```
//! use usher_core::{Config, Core};
//!
//! let mut core = Core::new(Config::default(), Box::new(|| 7));
//! assert!(core.poll_output().is_none());
//! assert!(core.poll_timeout().is_none());
//! assert!(core.is_empty());
//! ```
//!
//! # Panics
//!
//! Nothing that comes from a peer, a policy or the rules panics the core. An input that names what is
//! not there any more (a late answer, a second goodbye) is dropped, and counted where it matters.

mod address;
mod ask;
mod by_choice;
mod by_number;
mod claim;
mod config;
mod engine;
mod game_rule;
mod id;
mod input;
mod key;
mod ledger;
mod output;
mod pool;
mod queue;
mod reason;
mod record;
mod request;
mod rounds;
mod secret;
mod session;
mod slab;
mod snapshot;
mod time;
mod timers;
mod verdict;

pub use address::{AddressGroup, canonical};
pub use ask::{
    Answer, Ask, AskStatus, Fact, FactAnswer, Fault, FaultKind, HeldUnit, Over, Waiter, Wanted, Why,
};
pub use by_number::ByNumber;
pub use claim::{Claim, Until};
pub use config::{Binding, Config, DoorConfig, Duplicates, PlayerNumber};
pub use engine::Core;
pub use id::{AskId, DoorId, RequestId, SessionId, SlotId};
pub use input::{Departure, Input};
pub use key::{Key, Part};
pub use ledger::TakenView;
pub use output::{Grant, LookupKind, Output};
pub use reason::{Reason, code};
pub use record::{
    Decided, Outcome, PolicyStep, Rechecked, Report, ReportRequest, ReportSession, StepVerdict,
};
pub use request::{
    Abandonment, Abilities, Attribute, AttributeValue, Ending, ReasonAbility, RequestData,
    RoomState,
};
pub use secret::{Digest, Secret};
pub use session::{Parting, Player, SessionEnd, SessionToken};
pub use snapshot::{FailMode, Pin, SlotInfo, Snapshot};
pub use time::Moment;
pub use verdict::{
    Acceptance, Admission, Command, Decision, Inquiry, Passing, Question, QuestionArg, Verdict,
    Waiting,
};
