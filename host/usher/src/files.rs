//! Text files that an operator names: read whole, and never more of them than makes sense.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The most that is read, in bytes. A configuration of a thousand policies is smaller.
const LARGEST: u64 = 1 << 20;

/// The text of a file, which may also be a pipe.
///
/// # Errors
///
/// Those of reading; text that is not UTF-8, or does not end within 1 MiB, as `/dev/zero` does not.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?
        .take(LARGEST + 1)
        .read_to_string(&mut text)?;
    if read as u64 > LARGEST {
        return Err(io::Error::other(format!(
            "it is larger than {} MiB",
            LARGEST >> 20
        )));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_not_read_to_its_end() {
        let endless = read_text(Path::new("/dev/zero")).unwrap_err();
        assert!(endless.to_string().contains("larger"), "{endless}");
        assert!(read_text(Path::new("/")).is_err());
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("usher.toml");
        std::fs::write(&file, "[limits]\n").expect("a file");
        assert_eq!(read_text(&file).expect("readable"), "[limits]\n");
    }
}
