//! Puts the SDK, the contract and the templates of new modules into the program, so that `usher new`
//! writes a crate that builds anywhere, without a copy of this repository and without a registry that
//! knows the SDK.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // Asked now and not when this was compiled: a target folder may serve more than one checkout.
    let folder = env::var_os("CARGO_MANIFEST_DIR")
        .ok_or_else(|| io::Error::other("cargo says no CARGO_MANIFEST_DIR"))?;
    let root = Path::new(&folder).join("../..");
    let sdk = root.join("guest-sdk");
    let ticket = root.join("ticket");
    let mut list = String::new();
    for (name, from) in [
        ("SDK_SOURCES", sdk.join("src")),
        ("TICKET_SOURCES", ticket.join("src")),
        ("CONTRACT", root.join("wit")),
        ("POLICY_TEMPLATE", sdk.join("templates/policy")),
        ("RULES_TEMPLATE", sdk.join("templates/rules")),
    ] {
        println!("cargo:rerun-if-changed={}", from.display());
        let mut files = Vec::new();
        walk(&from, &mut files)?;
        files.sort();
        writeln!(list, "static {name}: &[File] = &[").expect("a string grows");
        for file in files {
            let inside = file.strip_prefix(&from).expect("walked from there");
            // `{:?}` writes a path as a Rust string, whatever is in it.
            writeln!(
                list,
                "    ({inside:?}, include_str!({:?})),",
                fs::canonicalize(&file)?
            )
            .expect("a string grows");
        }
        list.push_str("];\n");
    }
    for (name, of) in [("SDK_MANIFEST", &sdk), ("TICKET_MANIFEST", &ticket)] {
        let manifest = fs::canonicalize(of.join("standalone.Cargo.toml"))?;
        println!("cargo:rerun-if-changed={}", manifest.display());
        writeln!(list, "static {name}: &str = include_str!({manifest:?});")
            .expect("a string grows");
    }

    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(PathBuf::from(out).join("new_crate_files.rs"), list)
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        match path.is_dir() {
            true => walk(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
