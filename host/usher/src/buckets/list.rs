//! One bucket as it is kept: what its file says, and what policies put in besides.

use super::file::{self, FileError};
use crate::admin::BucketStatus;
use crate::config;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use usher_core::Moment;
use usher_runtime::{Bucket, Entry};

/// How long a file that ends in half a line must stay the same before it is taken for whole.
const UNFINISHED: Duration = Duration::from_millis(500);

/// A bucket.
pub(super) struct List {
    pub(super) name: Arc<str>,
    pub(super) file: Option<PathBuf>,
    most: u32,
    /// What the file says.
    read: Arc<Bucket>,
    read_at: Moment,
    /// What policies put in.
    put: HashMap<Entry, Put>,
    /// Whether some of that is to be written and has not been tried.
    to_write: bool,
    /// When the file is to be looked at again, and a hash of what it was at the last look.
    unfinished: Option<(Moment, u64)>,
    problem: Option<String>,
}

/// An entry that a policy put in.
struct Put {
    /// When it goes; `None` for never.
    until: Option<Moment>,
    /// Whether it stands in the file, which then has the say.
    written: bool,
}

/// Why an entry was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotPut {
    /// As many as there may be are there.
    Full,
    /// It, or one that stays longer, is there.
    Known,
}

/// What came of looking at the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Looked {
    /// The bucket has what it had.
    Same,
    /// It has something else.
    Changed,
    /// It may be half written: look again at [`List::due`].
    Unfinished,
}

impl List {
    /// Reads the file for the first time.
    pub(super) fn open(config: &config::Bucket, now: Moment) -> Result<List, FileError> {
        let read = match &config.file {
            Some(file) => file::parse(&file::read(file)?, config.max_entries)?,
            None => Bucket::default(),
        };
        Ok(List {
            name: config.name.clone(),
            file: config.file.clone(),
            most: config.max_entries,
            read: Arc::new(read),
            read_at: now,
            put: HashMap::new(),
            to_write: false,
            unfinished: None,
            problem: None,
        })
    }

    /// What policies see of it.
    pub(super) fn merged(&self) -> Arc<Bucket> {
        if self.put.is_empty() {
            return self.read.clone();
        }
        let mut merged = Bucket::clone(&self.read);
        for entry in self.put.keys() {
            // The operator's note stays.
            if !merged.has(entry) {
                merged.insert(entry.clone(), "".into());
            }
        }
        Arc::new(merged)
    }

    /// Reads the file again. `insists` takes what may be half a line for a whole one.
    pub(super) fn look(&mut self, insists: bool, now: Moment) -> Result<Looked, FileError> {
        let Some(path) = &self.file else {
            return Ok(Looked::Same);
        };
        let before = self.unfinished.take();
        let looked = file::read(path).and_then(|bytes| {
            if !insists && file::is_unfinished(&bytes) {
                let mut hash = DefaultHasher::new();
                bytes.hash(&mut hash);
                let hash = hash.finish();
                let stayed = before.is_some_and(|(due, was)| was == hash && now >= due);
                if !stayed {
                    self.unfinished = Some((now.after(UNFINISHED), hash));
                    return Ok(None);
                }
            }
            file::parse(&bytes, self.most).map(Some)
        });
        let read = match looked {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(Looked::Unfinished),
            Err(error) => {
                self.problem = Some(format!("{}{error}", path.display()));
                return Err(error);
            }
        };
        self.problem = None;
        self.read_at = now;
        let before = self.merged();
        // What was written is in it, or was taken out by the operator.
        self.put.retain(|_, put| !put.written);
        self.read = Arc::new(read);
        match self.merged() == before {
            true => Ok(Looked::Same),
            false => Ok(Looked::Changed),
        }
    }

    /// Puts an entry in, until a moment or for good.
    pub(super) fn put(&mut self, entry: Entry, until: Option<Moment>) -> Result<(), NotPut> {
        if self.read.has(&entry) {
            return Err(NotPut::Known);
        }
        let room = self.read.len() + self.put.len() < self.most as usize;
        match self.put.get_mut(&entry) {
            Some(put) => {
                // Whichever lasts longer; `None` is for good.
                let longer = match (put.until, until) {
                    (None, _) => false,
                    (Some(_), None) => true,
                    (Some(old), Some(new)) => new > old,
                };
                if !longer {
                    return Err(NotPut::Known);
                }
                put.until = until;
            }
            None if room => {
                let written = false;
                self.put.insert(entry, Put { until, written });
            }
            None => return Err(NotPut::Full),
        }
        self.to_write |= until.is_none() && self.file.is_some();
        Ok(())
    }

    /// Takes out what has had its time. Whether that was something.
    pub(super) fn expire(&mut self, now: Moment) -> bool {
        let put = self.put.len();
        self.put
            .retain(|_, put| put.until.is_none_or(|until| until > now));
        put != self.put.len()
    }

    /// Whether the file is to be looked at again by now.
    pub(super) fn is_unfinished(&self, now: Moment) -> bool {
        self.unfinished.is_some_and(|(due, _)| due <= now)
    }

    /// When something is to be done.
    pub(super) fn due(&self) -> Option<Moment> {
        let expiries = self.put.values().filter_map(|put| put.until);
        expiries.chain(self.unfinished.map(|(due, _)| due)).min()
    }

    /// Writes to the file what policies put in for good and is not there yet. Once for each change: what
    /// cannot be written is tried again with what comes next.
    pub(super) fn write(&mut self, now: Moment) -> io::Result<()> {
        let Some(path) = self.file.as_deref().filter(|_| self.to_write) else {
            return Ok(());
        };
        self.to_write = false;
        let for_good = |put: &Put| put.until.is_none() && !put.written;
        let lines = self.put.iter().filter(|(_, put)| for_good(put));
        let mut lines: Vec<_> = lines.map(|(entry, _)| file::line_of(entry)).collect();
        if lines.is_empty() {
            return Ok(());
        }
        lines.sort();
        append(path, &lines, now)?;
        for put in self.put.values_mut().filter(|put| for_good(put)) {
            put.written = true;
        }
        Ok(())
    }

    /// For operators.
    pub(super) fn status(&self) -> BucketStatus {
        let known = self.put.keys().filter(|entry| self.read.has(entry)).count();
        BucketStatus {
            name: self.name.to_string(),
            file: self.file.as_ref().map(|file| file.display().to_string()),
            state: match self.problem {
                None => "ok",
                Some(_) => "failed-to-load",
            },
            entries: self.read.len() + self.put.len() - known,
            put: self.put.len(),
            loaded_at: self.read_at.as_millis(),
            last_error: self.problem.clone(),
        }
    }
}

/// Adds lines to a file that is there, behind a line that says where they come from.
fn append(path: &Path, lines: &[String], now: Moment) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).append(true).open(path)?;
    let mut text = String::new();
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            text.push('\n');
        }
    }
    let at = UNIX_EPOCH.checked_add(Duration::from_millis(now.as_millis()));
    let at = humantime::format_rfc3339_seconds(at.unwrap_or(UNIX_EPOCH));
    text.push_str(&format!("# put in by a policy, {at}\n"));
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    // In one piece: whoever reads at the same time sees all or nothing of it.
    file.write_all(text.as_bytes())
}
