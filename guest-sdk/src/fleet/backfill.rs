//! Players whom the matchmaker adds to a running session.

use serde::Deserialize;

use super::allocation::Allocation;
use super::roster::Roster;
use super::{document, question};
use crate::contract::Answer;
use crate::early::Early;
use crate::facts::Facts;
use crate::ticket::AllocationId;

/// Whether a backfill has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// It has.
    Backfill(Backfill),
    /// None has come in time.
    Missing,
    /// Nothing was learned, and why.
    Unavailable(String),
}

/// Players whom the matchmaker adds to a running session.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Backfill {
    allocation_id: String,
    session_id: Option<String>,
    /// Who they are.
    #[serde(default)]
    pub roster: Roster,
}

impl Backfill {
    /// Whether it is the one of that id. The session that it joins has another.
    pub fn is(&self, id: &AllocationId) -> bool {
        self.allocation_id == id.as_str()
    }

    /// Whether it adds its players to that session.
    pub fn joins(&self, session: &Allocation) -> bool {
        self.session_id.as_deref() == Some(session.id())
    }
}

impl Facts {
    /// The backfill of an id. On a game server that is not hosted: nothing is learned.
    pub fn backfill(&self, id: &AllocationId) -> Result<Delivered, Early> {
        Ok(match self.get(question::backfill(id))? {
            Answer::Found(body) => match document::read(body) {
                Ok(backfill) => Delivered::Backfill(backfill),
                Err(why) => Delivered::Unavailable(why),
            },
            Answer::Missing => Delivered::Missing,
            Answer::Unavailable(why) => Delivered::Unavailable(why.clone()),
        })
    }
}
