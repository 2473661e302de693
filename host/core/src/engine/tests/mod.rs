//! The engine in virtual time. Each rule of `SEMANTICS.md` (beside this crate's `Cargo.toml`, with the
//! tests of each) has its room here:
//!
//! * who is asked, in which order: `chain`; what they ask first: `evidence`; what they do: `acts`
//! * what a verdict takes of the ledger: `claims`; what is shut: `closing`
//! * who waits, in which order: `waiting`; who is asked again when: `offers`, `declining`, `reload`
//! * who is asked about again while they play: `rechecks`, `recheck_limits`
//! * what is kept of who dropped: `places`; what who waits is told: `status`
//! * who crashes, freezes or vanishes, and comes back: `returns`
//! * who comes in twice: `takeover`, `takeover_waiting`
//! * how many may be pending: `pool`; how each ends: `endings`, `sessions`, `confirmation`
//! * what is in time, to the millisecond: `deadlines`
//! * who is in of two who want the last unit: `last_unit`; when the server closes: `stopping`
//! * who leaves while something is found out or done for it: `leaving`
//! * what the game itself says: `game_rule`; what a bad policy costs: `faults`; that all of it can be played again: `replay`, `simulation`
//!
//! Every test ends with `World::close`, which checks that nothing is left.

mod acts;
mod chain;
mod claims;
mod closing;
mod confirmation;
mod deadlines;
mod declining;
mod endings;
mod evidence;
mod faults;
mod game_rule;
mod last_unit;
mod leaving;
mod offers;
mod places;
mod pool;
mod recheck_limits;
mod rechecks;
mod reload;
mod replay;
mod returns;
mod semantics;
mod sessions;
mod simulation;
mod status;
mod stopping;
mod takeover;
mod takeover_waiting;
mod verdicts;
mod waiting;
mod world;
