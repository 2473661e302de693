//! The policies that ship inside the host: compiled copies, and the lock that ties each copy to
//! the sources it came from. The copies are in the repository so that `cargo run` needs no
//! compiler for WebAssembly; the lock is what keeps them from growing stale.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::hash;
use crate::process::Outcome;
use crate::wasm::{self, Kind, Module};
use crate::workspace::{Workspace, slashed};

/// What to run when a copy is stale; every complaint ends with it.
const REMEDY: &str = "run `cargo xtask policies` and commit host/usher/builtin";

/// The first lines of the lock.
const HEADER: &str = "\
# Written by `cargo xtask policies`. Each module beside this file was compiled from the sources
# whose SHA-256 is given; `cargo xtask tidy` fails when they no longer belong together.
";

/// The lock: an entry for each module, by name.
type Lock = BTreeMap<String, Entry>;

/// What a compiled copy came from, and what it is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// SHA-256 over the crate, the SDK with what it re-exports, and the interface that it was compiled from.
    sources: String,
    /// SHA-256 of the module file.
    wasm: String,
}

/// What is on the disk now: the hashes of sources, and of compiled copies.
struct Found {
    sources: BTreeMap<String, String>,
    wasm: BTreeMap<String, String>,
}

/// Rebuilds the copies whose sources moved on (or all, by force) and writes the lock. A copy whose
/// sources are the same stays: another compiler would change every byte of it for nothing.
pub(crate) fn rebuild(workspace: &Workspace, force: bool) -> Outcome {
    let folder = folder(workspace);
    let modules = shipped(workspace);
    // A lock that cannot be read is written anew.
    let mut lock = read_lock(&folder).unwrap_or_default();
    let found = look(workspace, &modules)?;
    let stale: Vec<_> = modules
        .iter()
        .filter(|module| force || !is_current(&module.name, &lock, &found))
        .cloned()
        .collect();

    lock.retain(|name, _| found.sources.contains_key(name));
    for name in found.wasm.keys() {
        if !found.sources.contains_key(name) {
            let file = folder.join(format!("{name}.wasm"));
            fs::remove_file(&file)
                .map_err(|error| format!("cannot remove {}: {error}", file.display()))?;
            println!("{name}: removed, its crate is gone");
        }
    }
    if !stale.is_empty() {
        for (module, artifact) in stale.iter().zip(wasm::build(workspace, &stale)?) {
            let bytes = hash::read(&artifact)?;
            wasm::write_if_changed(&folder.join(format!("{}.wasm", module.name)), &bytes)?;
            println!("{}: built, {}", module.name, wasm::size(bytes.len()));
            let entry = Entry {
                sources: found.sources[&module.name].clone(),
                wasm: hash::hex(&bytes),
            };
            lock.insert(module.name.clone(), entry);
        }
    }
    for module in modules.iter().filter(|module| !stale.contains(module)) {
        println!("{}: up to date", module.name);
    }
    wasm::write_if_changed(&folder.join("lock.toml"), write_lock(&lock)?.as_bytes())?;
    Ok(())
}

/// Fails when a copy does not belong to its sources any more.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let problems = problems(workspace)?;
    if problems.is_empty() {
        println!("all built-in policies are up to date");
        return Ok(());
    }
    Err(problems.join("\nxtask: "))
}

/// What is wrong with the copies, a line for each.
pub(crate) fn problems(workspace: &Workspace) -> Outcome<Vec<String>> {
    let found = look(workspace, &shipped(workspace))?;
    Ok(match read_lock(&folder(workspace)) {
        Ok(lock) => compare(&lock, &found),
        Err(problem) => vec![format!("{problem}: {REMEDY}")],
    })
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("host/usher/builtin")
}

/// Everything in `policies/` ships.
fn shipped(workspace: &Workspace) -> Vec<Module> {
    let mut modules = wasm::modules(workspace);
    modules.retain(|module| module.kind == Kind::Policy);
    modules
}

fn look(workspace: &Workspace, modules: &[Module]) -> Outcome<Found> {
    let mut sources = BTreeMap::new();
    for module in modules {
        let hash = sources_of(&workspace.root, &module.folder)?;
        sources.insert(module.name.clone(), hash);
    }
    let mut wasm = BTreeMap::new();
    for file in hash::files_below(&folder(workspace))? {
        let name = file.file_stem().and_then(|name| name.to_str());
        if let (Some(name), true) = (name, file.extension().is_some_and(|kind| kind == "wasm")) {
            wasm.insert(name.to_owned(), hash::hex(&hash::read(&file)?));
        }
    }
    Ok(Found { sources, wasm })
}

/// The hash over everything of ours that a module is compiled from.
fn sources_of(root: &Path, folder: &Path) -> Outcome<String> {
    let sdk = root.join("guest-sdk");
    let ticket = root.join("ticket");
    let mut files = Vec::new();
    for source in [
        folder.join("Cargo.toml"),
        folder.join("src"),
        sdk.join("Cargo.toml"),
        sdk.join("src"),
        ticket.join("Cargo.toml"),
        ticket.join("src"),
    ] {
        files.extend(hash::files_below(&source)?);
    }
    let interface = hash::files_below(&root.join("wit"))?;
    let is_wit = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "wit");
    files.extend(interface.into_iter().filter(is_wit));
    let mut sources = Vec::new();
    for file in files {
        let name = slashed(file.strip_prefix(root).unwrap_or(&file));
        sources.push((name, hash::read(&file)?));
    }
    Ok(hash::sources_hex(&mut sources))
}

fn is_current(name: &str, lock: &Lock, found: &Found) -> bool {
    lock.get(name).is_some_and(|entry| {
        found.sources.get(name) == Some(&entry.sources) && found.wasm.get(name) == Some(&entry.wasm)
    })
}

/// Everything in which the lock and the disk differ.
fn compare(lock: &Lock, found: &Found) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, sources) in &found.sources {
        let problem = match (lock.get(name), found.wasm.get(name)) {
            (None, _) => "is not built in yet",
            (Some(entry), _) if entry.sources != *sources => "was built from older sources",
            (Some(_), None) => "is in lock.toml, but its .wasm file is missing",
            (Some(entry), Some(wasm)) if entry.wasm != *wasm => {
                "is not the file that lock.toml was written for"
            }
            (Some(_), Some(_)) => continue,
        };
        problems.push(format!("built-in module {name} {problem}: {REMEDY}"));
    }
    for name in found.wasm.keys().chain(lock.keys()) {
        let problem = format!("built-in module {name} has no crate in policies/: {REMEDY}");
        if !found.sources.contains_key(name) && !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

fn read_lock(folder: &Path) -> Outcome<Lock> {
    let text = fs::read_to_string(folder.join("lock.toml"))
        .map_err(|error| format!("cannot read host/usher/builtin/lock.toml ({error})"))?;
    toml::from_str(&text).map_err(|error| {
        format!(
            "host/usher/builtin/lock.toml is damaged ({})",
            error.message()
        )
    })
}

fn write_lock(lock: &Lock) -> Outcome<String> {
    let text = toml::to_string(lock).map_err(|error| format!("cannot write the lock: {error}"))?;
    Ok(format!("{HEADER}\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(sources: &str, wasm: &str) -> Entry {
        Entry {
            sources: sources.into(),
            wasm: wasm.into(),
        }
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = |(name, hash): &(&str, &str)| ((*name).to_owned(), (*hash).to_owned());
        pairs.iter().map(owned).collect()
    }

    fn found(sources: &[(&str, &str)], wasm: &[(&str, &str)]) -> Found {
        Found {
            sources: map(sources),
            wasm: map(wasm),
        }
    }

    /// The complaints about one module `open`, locked as sources s1 and module w1.
    fn complaints(sources: &[(&str, &str)], wasm: &[(&str, &str)]) -> String {
        let lock = Lock::from([("open".into(), entry("s1", "w1"))]);
        compare(&lock, &found(sources, wasm)).join("\n")
    }

    #[test]
    fn what_belongs_together_passes() {
        assert_eq!(complaints(&[("open", "s1")], &[("open", "w1")]), "");
    }

    #[test]
    fn each_way_to_be_stale_names_the_module_and_the_command() {
        let moved_on = complaints(&[("open", "s2")], &[("open", "w1")]);
        assert!(moved_on.contains("open was built from older sources"));
        assert!(moved_on.contains("cargo xtask policies"));
        let changed = complaints(&[("open", "s1")], &[("open", "w2")]);
        assert!(changed.contains("open is not the file"));
        assert!(complaints(&[("open", "s1")], &[]).contains("file is missing"));
        let newcomer = complaints(&[("door", "s"), ("open", "s1")], &[("open", "w1")]);
        assert!(newcomer.contains("door is not built in yet"));
        let orphan = complaints(&[], &[("open", "w1")]);
        assert_eq!(orphan.matches("open has no crate").count(), 1);
    }

    #[test]
    fn a_lock_reads_back_as_it_was_written() {
        let lock = Lock::from([
            ("open".to_owned(), entry("s", "w")),
            ("quake-rules".to_owned(), entry("s2", "w2")),
        ]);
        let text = write_lock(&lock).unwrap();
        assert!(text.starts_with("# Written by `cargo xtask policies`"));
        assert_eq!(toml::from_str::<Lock>(&text).unwrap(), lock);
    }

    #[test]
    fn sources_of_a_module_are_its_crate_the_sdk_and_the_interface() {
        let root = std::env::temp_dir().join(format!("xtask-sources-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let hash = || sources_of(&root, &root.join("policies/open")).unwrap();
        for name in [
            "policies/open/Cargo.toml",
            "policies/open/src/lib.rs",
            "guest-sdk/Cargo.toml",
            "guest-sdk/src/lib.rs",
            "ticket/Cargo.toml",
            "ticket/src/lib.rs",
            "wit/policy.wit",
        ] {
            write(name, "before");
            let before = hash();
            write(name, "after");
            assert_ne!(hash(), before, "{name} is a source");
        }
        let before = hash();
        for name in [
            "policies/open/README.md",
            "policies/open/src/.lib.rs.swp",
            "policies/door/src/lib.rs",
            "wit/README.md",
        ] {
            write(name, "after");
            assert_eq!(hash(), before, "{name} is no source");
        }
        fs::remove_dir_all(&root).unwrap();
    }
}
