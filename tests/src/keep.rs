//! What is kept of a run: everything that hosts said, and every secret that tests used, so that a search
//! afterwards finds the one in the other.
//!
//! Only where `USHER_KEEP` names a folder, as `cargo xtask test` does; it is a new one for each run.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The least that a secret must have to be found without finding what is none.
pub const SHORTEST: usize = 10;

/// The folder.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("USHER_KEEP").map(PathBuf::from)
}

/// Where secrets are, in a folder of a run: a file a process, a secret a line.
pub fn secrets(folder: &Path) -> PathBuf {
    folder.join("secrets")
}

/// Where what was said is, in a folder of a run.
pub fn said(folder: &Path) -> PathBuf {
    folder.join("said")
}

/// Registers a secret, which nothing that a host says may hold.
///
/// # Panics
///
/// If it is so short that it might be found by chance.
pub fn secret(text: &str) {
    static FILE: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    assert!(text.len() >= SHORTEST, "a secret must be long to be found");
    append(&FILE, secrets, &text.replace('\n', "\\n"));
}

/// Keeps what a client was told.
pub fn told(text: &str) {
    static FILE: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    append(&FILE, said, text);
}

/// Keeps something that a host said, such as its log.
///
/// # Panics
///
/// If there is no room for it.
pub fn output(name: &str, text: &[u8]) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Some(folder) = folder() else { return };
    let folder = said(&folder);
    fs::create_dir_all(&folder).expect("there is room for what is kept");
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = format!("{}-{number}-{name}", std::process::id());
    fs::write(folder.join(file), text).expect("there is room for what is kept");
}

fn append(file: &OnceLock<Option<Mutex<File>>>, place: fn(&Path) -> PathBuf, line: &str) {
    let file = file.get_or_init(|| {
        let folder = place(&folder()?);
        fs::create_dir_all(&folder).expect("there is room for what is kept");
        let path = folder.join(format!("{}-lines", std::process::id()));
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(path);
        Some(Mutex::new(file.expect("there is room for what is kept")))
    });
    if let Some(file) = file {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(file, "{line}").expect("there is room for what is kept");
    }
}
