//! Module files that say which they are: one file, with another number written into it each time.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::super::super::site::cannot_use;
use crate::process::Outcome;

/// Where the number is.
const MARK: &[u8] = b"usher-mark: ";
const DIGITS: usize = 8;

/// A module, and the place from which it is served.
pub(super) struct Marked {
    bytes: Vec<u8>,
    /// Where its digits begin.
    at: usize,
    served: PathBuf,
    last: u32,
}

impl Marked {
    /// The module of this file, to be served from that one.
    pub(super) fn new(module: &Path, served: PathBuf) -> Outcome<Marked> {
        let bytes = fs::read(module).map_err(|error| cannot_use(module, &error))?;
        let mut found = bytes.windows(MARK.len()).enumerate();
        let found = found.find(|(_, bytes)| *bytes == MARK);
        let Some((at, _)) = found.filter(|(at, _)| at + MARK.len() + DIGITS <= bytes.len()) else {
            return Err(format!("{} has no mark in it", module.display()));
        };
        Ok(Marked {
            at: at + MARK.len(),
            bytes,
            served,
            last: 0,
        })
    }

    /// How large it is.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// A number that no file has had since compiled code was forgotten. Numbers in a row are told apart by the two
    /// digits that the module says.
    pub(super) fn fresh(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// Puts the file with a number in its place, in one step, and says when it took that step.
    pub(super) fn put(&mut self, number: u32) -> Outcome<Instant> {
        let digits = format!("{number:0DIGITS$}");
        self.bytes[self.at..self.at + DIGITS].copy_from_slice(digits.as_bytes());
        let beside = self.served.with_extension("new");
        fs::write(&beside, &self.bytes).map_err(|error| cannot_use(&beside, &error))?;
        let at = Instant::now();
        fs::rename(&beside, &self.served).map_err(|error| cannot_use(&self.served, &error))?;
        Ok(at)
    }
}

/// What the module answers that has this number.
pub(super) fn answer(number: u32) -> u8 {
    // At most 199.
    u8::try_from(100 + number % 100).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_put_in_its_place_with_its_number() {
        let folder = std::env::temp_dir().join(format!("usher-marked-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (module, served) = (folder.join("m.wasm"), folder.join("served.wasm"));
        fs::write(&module, b"ab usher-mark: 00000000 cd").unwrap();
        let mut marked = Marked::new(&module, served.clone()).unwrap();
        let (first, second) = (marked.fresh(), marked.fresh());
        assert_ne!(answer(first), answer(second));
        marked.put(123).unwrap();
        assert_eq!(fs::read(&served).unwrap(), b"ab usher-mark: 00000123 cd");
        marked.put(99_999_999).unwrap();
        assert_eq!(fs::read(&served).unwrap(), b"ab usher-mark: 99999999 cd");
        fs::write(&module, b"usher-mark: 000").unwrap();
        assert!(Marked::new(&module, served).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
