//! Compiled code, kept between runs.
//!
//! An entry is native code and is executed as it is, so the directory must be the host's own: it
//! belongs to the host's user, and nobody else may enter it. Within it an entry is named by the hash of
//! the module and of everything about the compiler that matters, and begins with the hash of what
//! follows, so that a damaged, cut or foreign file is only a miss.

use crate::deserialize::deserialize;
use crate::hex::hex;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::hash::{Hash as _, Hasher};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use wasmtime::component::Component;

/// What an entry begins with; the last byte is the version of the format.
const MAGIC: &[u8; 8] = b"usher-c\x01";
/// How many entries are kept; the ones written longest ago go first.
const ENTRIES: usize = 64;

/// A directory of compiled code.
pub(crate) struct Cache {
    directory: PathBuf,
    /// Of the compiler's version, its settings and the machine.
    compiler: u64,
    /// Counts writes, so that no two have one unfinished file.
    writes: AtomicU64,
}

impl Cache {
    /// Opens the directory, and makes it if it is not there. An error says what is wrong with it.
    pub(crate) fn open(directory: &Path, engine: &wasmtime::Engine) -> Result<Cache, String> {
        make(directory).map_err(|error| format!("can't be made: {error}"))?;
        own(directory)?;
        let mut hasher = StableHasher(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        // What makes a component of a core module comes with the host.
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        Ok(Cache {
            directory: directory.to_owned(),
            compiler: hasher.finish(),
            writes: AtomicU64::new(0),
        })
    }

    /// The compiled code of a module, if it is there and whole.
    pub(crate) fn get(&self, engine: &wasmtime::Engine, bytes: &[u8]) -> Option<Component> {
        let path = self.entry(bytes);
        // A link or a pipe was not written here, and reading it might not end.
        if !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let entry = fs::read(path).ok()?;
        let code = checked(&entry)?;
        deserialize(engine, code).ok()
    }

    /// Keeps the compiled code of a module. A cache that can't be written costs time and nothing else, so that
    /// is only logged.
    pub(crate) fn put(&self, bytes: &[u8], component: &Component) {
        let stored = component
            .serialize()
            .map_err(io::Error::other)
            .and_then(|code| self.write(&self.entry(bytes), &code));
        if let Err(error) = stored {
            let directory = self.directory.display();
            tracing::warn!("compiled code is not kept in {directory}: {error}");
        }
    }

    fn entry(&self, bytes: &[u8]) -> PathBuf {
        let mut hash = Sha256::new();
        hash.update(self.compiler.to_le_bytes());
        hash.update(bytes);
        self.directory
            .join(format!("{}.code", hex(&hash.finalize())))
    }

    fn write(&self, entry: &Path, code: &[u8]) -> io::Result<()> {
        let write = self.writes.fetch_add(1, Ordering::Relaxed);
        let unfinished = entry.with_extension(format!("new-{}-{write}", std::process::id()));
        let written = fill(&unfinished, code).and_then(|()| fs::rename(&unfinished, entry));
        if written.is_err() {
            // On a full disk every part of an entry that stayed would be in the way of the next.
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        self.prune()
    }

    fn prune(&self) -> io::Result<()> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            match entry.metadata().and_then(|metadata| metadata.modified()) {
                Ok(modified) => entries.push((modified, entry.path())),
                // Another load, or another host, has just finished or removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        entries.sort();
        let surplus = entries.len().saturating_sub(ENTRIES);
        for (_, path) in entries.into_iter().take(surplus) {
            match fs::remove_file(path) {
                // Another load was quicker.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                result => result?,
            }
        }
        Ok(())
    }
}

/// Writes an entry whole. It is not waited for until it is on the disk: a module that was just replaced is to
/// serve, and what a power failure leaves of an entry is a miss.
fn fill(path: &Path, code: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(MAGIC)?;
    file.write_all(&Sha256::digest(code))?;
    file.write_all(code)
}

/// The code of an entry, if it is what was written.
fn checked(entry: &[u8]) -> Option<&[u8]> {
    let rest = entry.strip_prefix(MAGIC)?;
    let (hash, code) = rest.split_at_checked(32)?;
    (Sha256::digest(code)[..] == *hash).then_some(code)
}

#[cfg(unix)]
fn make(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(directory)
}

#[cfg(not(unix))]
fn make(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// Whether the directory is the host's own. Whose the host is, a file that it makes there tells.
#[cfg(unix)]
fn own(directory: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    let fails = |error: io::Error| format!("can't be used: {error}");
    let metadata = fs::metadata(directory).map_err(fails)?;
    if metadata.mode() & 0o077 != 0 {
        let mode = metadata.mode() & 0o777;
        return Err(format!(
            "has mode {mode:03o}, which lets others in: chmod 700 it"
        ));
    }
    let probe = directory.join(format!("probe-{}", std::process::id()));
    let mine = fs::File::create(&probe).and_then(|file| file.metadata());
    let mine = mine.map_err(fails)?.uid();
    fs::remove_file(&probe).map_err(fails)?;
    if metadata.uid() != mine {
        let owner = metadata.uid();
        return Err(format!(
            "belongs to user {owner}, the host runs as {mine}: name another"
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn own(_directory: &Path) -> Result<(), String> {
    Err("can't be kept to the host alone on this system: leave the cache out".to_owned())
}

/// A hasher whose result is the same in every build and run.
struct StableHasher(Sha256);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest
            .iter()
            .take(8)
            .fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> wasmtime::Engine {
        wasmtime::Engine::default()
    }

    #[test]
    fn only_what_was_written_is_read() {
        let mut entry = MAGIC.to_vec();
        entry.extend_from_slice(&Sha256::digest(b"code"));
        entry.extend_from_slice(b"code");
        assert_eq!(checked(&entry), Some(&b"code"[..]));
        for index in 0..entry.len() {
            let mut flipped = entry.clone();
            flipped[index] ^= 1;
            assert_eq!(checked(&flipped), None, "bit of byte {index}");
            assert_eq!(checked(&entry[..index]), None, "cut at {index}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_others_may_enter_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().expect("a directory");
        let directory = parent.path().join("a/b");
        assert!(Cache::open(&directory, &engine()).is_ok());
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&directory, open).expect("own directory");
        let refused = Cache::open(&directory, &engine()).err().expect("refused");
        assert!(
            refused.contains("mode 755") && refused.contains("chmod 700"),
            "{refused}"
        );
    }

    #[test]
    fn an_entry_that_cannot_be_finished_leaves_nothing() {
        let parent = tempfile::tempdir().expect("a directory");
        let cache = Cache::open(&parent.path().join("cache"), &engine()).expect("a cache");
        let entry = cache.entry(b"component");
        fs::create_dir(&entry).expect("it is in the way");
        assert!(cache.write(&entry, b"code").is_err());
        let left = fs::read_dir(&cache.directory).expect("a directory").count();
        assert_eq!(left, 1, "only what was in the way");
    }

    #[test]
    fn the_oldest_entries_go() {
        let parent = tempfile::tempdir().expect("a directory");
        let cache = Cache::open(&parent.path().join("cache"), &engine()).expect("a cache");
        for number in 0..ENTRIES + 3 {
            let entry = cache.entry(&number.to_le_bytes());
            cache.write(&entry, b"code").expect("a file");
        }
        let left = fs::read_dir(&cache.directory).expect("a directory").count();
        assert_eq!(left, ENTRIES);
    }
}
