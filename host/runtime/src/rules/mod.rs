//! The rules of a game: modules whose instances have a state.

mod effect;
mod instance;
mod slot;

pub use effect::{Delivery, Effect, Message};
pub use instance::{At, RulesInstance, RulesModule, StartError};
pub use slot::{RulesConfig, RulesSlot};
