//! What a policy answers, as the contract (`wit/answer.wit`) has it, in the core's own types.
//!
//! The runtime translates and bounds; the core decides what comes of it.

use crate::claim::Claim;
use crate::id::SessionId;
use crate::reason::Reason;
use crate::secret::Secret;
use std::sync::Arc;
use std::time::Duration;

/// An answer: a decision, and commands that are applied in order once the core has consumed it.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// What is decided.
    pub decision: Decision,
    /// What is to be done besides.
    pub commands: Vec<Command>,
}

impl From<Decision> for Verdict {
    fn from(decision: Decision) -> Verdict {
        Verdict {
            decision,
            commands: Vec::new(),
        }
    }
}

/// What a policy decides.
#[derive(Clone, PartialEq, Debug)]
pub enum Decision {
    /// Let the next policy decide.
    Pass(Passing),
    /// Let the request in.
    Accept(Acceptance),
    /// Refuse it.
    Reject(Reason),
    /// Keep it waiting.
    Wait(Waiting),
    /// Find out first.
    Ask(Inquiry),
}

/// Claims and an act that a policy adds without deciding.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Passing {
    /// Tested at once, taken with all others at the end.
    pub claims: Vec<Claim>,
    /// Done once the whole chain has accepted.
    pub then: Option<Question>,
}

/// One way to let the request in.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Admission {
    /// Who this is.
    pub identity: Option<Arc<str>>,
    /// Whether that was proven.
    pub identity_proven: bool,
    /// The name to show; absent for the request's own.
    pub display_name: Option<Arc<str>>,
    /// The room to enter; absent for the request's own.
    pub room: Option<Arc<str>>,
    /// What must be had, all or none.
    pub claims: Vec<Claim>,
    /// What the client is given, where the protocol has room.
    pub config: Arc<[u8]>,
    /// What the policy wants to read when asked of the session again. At most 1 KiB.
    pub remember: Arc<[u8]>,
}

/// Accept: the first option that fits.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Acceptance {
    /// Tried in order.
    pub options: Vec<Admission>,
    /// What to do when none fits; absent: refuse with the first full claim's reason.
    pub otherwise_wait: Option<Waiting>,
    /// Done once the whole chain has accepted.
    pub then: Option<Question>,
}

/// Wait until the claims can be had.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting {
    /// The lane; positions are counted in it.
    pub lane: Arc<str>,
    /// Lower is served first.
    pub lane_rank: i32,
    /// In a lane, higher is served first.
    pub priority: i32,
    /// What the player is told now.
    pub status: Option<Arc<[u8]>>,
    /// Who this is, for grace.
    pub identity: Option<Arc<str>>,
    /// Whether that was proven.
    pub identity_proven: bool,
    /// What it waits for.
    pub claims: Vec<Claim>,
}

/// Find out first, and ask again.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Inquiry {
    /// What to find out.
    pub questions: Vec<Question>,
    /// What to hold meanwhile.
    pub hold: Vec<Claim>,
}

/// Something that the host can find out (a question) or do (an act).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// Which.
    pub name: Arc<str>,
    /// What about.
    pub args: Vec<QuestionArg>,
    /// A body, for those that have one.
    pub body: Arc<[u8]>,
}

/// An argument of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuestionArg {
    /// Text that operators may see.
    Plain(Arc<str>),
    /// A secret, in the clear because it has to be asked about.
    Secret(Secret),
}

/// Something to do besides the decision.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// End one session.
    KickSession(SessionId, Reason),
    /// End every session of an identity.
    KickIdentity(Arc<str>, Reason),
    /// Put an entry in a named bucket, for a time or for good.
    BucketPut {
        /// The bucket.
        bucket: Arc<str>,
        /// What to put in.
        entry: Arc<str>,
        /// How long it stays; absent for good.
        lasts: Option<Duration>,
    },
}
