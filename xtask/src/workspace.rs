//! Where the workspace is and what is in it, as `cargo metadata` tells it.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::process::{self, Outcome};

/// The workspace that this tool works on.
pub(crate) struct Workspace {
    /// The folder of the root Cargo.toml.
    pub(crate) root: PathBuf,
    /// Where cargo builds: `target`, or what CARGO_TARGET_DIR says.
    pub(crate) target: PathBuf,
    /// The workspace's own packages.
    pub(crate) packages: Vec<Package>,
}

/// One package, as `cargo metadata` lists it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Package {
    /// Unique in a dependency graph, unlike the name.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) targets: Vec<Target>,
    /// What its manifest has below `package.metadata`.
    #[serde(default)]
    pub(crate) metadata: serde_json::Value,
}

/// One thing that a package compiles to.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) crate_types: Vec<String>,
    /// The root source file: lib.rs, main.rs, or a test's own file.
    pub(crate) src_path: PathBuf,
}

/// The answer of `cargo metadata`, as far as we read it.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
    /// Absent with `--no-deps`.
    resolve: Option<Resolve>,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Deserialize)]
struct DependencyKind {
    /// `null` for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
}

impl Workspace {
    /// The usher binary of a cargo profile's folder: `debug` or `release`.
    pub(crate) fn usher(&self, profile: &str) -> PathBuf {
        let name = format!("usher{}", env::consts::EXE_SUFFIX);
        self.target.join(profile).join(name)
    }

    /// Asks cargo about the workspace that this tool belongs to.
    pub(crate) fn load() -> Outcome<Workspace> {
        // Cargo says at run time where the tool is; what it said when it was compiled may be a
        // folder that has been moved since.
        let own = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = own
            .parent()
            .filter(|root| root.join("xtask/Cargo.toml").is_file())
            .ok_or("run this as `cargo xtask` inside the workspace")?
            .to_owned();
        let metadata = metadata(&root, &["--no-deps"])?;
        Ok(Workspace {
            root,
            target: metadata.target_directory,
            packages: metadata.packages,
        })
    }

    /// The cargo that started us, in the root folder, without the variables that only describe
    /// this tool: they would make its children rebuild what did not change.
    pub(crate) fn cargo(&self) -> Command {
        cargo(&self.root)
    }

    /// The whole dependency graph; slower than what [`Workspace::load`] asks for.
    pub(crate) fn dependency_graph(&self) -> Outcome<Metadata> {
        metadata(&self.root, &[])
    }

    /// A path inside the workspace, with `/` on every system, for people and for hashes.
    pub(crate) fn relative(&self, path: &Path) -> String {
        slashed(path.strip_prefix(&self.root).unwrap_or(path))
    }
}

impl Metadata {
    /// The names of everything that a package needs to run, itself left out. Dependencies for
    /// tests and for build scripts do not end in what runs, so they are not followed.
    pub(crate) fn normal_dependencies(&self, package: &str) -> Outcome<BTreeSet<String>> {
        let resolve = self
            .resolve
            .as_ref()
            .ok_or("cargo metadata did not resolve dependencies")?;
        let start = self
            .packages
            .iter()
            .find(|candidate| candidate.name == package)
            .ok_or_else(|| format!("there is no package {package} in the workspace"))?;
        let mut seen = BTreeSet::new();
        let mut open = vec![start.id.as_str()];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = resolve.nodes.iter().find(|node| node.id == id);
            for dependency in node.iter().flat_map(|node| &node.deps) {
                if dependency.dep_kinds.iter().any(|kind| kind.kind.is_none()) {
                    open.push(&dependency.pkg);
                }
            }
        }
        let names = self.packages.iter().filter(|one| one.id != start.id);
        Ok(names
            .filter(|one| seen.contains(one.id.as_str()))
            .map(|one| one.name.clone())
            .collect())
    }
}

/// Whether a variable is one that `cargo run` sets about the package it runs.
pub(crate) fn describes_a_package(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_")
        || variable.starts_with("CARGO_MANIFEST_")
        || matches!(variable, "CARGO_BIN_NAME" | "CARGO_CRATE_NAME" | "OUT_DIR")
}

/// Turns a path into text with `/`, so that it reads and hashes alike on every system.
pub(crate) fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(describes_a_package) {
            command.env_remove(name);
        }
    }
    command.current_dir(root);
    command
}

fn metadata(root: &Path, options: &[&str]) -> Outcome<Metadata> {
    let mut command = cargo(root);
    command.args(["metadata", "--format-version", "1"]);
    let answer = process::output(command.args(options))?;
    serde_json::from_str(&answer)
        .map_err(|error| format!("cargo metadata answered what we cannot read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a needs b to run, c to be tested; b needs d to be built, and e to run.
    const GRAPH: &str = r#"{
        "target_directory": "/t",
        "packages": [
            {"id": "a1", "name": "a", "manifest_path": "/a", "targets": []},
            {"id": "b1", "name": "b", "manifest_path": "/b", "targets": []},
            {"id": "c1", "name": "c", "manifest_path": "/c", "targets": []},
            {"id": "d1", "name": "d", "manifest_path": "/d", "targets": []},
            {"id": "e1", "name": "e", "manifest_path": "/e", "targets": []}
        ],
        "resolve": {"nodes": [
            {"id": "a1", "deps": [
                {"pkg": "b1", "dep_kinds": [{"kind": null}]},
                {"pkg": "c1", "dep_kinds": [{"kind": "dev"}]}
            ]},
            {"id": "b1", "deps": [
                {"pkg": "d1", "dep_kinds": [{"kind": "build"}]},
                {"pkg": "e1", "dep_kinds": [{"kind": "dev"}, {"kind": null}]}
            ]}
        ]}
    }"#;

    #[test]
    fn only_what_runs_counts_as_a_normal_dependency() {
        let graph: Metadata = serde_json::from_str(GRAPH).unwrap();
        let names = graph.normal_dependencies("a").unwrap();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["b", "e"]);
    }

    #[test]
    fn an_unknown_package_is_an_error() {
        let graph: Metadata = serde_json::from_str(GRAPH).unwrap();
        assert!(graph.normal_dependencies("z").unwrap_err().contains('z'));
    }

    #[test]
    fn only_variables_about_the_package_are_dropped() {
        assert!(describes_a_package("CARGO_PKG_NAME"));
        assert!(describes_a_package("CARGO_MANIFEST_DIR"));
        assert!(!describes_a_package("CARGO_HOME"));
        assert!(!describes_a_package("CARGO_TARGET_DIR"));
        assert!(!describes_a_package("CARGO_PROFILE_DEV_DEBUG"));
    }
}
