//! What a module says of itself.

use super::bound::{Breach, WORD, list, text};
use crate::bindings::types;
use std::sync::Arc;

/// What a module says of itself, within bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Description {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// Its version.
    pub(crate) version: Arc<str>,
    /// The questions and acts that it may use.
    pub(crate) questions: Vec<Arc<str>>,
    /// The most players that it can seat.
    pub(crate) max_players: Option<u32>,
}

/// Checks a description.
pub(crate) fn description_in(description: types::Description) -> Result<Description, Breach> {
    if description.max_players == Some(0) {
        let problem = "is 0, and nobody could play: leave it out where there is no such number";
        return Err(Breach::new("max-players", problem));
    }
    let question = |name| text(name, "name", 1..=WORD);
    Ok(Description {
        name: text(description.name, "name", 1..=WORD)?,
        version: text(description.version, "version", 0..=WORD)?,
        questions: list(description.questions, "questions", 0..=32, question)?,
        max_players: description.max_players,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_kept() {
        let describe = |name: &str, version: usize, questions: usize| types::Description {
            name: name.to_owned(),
            version: "v".repeat(version),
            questions: vec!["hold".to_owned(); questions],
            max_players: Some(8),
        };
        let good = description_in(describe("rtyp", 64, 32)).expect("within bounds");
        assert_eq!(good.max_players, Some(8));
        let nobody = types::Description {
            max_players: Some(0),
            ..describe("rtyp", 0, 0)
        };
        for bad in [
            nobody,
            describe("", 0, 0),
            describe("n", 65, 0),
            describe("n", 0, 33),
        ] {
            assert!(description_in(bad).is_err());
        }
    }
}
