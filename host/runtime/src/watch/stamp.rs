//! What of a file tells that it changed.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

/// What a path leads to, through links, as far as the system tells without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stamp {
    /// Nothing.
    Missing,
    /// Something.
    There {
        /// Which device and inode.
        identity: (u64, u64),
        /// Its length in bytes.
        length: u64,
        /// When it was written.
        modified: Option<SystemTime>,
    },
}

impl Stamp {
    /// Of a file.
    pub(super) fn of(path: &Path) -> Stamp {
        fs::metadata(path).map_or(Stamp::Missing, |metadata| Stamp::There {
            identity: identity(&metadata),
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }

    /// Of a directory, whatever is in it.
    pub(super) fn identity(path: &Path) -> Stamp {
        fs::metadata(path).map_or(Stamp::Missing, |metadata| Stamp::There {
            identity: identity(&metadata),
            length: 0,
            modified: None,
        })
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata) -> (u64, u64) {
    (0, 0)
}
