//! The modules that decide and play: loaded from the configuration, asked by the core, and replaced
//! while the host runs.

mod cache;
mod follow;
mod modules;
mod slots;

pub use follow::{Changes, Following};
pub use modules::{Asked, Loader, StartError};
