//! What goes in to the policies, and what comes back.

use std::sync::Arc;
use usher_core::{Answer, Ask, AskId, AskStatus, Command, Fault, Input, Over};

/// A call of a policy.
#[derive(Clone, Debug)]
pub enum Job {
    /// `on-connect-request`.
    Ask(Box<Ask>),
    /// `on-waiting`.
    Status(Box<AskStatus>),
    /// `on-ended`.
    Over(Box<Over>),
}

/// What came of a [`Job`]. Every job has one, except those that nobody waits for any more when their turn
/// comes and those that are still queued when [`crate::Policies`] is dropped.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// To a [`Job::Ask`].
    Answer(Answer),
    /// To a [`Job::Status`].
    Status {
        /// Which.
        ask: AskId,
        /// A text for each waiter; `None` leaves the last one standing.
        result: Result<Vec<Option<Arc<[u8]>>>, Fault>,
    },
    /// To a [`Job::Over`].
    Over {
        /// Which.
        ask: AskId,
        /// What to do; nothing if the call faulted.
        commands: Vec<Command>,
    },
}

impl From<Reply> for Input {
    fn from(reply: Reply) -> Input {
        match reply {
            Reply::Answer(answer) => Input::Answer(answer),
            Reply::Status { ask, result } => Input::StatusTexts { ask, result },
            Reply::Over { ask, commands } => Input::OverAnswer { ask, commands },
        }
    }
}
