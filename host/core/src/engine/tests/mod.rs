//! The engine in virtual time: what `design` calls semantics, a named test a rule.

mod acts;
mod chain;
mod claims;
mod closing;
mod endings;
mod evidence;
mod faults;
mod offers;
mod places;
mod pool;
mod reload;
mod sessions;
mod simulation;
mod status;
mod verdicts;
mod waiting;
mod world;
