//! How requests and sessions end.

use crate::bindings::rules;
use crate::contract as wit;
use usher_core::{Abandonment, Ending, Parting};

/// How a request ended.
pub(crate) fn ending_out(how: &Ending) -> wit::Ending {
    match how {
        Ending::Accepted(session) => wit::Ending::Accepted(session.0),
        Ending::Rejected(reason) => wit::Ending::Rejected(wit::Reason {
            code: reason.code.clone(),
            text: reason.text.clone(),
            number: reason.number,
        }),
        Ending::Abandoned(why) => wit::Ending::Abandoned(match why {
            Abandonment::Cancelled => wit::Abandonment::Cancelled,
            Abandonment::Dropped => wit::Abandonment::Dropped,
            Abandonment::TimedOut => wit::Abandonment::TimedOut,
        }),
    }
}

/// How a player left.
pub(crate) fn parting_out(how: Parting) -> rules::Parting {
    match how {
        Parting::Left => rules::Parting::Left,
        Parting::Lost => rules::Parting::Lost,
        Parting::Kicked => rules::Parting::Kicked,
        Parting::Shutdown => rules::Parting::Shutdown,
    }
}
