//! What a side decided, in a form that can be compared.

/// A verdict of the rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Let in, with one claim.
    Accept {
        /// Who this is.
        identity: String,
        /// The namespace of the claimed key.
        namespace: String,
        /// Its one part.
        part: String,
        /// How many may hold it.
        limit: u32,
        /// What is told when it is held already: a word.
        full_code: String,
        /// And a sentence.
        full_text: String,
    },
    /// Refused: a word and a sentence.
    Reject {
        /// A word for programs.
        code: String,
        /// A sentence for the player.
        text: String,
    },
}

impl Verdict {
    /// The acceptance of a name.
    pub fn accept(name: &str) -> Verdict {
        Verdict::Accept {
            identity: name.to_owned(),
            namespace: "name".to_owned(),
            part: name.to_owned(),
            limit: 1,
            full_code: "name-taken".to_owned(),
            full_text: "That name is in use.".to_owned(),
        }
    }

    /// A refusal.
    pub fn reject(code: &str, text: &str) -> Verdict {
        Verdict::Reject {
            code: code.to_owned(),
            text: text.to_owned(),
        }
    }
}
