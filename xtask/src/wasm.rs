//! Builds policies and test modules to WebAssembly and puts them where tests look for them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::hash;
use crate::process::{self, Outcome};
use crate::toolchain::{TARGET, Toolchain};
use crate::workspace::{Package, Workspace};

/// A crate of this workspace that compiles to a module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Module {
    /// The cargo package: `policy-open`.
    pub(crate) package: String,
    /// The name that people use: `open`.
    pub(crate) name: String,
    /// The crate's folder.
    pub(crate) folder: PathBuf,
    /// The file that cargo leaves: `policy_open.wasm`.
    artifact: String,
    /// Cargo's profile that it is built in: [`PROFILE`], unless its manifest says
    /// `package.metadata.module.profile`.
    profile: String,
    /// Whether it ships, or only exists to misbehave in tests.
    pub(crate) kind: Kind,
}

/// The profile of a module that names none.
const PROFILE: &str = "policy";

/// What a module is for, which decides where its compiled form goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// From `policies/`: may ship inside the host.
    Policy,
    /// From `tests/modules/`: for tests only.
    Test,
}

impl Module {
    /// Where the module goes below the folder of modules.
    fn file(&self) -> PathBuf {
        let file = format!("{}.wasm", self.name);
        match self.kind {
            Kind::Policy => PathBuf::from(file),
            Kind::Test => Path::new("test").join(file),
        }
    }
}

/// Builds the named modules, or all of them, and copies them out.
pub(crate) fn run(workspace: &Workspace, out: Option<&Path>, wanted: &[String]) -> Outcome {
    let all = modules(workspace);
    let chosen = choose(&all, wanted)?;
    if chosen.is_empty() {
        return Err("there are no crates in policies/ or tests/modules/ to build".into());
    }
    let folder = out.map_or_else(|| default_folder(workspace), Path::to_owned);
    let built = build(workspace, &chosen)?;
    for (module, artifact) in chosen.iter().zip(&built) {
        let to = folder.join(module.file());
        let bytes = hash::read(artifact)?;
        write_if_changed(&to, &bytes)?;
        println!("{:>9}  {}", size(bytes.len()), to.display());
    }
    // A module whose crate is gone would keep tests passing that should not.
    if out.is_none() && wanted.is_empty() {
        remove_others(&folder, &chosen)?;
    }
    Ok(())
}

/// Where tests find modules unless they are told another place.
pub(crate) fn default_folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("modules")
}

/// Every module of the workspace, by name.
pub(crate) fn modules(workspace: &Workspace) -> Vec<Module> {
    let root = &workspace.root;
    let mut modules: Vec<_> = workspace
        .packages
        .iter()
        .filter_map(|package| module(root, package))
        .collect();
    modules.sort_by(|a, b| a.package.cmp(&b.package));
    modules
}

/// Compiles modules, those of a profile in one go, so that cargo shares what they have in common. Returns the
/// files in the same order.
pub(crate) fn build(workspace: &Workspace, modules: &[Module]) -> Outcome<Vec<PathBuf>> {
    // A target folder of its own: neither does it wait for the cargo around us, nor do two
    // compilers throw away each other's work.
    let target = workspace.target.join("wasm");
    let toolchain = Toolchain::find(workspace)?;
    let profiles: BTreeSet<_> = modules.iter().map(|one| one.profile.as_str()).collect();
    for profile in profiles {
        let mut command = toolchain.build(workspace, profile);
        command.env("CARGO_TARGET_DIR", &target);
        for module in modules.iter().filter(|one| one.profile == profile) {
            command.args(["-p", &module.package]);
        }
        process::run(&mut command)?;
    }
    let file = |one: &Module| target.join(TARGET).join(&one.profile).join(&one.artifact);
    Ok(modules.iter().map(file).collect())
}

/// Writes a file in one step, and not at all when it already says the same: a half-written module
/// is never seen, and an unchanged one does not look new to who watches the folder.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> Outcome<bool> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    let problem = |error| format!("cannot write {}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(problem)?;
    }
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    fs::write(&draft, bytes).map_err(problem)?;
    fs::rename(&draft, path).map_err(problem)?;
    Ok(true)
}

/// Reads a package as a module, when it lies in one of the two folders and compiles to one.
fn module(root: &Path, package: &Package) -> Option<Module> {
    let folder = package.manifest_path.parent()?;
    let kind = match folder.parent()?.strip_prefix(root).ok()? {
        parent if parent == Path::new("policies") => Kind::Policy,
        parent if parent == Path::new("tests/modules") => Kind::Test,
        _ => return None,
    };
    let library = package
        .targets
        .iter()
        .find(|target| target.crate_types.iter().any(|kind| kind == "cdylib"))?;
    let prefix = match kind {
        Kind::Policy => "policy-",
        Kind::Test => "module-",
    };
    Some(Module {
        package: package.name.clone(),
        name: package
            .name
            .strip_prefix(prefix)
            .unwrap_or(&package.name)
            .to_owned(),
        folder: folder.to_owned(),
        artifact: format!("{}.wasm", library.name.replace('-', "_")),
        profile: package.metadata["module"]["profile"]
            .as_str()
            .unwrap_or(PROFILE)
            .to_owned(),
        kind,
    })
}

/// The modules that were asked for by package or by name; all when none was.
fn choose(all: &[Module], wanted: &[String]) -> Outcome<Vec<Module>> {
    if wanted.is_empty() {
        return Ok(all.to_vec());
    }
    for word in wanted {
        if !all
            .iter()
            .any(|one| one.package == *word || one.name == *word)
        {
            let known: Vec<_> = all.iter().map(|one| one.package.as_str()).collect();
            return Err(format!(
                "there is no module {word}; there are {}",
                known.join(", ")
            ));
        }
    }
    let asked = |one: &&Module| wanted.contains(&one.package) || wanted.contains(&one.name);
    Ok(all.iter().filter(asked).cloned().collect())
}

/// Removes compiled modules that no crate stands for any more.
fn remove_others(folder: &Path, kept: &[Module]) -> Outcome {
    let kept: Vec<_> = kept.iter().map(|one| folder.join(one.file())).collect();
    for file in hash::files_below(folder)? {
        let is_module = file.extension().is_some_and(|kind| kind == "wasm");
        if is_module && !kept.contains(&file) {
            let problem = |error| format!("cannot remove {}: {error}", file.display());
            fs::remove_file(&file).map_err(problem)?;
            println!("  removed  {}", file.display());
        }
    }
    Ok(())
}

/// A size for people.
pub(crate) fn size(bytes: usize) -> String {
    format!("{}.{} KiB", bytes / 1024, bytes % 1024 * 10 / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, manifest: &str, crate_types: &[&str]) -> Package {
        let target = serde_json::json!({
            "name": name.replace('-', "_"),
            "crate_types": crate_types,
            "src_path": "/w/src/lib.rs",
        });
        serde_json::from_value(serde_json::json!({
            "id": name,
            "name": name,
            "manifest_path": manifest,
            "targets": [target],
        }))
        .unwrap()
    }

    fn read(name: &str, manifest: &str, crate_types: &[&str]) -> Option<Module> {
        module(Path::new("/w"), &package(name, manifest, crate_types))
    }

    #[test]
    fn policies_and_test_modules_are_found_by_their_folder() {
        let types = ["cdylib", "rlib"];
        let open = read("policy-open", "/w/policies/open/Cargo.toml", &types).unwrap();
        assert_eq!(open.name, "open");
        assert_eq!(open.artifact, "policy_open.wasm");
        assert_eq!(open.file(), Path::new("open.wasm"));

        let trap = read("module-trap", "/w/tests/modules/trap/Cargo.toml", &types).unwrap();
        assert_eq!(trap.file(), Path::new("test/trap.wasm"));
    }

    #[test]
    fn a_module_is_built_in_the_profile_that_its_manifest_names() {
        let mut quick = package("module-x", "/w/tests/modules/x/Cargo.toml", &["cdylib"]);
        let profile = |package: &Package| module(Path::new("/w"), package).unwrap().profile;
        assert_eq!(profile(&quick), "policy");
        quick.metadata = serde_json::json!({ "module": { "profile": "policy-quick" } });
        assert_eq!(profile(&quick), "policy-quick");
    }

    #[test]
    fn other_crates_are_no_modules() {
        assert_eq!(read("usher", "/w/host/usher/Cargo.toml", &["bin"]), None);
        let library = read("policy-x", "/w/policies/x/Cargo.toml", &["lib"]);
        assert_eq!(library, None);
        let deeper = read("policy-x", "/w/policies/x/y/Cargo.toml", &["cdylib"]);
        assert_eq!(deeper, None);
    }

    #[test]
    fn a_module_is_chosen_by_package_or_by_name() {
        let all: Vec<_> = ["policy-open", "policy-door"]
            .iter()
            .filter_map(|name| read(name, "/w/policies/any/Cargo.toml", &["cdylib"]))
            .collect();
        assert_eq!(choose(&all, &[]).unwrap().len(), 2);
        assert_eq!(choose(&all, &["open".into()]).unwrap(), all[..1]);
        assert_eq!(choose(&all, &["policy-door".into()]).unwrap(), all[1..]);
        let problem = choose(&all, &["opne".into()]).unwrap_err();
        assert!(problem.contains("policy-open, policy-door"), "{problem}");
    }

    #[test]
    fn an_unchanged_file_is_left_alone() {
        let folder = std::env::temp_dir().join(format!("xtask-write-{}", std::process::id()));
        let file = folder.join("deep/a.wasm");
        assert_eq!(write_if_changed(&file, b"one"), Ok(true));
        assert_eq!(write_if_changed(&file, b"one"), Ok(false));
        assert_eq!(write_if_changed(&file, b"two"), Ok(true));
        assert_eq!(fs::read(&file).unwrap(), b"two");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!(size(0), "0.0 KiB");
        assert_eq!(size(1536), "1.5 KiB");
    }
}
