//! Rooms.
mod mailbox;
pub use mailbox::{Mailbox, Mails, mailbox};
