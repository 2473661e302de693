//! SHA-256 of files, in the one form in which we compare and store it.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::process::Outcome;

/// SHA-256 as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

/// SHA-256 of a text, alike for both kinds of line ends: git may write either to a disk.
pub(crate) fn text_hex(bytes: &[u8]) -> String {
    hex(&unix_lines(bytes))
}

/// SHA-256 over several sources in the order of their names. Names and lengths are hashed too, so
/// that a renamed file or a line moved from one file to the next is a change.
pub(crate) fn sources_hex(sources: &mut [(String, Vec<u8>)]) -> String {
    sources.sort();
    let mut hasher = Sha256::new();
    for (name, bytes) in sources {
        let bytes = unix_lines(bytes);
        hasher.update(format!("{name}\n{}\n", bytes.len()));
        hasher.update(bytes);
    }
    to_hex(&hasher.finalize())
}

/// Every file below a folder, or the file itself. Hidden files and an editor's backups are no
/// sources, and a folder that does not exist has none.
pub(crate) fn files_below(path: &Path) -> Outcome<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    let problem = |error| format!("cannot list {}: {error}", path.display());
    for entry in fs::read_dir(path).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with('.') && !name.ends_with('~') {
            files.extend(files_below(&entry.path())?);
        }
    }
    Ok(files)
}

/// Reads a file; the error names it.
pub(crate) fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn unix_lines(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            lines.push(*byte);
        }
    }
    lines
}

fn to_hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(files: &[(&str, &str)]) -> String {
        let mut files: Vec<_> = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect();
        sources_hex(&mut files)
    }

    #[test]
    fn a_hash_is_the_known_one() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex(b""), empty);
    }

    #[test]
    fn line_ends_do_not_change_a_hash_but_a_lone_return_does() {
        assert_eq!(text_hex(b"a\r\nb\r\n"), text_hex(b"a\nb\n"));
        assert_ne!(text_hex(b"a\rb\n"), text_hex(b"ab\n"));
        assert_eq!(sources(&[("a", "x\r\n")]), sources(&[("a", "x\n")]));
    }

    #[test]
    fn the_order_in_which_files_are_found_does_not_matter() {
        let one = sources(&[("a", "1"), ("b", "2")]);
        assert_eq!(one, sources(&[("b", "2"), ("a", "1")]));
    }

    #[test]
    fn a_renamed_file_and_a_moved_line_are_changes() {
        let before = sources(&[("a", "1\n2\n"), ("b", "3\n")]);
        assert_ne!(before, sources(&[("a", "1\n2\n"), ("c", "3\n")]));
        assert_ne!(before, sources(&[("a", "1\n"), ("b", "2\n3\n")]));
    }
}
