//! A bucket's file: how it is read, and how a line of it is written.
//!
//! An entry a line. A `#` at the beginning of a line, or behind a space, begins a note; `\#` is a `#` that
//! does not.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use usher_runtime::{Bucket, Entry};

/// The most bytes of a file. A hundred thousand lines of names with notes have a tenth of it.
const LARGEST: u64 = 64 << 20;
/// The most bytes of a line.
const LONGEST: usize = 512;

/// Why a file cannot be used; the end of a sentence that begins with the file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not there.
    #[error(" is not there: an empty file is an empty list")]
    Missing,
    /// The system does not give it.
    #[error(" cannot be read: {0}")]
    Unreadable(io::Error),
    /// A directory, a pipe or a device.
    #[error(" is not a file")]
    NotAFile,
    /// More than any list has.
    #[error(" is larger than {} MiB", LARGEST >> 20)]
    TooLarge,
    /// More entries than the configuration allows.
    #[error(" has more than {0} entries: raise the bucket's max-entries")]
    TooMany(u32),
    /// What is not an entry, with how many lines are wrong besides.
    #[error(":{line}: {problem}{}", and_others(*.others))]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
        /// How many more are wrong.
        others: usize,
    },
}

fn and_others(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => "; another line is wrong too".to_owned(),
        more => format!("; {more} other lines are wrong too"),
    }
}

/// The bytes of a file, whatever is in them.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => FileError::Missing,
        _ => FileError::Unreadable(error),
    };
    // Before it is opened: opening a pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(FileError::NotAFile);
    }
    let mut bytes = Vec::new();
    if metadata.len() == 0 {
        // What the kernel shows as files has no length, and reading some of it waits for ever.
        return Ok(bytes);
    }
    let file = File::open(path).map_err(unreadable)?;
    let mut bounded = file.take(LARGEST + 1);
    bounded.read_to_end(&mut bytes).map_err(unreadable)?;
    match bytes.len() as u64 > LARGEST {
        true => Err(FileError::TooLarge),
        false => Ok(bytes),
    }
}

/// How many entries are in a file that a bucket could have.
///
/// # Errors
///
/// Why none could.
pub fn count(path: &Path) -> Result<usize, FileError> {
    Ok(parse(&read(path)?, u32::MAX)?.len())
}

/// Whether a file may be one of which the rest is still to come: nothing, or half a line.
pub(super) fn is_unfinished(bytes: &[u8]) -> bool {
    bytes.last() != Some(&b'\n')
}

/// The entries in a file, at most so many.
pub(super) fn parse(bytes: &[u8], most: u32) -> Result<Bucket, FileError> {
    /// What an editor may put in front.
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let mut bucket = Bucket::default();
    let mut wrong: Option<(usize, String)> = None;
    let mut others = 0;
    // Most entries have no note.
    let empty: Arc<str> = "".into();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        match entry_of(line) {
            Ok(Some((entry, note))) => {
                let note = match note.is_empty() {
                    true => empty.clone(),
                    false => note.into(),
                };
                bucket.insert(entry, note);
                if bucket.len() > most as usize {
                    return Err(FileError::TooMany(most));
                }
            }
            Ok(None) => {}
            Err(_) if wrong.is_some() => others += 1,
            Err(problem) => wrong = Some((number, problem)),
        }
    }
    match wrong {
        None => Ok(bucket),
        Some((line, problem)) => Err(FileError::Line {
            line,
            problem,
            others,
        }),
    }
}

/// The entry and the note in a line; `None` for a line without an entry.
fn entry_of(line: &[u8]) -> Result<Option<(Entry, String)>, String> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() > LONGEST {
        let length = line.len();
        return Err(format!(
            "it has {length} bytes, and {LONGEST} are allowed in a line"
        ));
    }
    let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    let (text, note) = split(line);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let entry = Entry::parse(&text).map_err(|problem| {
        let shown = crate::text::Shown(text.trim());
        format!("\"{shown}\" {problem}")
    })?;
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let note: String = note.trim().chars().map(plain).collect();
    Ok(Some((entry, note)))
}

/// What stands before the note, and the note.
fn split(line: &str) -> (String, &str) {
    let mut text = String::with_capacity(line.len());
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        if letter == '\\' && next == Some('#') {
            text.push('#');
            letters.next();
        } else if letter == '#' && text.chars().next_back().is_none_or(char::is_whitespace) {
            return (text, &line[at + 1..]);
        } else {
            text.push(letter);
        }
    }
    (text, "")
}

/// A line that [`parse`] understands as this entry, without its end. An entry has at most half the bytes of
/// a line, so it fits however many `#` are in it.
pub(super) fn line_of(entry: &Entry) -> String {
    let text = match entry {
        Entry::Text(text) => text,
        Entry::Network(network) => return network.to_string(),
    };
    let mut line = String::with_capacity(text.len());
    let mut before = None;
    for letter in text.chars() {
        let begins = before.is_none_or(|before: char| before.is_whitespace() || before == '\\');
        if letter == '#' && begins {
            line.push('\\');
        }
        line.push(letter);
        before = Some(letter);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Bucket, String> {
        parse(text.as_bytes(), 5).map_err(|error| format!("bans.txt{error}"))
    }

    #[test]
    fn a_line_is_an_entry_with_a_note_or_a_comment() {
        let text = "\u{feff}# bans of the spring\r\n\r\nR9 # cheats\tand lies\r\n  two words  #\n\
                    R9#1234\n\\#1 \\# of all\n192.0.2.0/24 # the school";
        let bucket = parsed(text).expect("good");
        assert_eq!(bucket.len(), 5);
        let note = |text| bucket.get(text).map(|note| &**note);
        assert_eq!(note("R9"), Some("cheats and lies"));
        assert_eq!(note("two words"), Some(""));
        assert_eq!(note("R9#1234"), Some(""));
        assert_eq!(note("#1 # of all"), Some(""));
        let address = "192.0.2.9".parse().expect("an address");
        assert_eq!(
            bucket.matching(address).map(|note| &**note),
            Some("the school")
        );
        assert!(parsed("").expect("good").is_empty());
        assert!(parsed("\n # nobody\n").expect("good").is_empty());
    }

    #[test]
    fn the_first_wrong_line_is_named_and_the_others_are_counted() {
        let long = "x".repeat(513);
        for (text, says) in [
            (
                "R9\n192.0.2.256 # him\n",
                "bans.txt:2: \"192.0.2.256\" looks like an IP address and is none: write 192.0.2.1, \
                 192.0.2.0/24 or 2001:db8::/32",
            ),
            ("a\tb", "bans.txt:1: \"a\\tb\" has a control character"),
            (
                "\n\na\rb\n1.2.3.*\n",
                "bans.txt:3: \"a\\rb\" has a control character; another line is wrong too",
            ),
            (
                &long,
                "bans.txt:1: it has 513 bytes, and 512 are allowed in a line",
            ),
            (
                "1\n2\n3\n4\n5\n6",
                "bans.txt has more than 5 entries: raise the bucket's max-entries",
            ),
        ] {
            assert_eq!(parsed(text).map(|_| ()), Err(says.to_owned()));
        }
        let latin = parse(b"R9\nb\xe4d\nb\xe4d\nb\xe4d\n", 5).expect_err("not UTF-8");
        let says = ":2: it is not UTF-8; 2 other lines are wrong too";
        assert_eq!(latin.to_string(), says);
    }

    #[test]
    fn entries_that_are_there_twice_count_once() {
        let bucket = parsed("R9\nR9 # again\n10.0.0.1/8\n10.9.9.9/8\n1\n2\n3");
        assert_eq!(bucket.expect("five").len(), 5);
    }

    #[test]
    fn what_is_written_is_read_as_the_same_entry() {
        let words = [
            "#", "\\", "\\#", " ", "a", "#a", " #", "\\\\#", "é", "\u{a0}",
        ];
        let mut texts: Vec<String> = vec![String::new()];
        for _ in 0..4 {
            let longer = texts.iter().flat_map(|text| {
                let longer = words.iter().map(move |word| format!("{text}{word}"));
                longer.chain([text.clone()])
            });
            let mut longer: Vec<String> = longer.collect();
            longer.sort();
            longer.dedup();
            texts = longer;
        }
        for text in texts {
            let Ok(entry) = Entry::parse(&text) else {
                continue;
            };
            let line = format!("{} # note", line_of(&entry));
            let (read, note) = entry_of(line.as_bytes()).expect("good").expect("an entry");
            assert_eq!((read, note.as_str()), (entry, "note"), "{line}");
        }
        let network = Entry::parse("192.0.2.7/24").expect("a network");
        assert_eq!(line_of(&network), "192.0.2.0/24");
    }

    #[test]
    fn what_is_no_file_of_a_fair_size_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let large = directory.path().join("large.txt");
        let file = File::create(&large).expect("a file");
        file.set_len(LARGEST + 1).expect("a sparse file");
        let missing = directory.path().join("missing.txt");
        for (path, says) in [
            (directory.path(), " is not a file"),
            (&*large, " is larger than 64 MiB"),
            (&*missing, " is not there: an empty file is an empty list"),
            (Path::new("/dev/zero"), " is not a file"),
        ] {
            assert_eq!(read(path).expect_err("refused").to_string(), says);
        }
    }

    #[test]
    fn half_a_line_may_be_one_that_is_still_written() {
        for (text, unfinished) in [("", true), ("R9", true), ("R9\n", false), ("R9\r\n", false)] {
            assert_eq!(is_unfinished(text.as_bytes()), unfinished, "{text:?}");
        }
    }
}
