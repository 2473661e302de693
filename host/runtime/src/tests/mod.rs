//! The crate as its caller sees it, with real modules.

mod bench;
mod bucketed;
mod cached;
mod chatty;
mod contained;
mod fresh;
mod hurried;
mod inspected;
mod looked_up;
mod refused;
mod ruled;
mod served;
mod swapped;
mod watched;
