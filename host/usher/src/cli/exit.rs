//! The statuses that the program ends with. Scripts rely on them.

use std::process::ExitCode;

/// How it went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exit {
    /// As asked.
    Success,
    /// Not as asked; the reason was told.
    Failure,
    /// `join`: nobody answers there.
    Unreachable,
    /// `join`: the login was rejected.
    Rejected,
    /// `join`: the login was accepted, but no datagram comes through.
    NoUdp,
    /// `join`: the server ended the session.
    Ended,
    /// What was asked for cannot be meant: a bad argument, a bad configuration. The `EX_USAGE` of
    /// sysexits.h.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Unreachable => 2,
            Exit::Rejected => 3,
            Exit::NoUdp => 4,
            Exit::Ended => 5,
            Exit::Usage => 64,
        })
    }
}
