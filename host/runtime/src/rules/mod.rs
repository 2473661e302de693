//! The rules of a game: modules whose instances have a state.

mod instance;
mod module;
mod slot;

pub use instance::{At, RulesInstance, StartError};
pub(crate) use module::RulesCode;
pub use module::RulesModule;
pub use slot::{RulesConfig, RulesSlot};
