//! The text files of the repository, read once for all checks.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::hash;
use crate::process::{self, Outcome};
use crate::workspace::slashed;

/// A file of the repository that is text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextFile {
    /// Inside the workspace, with `/` on every system.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    /// A file that only exists in a test.
    #[cfg(test)]
    pub(crate) fn new(path: &str, text: &str) -> TextFile {
        TextFile {
            path: path.into(),
            text: text.into(),
        }
    }

    /// What follows the last dot of the name, or nothing.
    pub(crate) fn kind(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or("", |(_, kind)| kind)
    }

    /// Whether the bytes are test data, which must stay as they are whatever they look like.
    pub(crate) fn is_data(&self) -> bool {
        let mut folders: Vec<_> = self.path.split('/').collect();
        folders.pop();
        let is_data = |name: &&str| matches!(*name, "data" | "corpus" | "golden" | "snapshots");
        folders.iter().any(is_data) || matches!(self.kind(), "snap" | "golden")
    }
}

/// Reads every text file that git knows or would add. Where there is no git (a source archive),
/// every file counts that is not in a target folder.
pub(crate) fn read_all(root: &Path) -> Outcome<Vec<TextFile>> {
    let paths = match git_files(root) {
        Ok(paths) => paths,
        Err(_) => walked_files(root)?,
    };
    let mut files: Vec<_> = paths
        .into_iter()
        .filter_map(|path| {
            // A file that git lists may just have been deleted, and one that is not UTF-8 is not
            // text: neither has anything to check.
            let text = String::from_utf8(fs::read(root.join(&path)).ok()?).ok()?;
            (!text.contains('\0')).then_some(TextFile { path, text })
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup();
    Ok(files)
}

/// Finds a file by its path inside the workspace.
pub(crate) fn find<'a>(files: &'a [TextFile], path: &str) -> Option<&'a TextFile> {
    files.iter().find(|file| file.path == path)
}

fn git_files(root: &Path) -> Outcome<Vec<String>> {
    let mut command = Command::new("git");
    command.args(["ls-files", "-z", "--cached", "--others"]);
    command.arg("--exclude-standard").current_dir(root);
    let listed = process::output(&mut command)?;
    let names = listed.split('\0').filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

fn walked_files(root: &Path) -> Outcome<Vec<String>> {
    let files = hash::files_below(root)?;
    let names = files.iter().filter_map(|file| file.strip_prefix(root).ok());
    Ok(names
        .filter(|name| !name.iter().any(|part| part == "target"))
        .map(slashed)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> TextFile {
        TextFile::new(path, "")
    }

    #[test]
    fn the_kind_is_what_follows_the_last_dot() {
        assert_eq!(file("host/core/src/lib.rs").kind(), "rs");
        assert_eq!(file("a.b/LICENSE").kind(), "");
    }

    #[test]
    fn test_data_is_known_by_its_folder_or_its_kind() {
        assert!(file("tests/data/hello.txt").is_data());
        assert!(file("fuzz/corpus/frame/1").is_data());
        assert!(file("host/wire/src/quake.snap").is_data());
        assert!(!file("host/wire/src/data.rs").is_data());
    }

    #[test]
    fn this_repository_is_found_with_git_and_without() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for names in [
            git_files(&root).unwrap_or_default(),
            walked_files(&root).unwrap(),
        ] {
            if !names.is_empty() {
                assert!(names.iter().any(|name| name == "xtask/src/main.rs"));
                assert!(!names.iter().any(|name| name.starts_with("target/")));
            }
        }
    }
}
