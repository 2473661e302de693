//! What a web service of the configuration answers.

use super::{document, question};
use crate::contract::Answer;
use crate::early::Early;
use crate::facts::Facts;
use crate::part::Part;

/// What a web service answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched<'a> {
    /// The body of its answer.
    Found(&'a [u8]),
    /// It has no such thing.
    Missing,
    /// It did not answer, or not well; a word why.
    Unavailable(&'a str),
}

impl Facts {
    /// What a web service of the configuration (`[[service]]`, by its name) answers to these arguments and
    /// this body. No other can be reached.
    pub fn fetch(
        &self,
        service: &str,
        args: impl IntoIterator<Item = Part>,
        body: impl Into<Vec<u8>>,
    ) -> Result<Fetched<'_>, Early> {
        Ok(match self.get(question::fetch(service, args, body))? {
            Answer::Found(body) => Fetched::Found(body),
            Answer::Missing => Fetched::Missing,
            Answer::Unavailable(why) => Fetched::Unavailable(why),
        })
    }
}

impl Fetched<'_> {
    /// The answer read as JSON, if there is one and it is that. At most 512 KiB are read.
    pub fn json(&self) -> Option<serde_json::Value> {
        match self {
            Fetched::Found(body) => document::read(body).ok(),
            Fetched::Missing | Fetched::Unavailable(_) => None,
        }
    }
}
