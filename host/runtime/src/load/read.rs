//! Reads a module's bytes, whole and bounded.

use super::error::LoadError;
use crate::config::Source;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The most bytes of a module. One that carries an interpreter has about 18 MiB.
const LARGEST: u64 = 32 << 20;

/// The bytes of a module, whatever is in them.
pub(crate) fn read(source: &Source) -> Result<Cow<'static, [u8]>, LoadError> {
    match source {
        Source::File(path) => read_file(path).map(Cow::Owned),
        Source::Builtin { bytes, .. } => Ok(Cow::Borrowed(bytes)),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    let shown = || path.display().to_string();
    let unreadable = |error: io::Error| LoadError::Unreadable {
        path: shown(),
        error,
    };
    // Before it is opened: opening a pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(LoadError::NotAFile { path: shown() });
    }
    let mut bytes = Vec::new();
    if metadata.len() == 0 {
        // What the kernel shows as files has no length, and reading some of it waits for ever.
        return Ok(bytes);
    }
    let file = File::open(path).map_err(unreadable)?;
    let mut bounded = file.take(LARGEST + 1);
    bounded.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(LoadError::TooLarge { limit: LARGEST });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("m.wasm");
        std::fs::write(&path, [7; 100_000]).expect("a file");
        let bytes = read(&Source::File(path)).expect("readable");
        assert_eq!(bytes.len(), 100_000);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_only_looks_like_a_file_is_empty() {
        let bytes = read(&Source::File("/proc/self/status".into())).expect("there");
        assert!(bytes.is_empty());
    }

    #[test]
    fn what_is_no_file_of_a_fair_size_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let large = directory.path().join("large.wasm");
        let file = File::create(&large).expect("a file");
        file.set_len(64 << 20).expect("a sparse file");
        let missing = directory.path().join("missing.wasm");
        for (path, says) in [
            (
                directory.path(),
                "is not a file: name the .wasm file itself",
            ),
            (&*large, "is larger than 32 MiB"),
            (&*missing, "missing.wasm: No such file"),
            (Path::new("/dev/zero"), "is not a file"),
        ] {
            let error = read(&Source::File(path.to_owned())).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}
