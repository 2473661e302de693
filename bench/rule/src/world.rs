//! What the host knows, for the sides that have no host of ours: a ban list and a ledger.

use std::collections::HashMap;

/// How many are banned.
const BANNED: usize = 1_000;
/// How many seats are taken.
const TAKEN: u32 = 17;

/// The ban list and the ledger.
#[derive(Clone, Debug)]
pub struct World {
    bans: HashMap<String, String>,
    taken: HashMap<String, u32>,
}

impl World {
    /// The one that every side sees.
    pub fn new() -> World {
        World {
            bans: World::banned().collect(),
            taken: HashMap::from([("server".to_owned(), TAKEN)]),
        }
    }

    /// Who is banned, with the operator's notes.
    pub fn banned() -> impl Iterator<Item = (String, String)> {
        (0..BANNED).map(|index| (format!("Rogue-{index}"), "cheats".to_owned()))
    }

    /// How many units are taken of a key.
    pub fn seats_taken() -> u32 {
        TAKEN
    }

    /// The note beside a name, if it is banned.
    pub fn note(&self, name: &str) -> Option<&str> {
        self.bans.get(name).map(String::as_str)
    }

    /// How many hold a key without parts.
    pub fn taken(&self, key: &str) -> u32 {
        self.taken.get(key).copied().unwrap_or(0)
    }
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}
