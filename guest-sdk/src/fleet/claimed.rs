//! The act by which an idle game server takes a session for itself, so that one player can begin alone.

use serde::Deserialize;

use super::allocation::Allocation;
use super::{document, question};
use crate::contract::{Act, Answer, Question};
use crate::facts::Facts;

/// The act: `Verdict::accept().then(fleet::claim_session())`. The host does it once the whole chain has
/// accepted and all claims are held, and asks the policy again; see [`Facts::claimed_session`]. The session
/// is given back when the request does not get in, and after its last player.
pub fn claim_session() -> Act {
    Question::new(question::CLAIM_SESSION)
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionClaim {
    /// The game server has a session of its own now.
    Claimed,
    /// Nothing was claimed, because it was given to a session meanwhile.
    Allocated(Allocation),
    /// It failed, and why.
    Failed(String),
}

impl Facts {
    /// What came of [`claim_session`]; `None` before it is done.
    pub fn claimed_session(&self) -> Option<SessionClaim> {
        Some(match &self.find(&claim_session())?.answer {
            Answer::Found(body) => match document::read::<Written>(body) {
                Ok(written) => written.into(),
                Err(why) => SessionClaim::Failed(why),
            },
            Answer::Missing => SessionClaim::Failed("no answer".to_owned()),
            Answer::Unavailable(why) => SessionClaim::Failed(why.clone()),
        })
    }
}

#[derive(Deserialize)]
struct Written {
    outcome: Outcome,
    current: Option<Allocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Claimed,
    Allocated,
}

impl From<Written> for SessionClaim {
    fn from(written: Written) -> SessionClaim {
        match (written.outcome, written.current) {
            (Outcome::Claimed, _) => SessionClaim::Claimed,
            (Outcome::Allocated, Some(current)) => SessionClaim::Allocated(current),
            (Outcome::Allocated, None) => SessionClaim::Failed("allocated to nothing".to_owned()),
        }
    }
}
