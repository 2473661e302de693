//! Which session a hosted game server is given to at this moment.

use serde::Deserialize;

use super::context::Context;
use super::roster::Roster;
use super::{document, question};
use crate::contract::Answer;
use crate::early::Early;
use crate::facts::Facts;
use crate::ticket::AllocationId;

/// What a hosted game server is given to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Current {
    /// A session.
    Allocation(Allocation),
    /// Nothing: it idles.
    Idle,
    /// Nothing was learned, and why.
    Unavailable(String),
}

/// A session that a game server is given to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Allocation {
    id: String,
    /// Who gave it.
    pub origin: Origin,
    /// Whether the matchmaker made it.
    #[serde(default)]
    pub matchmaker: bool,
    /// Whether its context could be read.
    #[serde(default)]
    pub context_valid: bool,
    #[serde(default)]
    rosterless: bool,
    /// Who belongs to it.
    #[serde(default)]
    pub roster: Roster,
    cap: Option<i64>,
    /// What the backend sent along.
    pub context: Option<Context>,
}

/// Who gave a game server to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The fleet did: a match, or a backend that asked for one.
    Platform,
    /// The game server did by itself. The id of such a session can be guessed.
    #[serde(rename = "self")]
    Own,
}

impl Allocation {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether it is the one of that id.
    pub fn is(&self, id: &AllocationId) -> bool {
        self.id == id.as_str()
    }

    /// Whether a backend gave it without a roster, so that its id alone lets players in. Never so with a
    /// session of the matchmaker, one whose context could not be read, or one that the game server claimed
    /// for itself.
    pub fn is_rosterless(&self) -> bool {
        let by_backend = self.origin == Origin::Platform && !self.matchmaker && self.context_valid;
        by_backend && self.rosterless && self.roster.is_empty()
    }

    /// How many players it takes, where the fleet says so.
    pub fn cap(&self) -> Option<u32> {
        self.cap.map(document::count).filter(|cap| *cap > 0)
    }
}

impl Facts {
    /// What this game server is given to. On one that is not hosted: nothing is learned.
    pub fn allocation(&self) -> Result<Current, Early> {
        Ok(match self.get(question::allocation())? {
            Answer::Found(body) => match document::read::<Written>(body) {
                Ok(Written { current: None }) => Current::Idle,
                Ok(Written {
                    current: Some(current),
                }) => Current::Allocation(current),
                Err(why) => Current::Unavailable(why),
            },
            Answer::Missing => Current::Unavailable("no answer".to_owned()),
            Answer::Unavailable(why) => Current::Unavailable(why.clone()),
        })
    }
}

#[derive(Deserialize)]
struct Written {
    #[serde(deserialize_with = "document::present")]
    current: Option<Allocation>,
}
