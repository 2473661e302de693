//! What they are called.

use crate::args::Logins;
use std::io;
use usher_wire::rtyp::PlayerName;

/// Names by number.
pub(super) struct Names {
    good: String,
    bad: Vec<String>,
    bad_every: u32,
}

impl Names {
    /// What the command line says.
    ///
    /// # Errors
    ///
    /// A pattern that makes no names.
    pub(super) fn new(load: &Logins) -> io::Result<Names> {
        let names = Names {
            good: load.names.clone(),
            bad: load.bad_names.split(',').map(str::to_owned).collect(),
            bad_every: load.bad_every,
        };
        for pattern in names.bad.iter().chain([&names.good]) {
            name(pattern, u32::MAX)
                .map_err(|error| io::Error::other(format!("'{pattern}' makes no name: {error}")))?;
        }
        Ok(names)
    }

    /// Whether some are bad.
    pub(super) fn some_are_bad(&self) -> bool {
        self.bad_every > 0
    }

    /// The name of the one with this number, and whether it is a bad one.
    pub(super) fn of(&self, number: u32) -> io::Result<(PlayerName, bool)> {
        let is_bad = self.some_are_bad() && number % self.bad_every == self.bad_every - 1;
        let pattern = match is_bad {
            true => &self.bad[(number / self.bad_every) as usize % self.bad.len()],
            false => &self.good,
        };
        Ok((name(pattern, number)?, is_bad))
    }
}

fn name(pattern: &str, number: u32) -> io::Result<PlayerName> {
    let name = pattern.replacen('#', &format!("{number:x}"), 1);
    PlayerName::from_bytes(name.as_bytes()).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_so_many_are_bad_and_take_turns() {
        let names = Names {
            good: "p-#".to_owned(),
            bad: vec!["trap-#".to_owned(), "loop-#".to_owned()],
            bad_every: 3,
        };
        let made: Vec<_> = (0..6).map(|number| names.of(number).unwrap()).collect();
        let texts: Vec<_> = made.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(texts, ["p-0", "p-1", "trap-2", "p-3", "p-4", "loop-5"]);
        let bad: Vec<_> = made.iter().map(|(_, bad)| *bad).collect();
        assert_eq!(bad, [false, false, true, false, false, true]);
        assert!(name("far-too-long-for-#", 1).is_err());
    }
}
