//! Where the compiled modules are, and how they are put where a host watches.

use std::path::{Path, PathBuf};

/// The compiled module of this name.
///
/// # Panics
///
/// If it was not built: `cargo xtask wasm` builds all of them.
pub fn module(name: &str) -> PathBuf {
    let root = std::env::var_os("USHER_MODULES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/modules"),
        PathBuf::from,
    );
    let file = format!("{name}.wasm");
    [root.join("test").join(&file), root.join(&file)]
        .into_iter()
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{file} is not in {root:?}: run `cargo xtask wasm` first"))
}

/// Puts a module at a path by renaming over it, as a careful deployment does.
pub fn place(name: &str, at: &Path) {
    let beside = at.with_extension("new");
    std::fs::copy(module(name), &beside).expect("the test's own directory takes a file");
    std::fs::rename(&beside, at).expect("a rename within one directory works");
}
