//! Finds a compiler for wasm32-unknown-unknown, and installs one where that is possible.
//!
//! The active toolchain is used when it has the target. Where it has not (a build machine without
//! a way to add it) Debian's own compiler builds the standard library from source along with the
//! modules. The rustup toolchain is never changed: what a person installed there is theirs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian;
use crate::process::{self, Outcome};
use crate::workspace::{Workspace, describes_a_package};

/// The one target of every module.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's packages of a compiler that is new enough, its cargo, and the sources of std.
const PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Where Debian's packages put their programs.
const BIN: &str = "/usr/bin";

/// How modules are compiled here.
#[derive(Debug, PartialEq)]
pub(crate) enum Toolchain {
    /// The active toolchain has the target.
    Active,
    /// The system's compiler, which builds std too, and the linker that it has to be told.
    System { linker: String },
}

impl Toolchain {
    /// The one that works here. It installs the system's when nothing is found and root asks.
    pub(crate) fn find(workspace: &Workspace) -> Outcome<Toolchain> {
        if active_has_target(workspace)? {
            return Ok(Toolchain::Active);
        }
        if let Ok(found) = system() {
            return Ok(found);
        }
        install()?;
        system()
    }

    /// The start of a `cargo build` of this workspace for the target, in a profile for modules.
    pub(crate) fn build(&self, workspace: &Workspace, profile: &str) -> Command {
        let mut command = self.build_in(workspace, &workspace.root);
        command.args(["--profile", profile]);
        // A person's flags are for their own machine; a module must not depend on them, nor on
        // the folders it was built in.
        command.env_remove("RUSTFLAGS");
        command.env("CARGO_ENCODED_RUSTFLAGS", remapped_paths(workspace));
        command
    }

    /// The start of a `cargo build` for the target in any crate's folder.
    pub(crate) fn build_in(&self, workspace: &Workspace, folder: &Path) -> Command {
        let mut command = match self {
            Toolchain::Active => workspace.cargo(),
            Toolchain::System { .. } => Command::new(format!("{BIN}/cargo")),
        };
        command.current_dir(folder);
        command.args(["build", "--target", TARGET]);
        if let Toolchain::System { linker } = self {
            command.arg("-Zbuild-std=std,panic_abort");
            for (name, _) in env::vars_os() {
                if name.to_str().is_some_and(belongs_to_outer_cargo) {
                    command.env_remove(name);
                }
            }
            command.env("RUSTC", format!("{BIN}/rustc"));
            command.env("RUSTC_BOOTSTRAP", "1");
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            command.env("PATH", path_with_system_first(env::var_os("PATH")));
        }
        command
    }
}

/// Whether the active toolchain's own standard library was built for the target.
fn active_has_target(workspace: &Workspace) -> Outcome<bool> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--print", "sysroot"]);
    let sysroot = process::output(command.current_dir(&workspace.root))?;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET);
    Ok(libraries.join("lib").is_dir())
}

/// The system's compiler, if all of it is there; else the one thing that is missing.
fn system() -> Outcome<Toolchain> {
    let rustc = format!("{BIN}/rustc");
    for program in [&rustc, &format!("{BIN}/cargo")] {
        if !Path::new(program).is_file() {
            return Err(advice(&format!("{program} is missing")));
        }
    }
    let ask = |words: &[&str]| {
        let mut command = Command::new(&rustc);
        process::output(command.args(words).env_remove("LD_LIBRARY_PATH"))
    };
    let version = ask(&["--version"])?;
    if !is_new_enough(&version, env!("CARGO_PKG_RUST_VERSION")) {
        let version = version.trim();
        return Err(advice(&format!("{rustc} is too old ({version})")));
    }
    let sysroot = ask(&["--print", "sysroot"])?;
    let source = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std/Cargo.toml");
    if !source.is_file() {
        return Err(advice(&format!("{} is missing", source.display())));
    }
    let programs = std::fs::read_dir(BIN).map_err(|error| format!("cannot list {BIN}: {error}"))?;
    let names = programs.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let linker = newest_linker(names).ok_or_else(|| advice("there is no wasm-ld"))?;
    Ok(Toolchain::System { linker })
}

/// Installs the system's compiler with apt-get; only root can, others are told what to type.
fn install() -> Outcome {
    if !debian::can_install() {
        return Err(advice("this toolchain cannot compile for it"));
    }
    eprintln!("xtask: no compiler for {TARGET} here; installing Debian's");
    process::run(&mut debian::apt_get(&["update"]))?;
    let listed = process::output(Command::new("apt-cache").args([
        "search",
        "--names-only",
        "^lld-[0-9]+$",
    ]))?;
    let lld = newest_lld(&listed).ok_or_else(|| advice("apt-cache knows no lld-<version>"))?;
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(PACKAGES);
    words.push(&lld);
    process::run(&mut debian::apt_get(&words)).map_err(|error| advice(&error))
}

/// What is wrong, and both ways out of it.
fn advice(problem: &str) -> String {
    format!(
        "modules need a compiler for {TARGET}, and {problem}: run `rustup target add {TARGET}`, \
         or on Debian as root `apt-get update && apt-get install {} lld-22` (or the newest lld)",
        PACKAGES.join(" ")
    )
}

/// The newest `wasm-ld-<version>`; one without a version is only as good as its package.
fn newest_linker(programs: impl Iterator<Item = String>) -> Option<String> {
    programs
        .filter_map(|name| match name.strip_prefix("wasm-ld")? {
            "" => Some((0, name)),
            version => Some((version.strip_prefix('-')?.parse::<u32>().ok()?, name)),
        })
        .max()
        .map(|(_, name)| name)
}

/// The newest `lld-<version>` of what `apt-cache search` lists.
fn newest_lld(listed: &str) -> Option<String> {
    let names = listed.lines().filter_map(|line| line.split(' ').next());
    let versions = names.filter_map(|name| name.strip_prefix("lld-")?.parse::<u32>().ok());
    versions.max().map(|version| format!("lld-{version}"))
}

/// Compares what `rustc --version` says, `rustc 1.96.0 (…)`, with the oldest that will do, `1.95`.
fn is_new_enough(version: &str, oldest: &str) -> bool {
    let numbers = |text: &str| -> Vec<u32> {
        let parts = text.split('.').take(2);
        parts.map(|part| part.parse().unwrap_or(0)).collect()
    };
    let version = version.split(' ').nth(1).unwrap_or_default();
    numbers(version) >= numbers(oldest)
}

/// Whether a variable was set by the cargo or the rustup around us and would mislead another
/// compiler. Where packages are kept and how to reach them stays.
fn belongs_to_outer_cargo(variable: &str) -> bool {
    describes_a_package(variable)
        || variable.starts_with("RUSTC")
        || variable.starts_with("CARGO_BUILD_")
        || variable.starts_with("CARGO_TARGET_")
        || variable.starts_with("CARGO_PROFILE_")
        || matches!(
            variable,
            "CARGO"
                | "CARGO_ENCODED_RUSTFLAGS"
                | "LD_LIBRARY_PATH"
                | "RUSTDOC"
                | "RUSTFLAGS"
                | "RUSTUP_TOOLCHAIN"
                | "RUSTUP_TOOLCHAIN_SOURCE"
                | "RUST_RECURSION_COUNT"
        )
}

/// PATH with the system's programs before rustup's, which would choose another compiler.
fn path_with_system_first(path: Option<OsString>) -> OsString {
    let mut all = OsString::from(format!("{BIN}:/bin"));
    if let Some(path) = path {
        all.push(":");
        all.push(path);
    }
    all
}

/// Compiler flags that keep this machine's folders out of the modules' panic messages.
fn remapped_paths(workspace: &Workspace) -> OsString {
    let home = |name: &str, below: &str| {
        env::var_os(name).map_or_else(
            || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(below),
            PathBuf::from,
        )
    };
    let mut flags = OsString::new();
    for (folder, name) in [
        (home("CARGO_HOME", ".cargo"), "cargo"),
        (workspace.root.clone(), "."),
    ] {
        if !flags.is_empty() {
            flags.push("\x1f");
        }
        flags.push("--remap-path-prefix=");
        flags.push(folder);
        flags.push(format!("={name}"));
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linker(names: &[&str]) -> Option<String> {
        newest_linker(names.iter().map(|name| (*name).to_owned()))
    }

    #[test]
    fn the_newest_linker_is_taken_by_number() {
        let names = ["wasm-ld", "wasm-ld-9", "wasm-ld-22", "ld.lld-23"];
        assert_eq!(linker(&names).as_deref(), Some("wasm-ld-22"));
        assert_eq!(linker(&["wasm-ld"]).as_deref(), Some("wasm-ld"));
        assert_eq!(linker(&["wasm-ldx", "ld"]), None);
    }

    #[test]
    fn the_newest_lld_is_found_among_what_apt_lists() {
        let listed = "lld-9 - LLVM-based linker\nlld-16 - LLVM-based linker\n";
        assert_eq!(newest_lld(listed).as_deref(), Some("lld-16"));
        assert_eq!(newest_lld(""), None);
    }

    #[test]
    fn a_compilers_version_is_compared_by_number() {
        assert!(is_new_enough("rustc 1.96.0 (ac68faa20 2026-05-25)", "1.95"));
        assert!(is_new_enough("rustc 1.95.0", "1.95"));
        assert!(is_new_enough("rustc 1.100.0-nightly", "1.95"));
        assert!(!is_new_enough("rustc 1.63.0", "1.95"));
        assert!(!is_new_enough("who knows", "1.95"));
    }

    #[test]
    fn another_compiler_does_not_see_the_outer_cargos_choices() {
        for gone in [
            "CARGO",
            "CARGO_MANIFEST_DIR",
            "CARGO_PKG_NAME",
            "CARGO_TARGET_DIR",
            "LD_LIBRARY_PATH",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTUP_TOOLCHAIN",
        ] {
            assert!(belongs_to_outer_cargo(gone), "{gone}");
        }
        for kept in [
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "CARGO_HTTP_PROXY",
            "HOME",
            "PATH",
        ] {
            assert!(!belongs_to_outer_cargo(kept), "{kept}");
        }
    }

    #[test]
    fn the_systems_programs_come_before_rustups() {
        let path = path_with_system_first(Some("/root/.cargo/bin".into()));
        assert_eq!(path, "/usr/bin:/bin:/root/.cargo/bin");
    }

    #[test]
    fn advice_names_the_target_and_every_package() {
        let advice = advice("nothing is there");
        for word in PACKAGES
            .iter()
            .chain(&[TARGET, "nothing is there", "rustup"])
        {
            assert!(advice.contains(word), "{word}");
        }
    }
}
