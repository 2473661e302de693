//! The way to a file, through every symbolic link on it.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The most links on one way; the system itself gives up at 40.
const LINKS: usize = 40;

/// What decides what a path leads to: the file, and every link on the way. Where the way breaks off, what is
/// missing.
pub(super) fn entries(path: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let Ok(path) = std::path::absolute(path) else {
        return found;
    };
    let mut here = PathBuf::new();
    let mut ahead: VecDeque<OsString> = names(&path);
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        let parent = here.clone();
        // `push` starts anew at a root, and `..` after a link means the target's parent.
        if name == ".." {
            here.pop();
            continue;
        }
        here.push(&name);
        let Ok(metadata) = fs::symlink_metadata(&here) else {
            found.insert(here);
            return found;
        };
        if metadata.is_symlink() {
            found.insert(here.clone());
            links += 1;
            let target = fs::read_link(&here);
            let Ok(target) = target else { return found };
            if links > LINKS {
                return found;
            }
            here = parent;
            for name in names(&target).into_iter().rev() {
                ahead.push_front(name);
            }
        } else if ahead.is_empty() {
            found.insert(here.clone());
        }
    }
    found
}

fn names(path: &Path) -> VecDeque<OsString> {
    let components = path.components();
    let named = components.filter(|component| *component != Component::CurDir);
    named
        .map(|component| component.as_os_str().to_owned())
        .collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn relative(root: &Path, path: &str) -> Vec<String> {
        let found = entries(&root.join(path));
        let below = found
            .iter()
            .filter_map(|entry| entry.strip_prefix(root).ok());
        below.map(|entry| entry.display().to_string()).collect()
    }

    #[test]
    fn every_link_on_the_way_counts() {
        let root = tempfile::tempdir().expect("a directory");
        // What is below a link of the system, such as /tmp on some, is not of interest here.
        let root = root.path().canonicalize().expect("there");
        let make = |path: &str| fs::create_dir_all(root.join(path)).expect("a directory");
        for path in ["etc/..2024", "store/v1", "etc/plain"] {
            make(path);
        }
        fs::write(root.join("etc/..2024/open.wasm"), "x").expect("a file");
        fs::write(root.join("store/v1/m.wasm"), "x").expect("a file");
        symlink("..2024", root.join("etc/..data")).expect("a link");
        symlink("..data/open.wasm", root.join("etc/open.wasm")).expect("a link");
        symlink(root.join("store"), root.join("etc/abs")).expect("a link");
        symlink("../abs/v1/m.wasm", root.join("etc/plain/m.wasm")).expect("a link");
        symlink("loop", root.join("loop")).expect("a link");
        for (path, expected) in [
            ("store/v1/m.wasm", &["store/v1/m.wasm"][..]),
            (
                "etc/open.wasm",
                &["etc/..2024/open.wasm", "etc/..data", "etc/open.wasm"],
            ),
            ("etc/missing/m.wasm", &["etc/missing"]),
            ("etc/missing.wasm", &["etc/missing.wasm"]),
            ("loop", &["loop"]),
            (
                "etc/plain/m.wasm",
                &["etc/abs", "etc/plain/m.wasm", "store/v1/m.wasm"],
            ),
        ] {
            assert_eq!(relative(&root, path), expected, "{path}");
        }
    }
}
