//! Ids that nobody can guess, in place of the names that a table gives them.
//!
//! Those of tickets and reservations are secrets, and so is that of an allocation that a `backend` made and told
//! its players: who knows it may come. `{ticket:a}` is the same id wherever it stands in a row; a name that begins with an upper-case letter is the
//! same in all rows of a world.

use crate::keep;
use rand::TryRng as _;
use rand::rngs::SysRng;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// 128 random bits as a client mints them: 22 letters, digits, `-` and `_`. It is a secret from now on.
///
/// # Panics
///
/// If the system has no random numbers.
pub fn mint() -> String {
    let id = random();
    keep::secret(&id);
    id
}

fn random() -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bytes = [0; 16];
    SysRng
        .try_fill_bytes(&mut bytes)
        .expect("the system has random numbers");
    let mut bits = u128::from_be_bytes(bytes);
    let letters = (0..22).map(|_| {
        let letter = LETTERS[usize::try_from(bits & 63).unwrap_or(0)];
        bits >>= 6;
        char::from(letter)
    });
    letters.collect()
}

/// Which id has which name.
#[derive(Clone, Debug, Default)]
pub struct Names(HashMap<String, String>);

impl Names {
    /// A value with every name in it filled in.
    pub fn fill(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill_text(text)),
            Value::Array(values) => values.iter().map(|it| self.fill(it)).collect(),
            Value::Object(map) => {
                let mut filled = Map::new();
                for (key, value) in map {
                    filled.insert(self.fill_text(key), self.fill(value));
                }
                Value::Object(filled)
            }
            other => other.clone(),
        }
    }

    /// The same for text.
    pub fn fill_text(&mut self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            match after.split_once('}') {
                Some((name, after)) if self.is_name(name) => {
                    filled.push_str(&self.id(name));
                    rest = after;
                }
                _ => {
                    filled.push('{');
                    rest = after;
                }
            }
        }
        filled + rest
    }

    fn is_name(&self, text: &str) -> bool {
        let kind = text.split_once(':').map(|(kind, _)| kind);
        matches!(
            kind,
            Some("ticket" | "reservation" | "allocation" | "backend" | "player" | "self")
        )
    }

    fn id(&mut self, name: &str) -> String {
        if let Some(id) = self.0.get(name) {
            return id.clone();
        }
        let id = match name.split_once(':').map_or("", |(kind, _)| kind) {
            "ticket" | "reservation" | "backend" => mint(),
            // An id that can be guessed, as those of self-allocations can.
            "self" => "self-1790938560000".to_owned(),
            kind => format!("{kind}-{}", random()),
        };
        self.0.insert(name.to_owned(), id.clone());
        id
    }

    /// Only the names that are the same in a whole world.
    #[must_use]
    pub fn of_the_world(&self) -> Names {
        let wide = self.0.iter().filter(|(name, _)| {
            let own = name.split_once(':').and_then(|(_, own)| own.chars().next());
            own.is_some_and(char::is_uppercase)
        });
        Names(wide.map(|(name, id)| (name.clone(), id.clone())).collect())
    }
}
