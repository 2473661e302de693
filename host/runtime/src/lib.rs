//! Loads, limits, calls and swaps the WebAssembly modules that Usher asks.
//!
//! An [`Engine`] is made once. [`Policies`] holds the admission policies: slots, each with its
//! generations, and the worker threads that call them. A [`Job`] is handed in and never waits; its
//! [`Reply`] comes back through a callback. [`RulesSlot`] holds the rules of a game, whose instances
//! have a state and are owned by the thread that plays them. [`watch`] says when to look at a file
//! again, and [`inspect()`] says what is in one.
//!
//! What a module does costs the call that it was asked in and nothing else: it is stopped at its
//! deadline, bounded in memory, table, stack and in what it returns, and an instance that failed in any
//! way is thrown away. Nothing that comes from a module or a file panics the host.
//!
//! The crate knows no socket, no configuration file and no rule of admission; what comes of an answer
//! is `usher-core`'s.

mod at_once;
mod backoff;
mod bindings;
mod bucket;
mod cache;
mod clock;
mod config;
mod contract;
mod deserialize;
mod effect;
mod engine;
mod escape;
mod exports;
mod fault;
mod generation;
mod guest;
mod hex;
mod imports;
mod inspect;
mod job;
mod limits;
mod linker;
mod load;
mod pinned;
mod policies;
mod policy;
mod pulse;
mod queue;
mod right;
mod rules;
mod sample;
mod slot;
mod status;
mod telling;
mod ticker;
mod told;
mod translate;
mod watch;
mod worker;

#[cfg(test)]
mod tests;

pub use bucket::{BadEntry, Bucket, Buckets, Entry, LiveBuckets, Network};
pub use clock::Clock;
pub use config::{Params, SlotConfig, SlotSettings, Source};
pub use effect::{Delivery, Effect, Message};
pub use engine::{Engine, EngineConfig, EngineError};
pub use inspect::{Inspection, inspect, inspect_source};
pub use job::{Job, Reply};
pub use load::{LoadError, World};
pub use policies::Policies;
pub use rules::{At, RulesConfig, RulesInstance, RulesModule, RulesSlot, StartError};
pub use status::{GenerationInfo, LoadFailure, Reload, RollbackError, SlotState, SlotStatus};
pub use watch::{WatchError, Watcher, watch};
