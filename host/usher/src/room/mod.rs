//! Rooms: where the rules of the game play.
//!
//! A room has one instance of the rules, with a state, on a thread of its own; calls come one at a time.
//! What the rules want done is applied after the call, in order: data goes to the players' doors,
//! everything else is an input of the core.

mod game;
mod mailbox;
mod roster;
mod run;
mod script;
mod stage;

pub use mailbox::{Bundle, Mailbox, Mails, mailbox};
pub use run::start;
