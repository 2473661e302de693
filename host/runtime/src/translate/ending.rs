//! How requests and sessions end.

use super::reason::reason_out;
use crate::bindings::{admission, rules};
use usher_core::{Abandonment, Ending, Parting};

/// How a request ended.
pub(crate) fn ending_out(how: &Ending) -> admission::Ending {
    match how {
        Ending::Accepted(session) => admission::Ending::Accepted(session.0),
        Ending::Rejected(reason) => admission::Ending::Rejected(reason_out(reason)),
        Ending::Abandoned(why) => admission::Ending::Abandoned(match why {
            Abandonment::Cancelled => admission::Abandonment::Cancelled,
            Abandonment::Dropped => admission::Abandonment::Dropped,
            Abandonment::TimedOut => admission::Abandonment::TimedOut,
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
