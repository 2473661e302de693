//! Why a payload is no join ticket.

use crate::reason::Reason;
use core::fmt;

/// What [`JoinTicket::decode`](crate::JoinTicket::decode) says of a payload that it does not take: a reason
/// for the client, and a detail for who mends it. It quotes nothing of the payload, so it may be logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    reason: Reason,
    /// The field that is wrong, where it is one.
    field: Option<&'static str>,
    problem: &'static str,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, problem: &'static str) -> Refusal {
        Refusal {
            reason,
            field: None,
            problem,
        }
    }

    pub(crate) fn field(reason: Reason, field: &'static str, problem: &'static str) -> Refusal {
        Refusal {
            reason,
            field: Some(field),
            problem,
        }
    }

    /// The reason that the client is told.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// What exactly is wrong, as a phrase: `playerId is not text`.
    pub fn detail(&self) -> impl fmt::Display {
        Detail(*self)
    }
}

struct Detail(Refusal);

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.0.field {
            write!(f, "{field} ")?;
        }
        f.write_str(self.0.problem)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.detail())
    }
}

impl core::error::Error for Refusal {}
