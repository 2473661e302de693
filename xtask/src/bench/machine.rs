//! On what, and of which versions, a run was measured.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use serde::{Deserialize, Serialize};

use crate::process;

/// What in a Cargo.lock is worth naming beside figures.
const NAMED: [&str; 8] = [
    "wasmtime",
    "tokio",
    "quinn-udp",
    "mlua",
    "luajit-src",
    "lua-src",
    "rhai",
    "extism",
];

/// Where peers that are compared have lock files of their own, below the root.
const PEERS: &str = "bench/peers";

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) memory: u64,
    pub(crate) kernel: String,
}

impl Machine {
    /// This one.
    pub(crate) fn read() -> Machine {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Machine {
            cpu: cpu(&text("/proc/cpuinfo")),
            cores: thread::available_parallelism().map_or(0, usize::from),
            memory: memory(&text("/proc/meminfo")),
            kernel: text("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }
}

/// Names and versions of what was measured and what it was built with.
pub(crate) fn versions(root: &Path) -> Vec<(String, String)> {
    let usher = env!("CARGO_PKG_VERSION").to_owned();
    let mut versions = vec![("usher".to_owned(), usher)];
    let rustc = process::output(Command::new("rustc").arg("--version").current_dir(root));
    if let Some(rustc) = rustc
        .ok()
        .as_deref()
        .and_then(|text| text.split(' ').nth(1))
    {
        versions.push(("rustc".to_owned(), rustc.to_owned()));
    }
    versions.extend(locked(&root.join("Cargo.lock")));
    let peers = fs::read_dir(root.join(PEERS))
        .into_iter()
        .flatten()
        .flatten();
    let mut peers: Vec<_> = peers.map(|peer| peer.path()).collect();
    peers.sort();
    for peer in peers {
        let name = peer
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let inside = locked(&peer.join("Cargo.lock")).into_iter();
        versions.extend(inside.map(|(package, version)| match package == name {
            true => (package, version),
            false => (format!("{package} of {name}"), version),
        }));
    }
    versions
}

fn locked(file: &Path) -> Vec<(String, String)> {
    named(&fs::read_to_string(file).unwrap_or_default())
}

/// The named packages of a lock file.
fn named(lock: &str) -> Vec<(String, String)> {
    let table: toml::Table = toml::from_str(lock).unwrap_or_default();
    let packages = table.get("package").and_then(toml::Value::as_array);
    let packages = packages.into_iter().flatten().filter_map(|package| {
        let name = package.get("name")?.as_str()?;
        let version = package.get("version")?.as_str()?;
        NAMED
            .contains(&name)
            .then(|| (name.to_owned(), version.to_owned()))
    });
    packages.collect()
}

fn cpu(cpuinfo: &str) -> String {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':'));
    name.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

fn memory(meminfo: &str) -> u64 {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_read_from_what_the_kernel_says() {
        assert_eq!(
            cpu("processor\t: 0\nmodel name\t: A Chip @ 2 GHz\n"),
            "A Chip @ 2 GHz"
        );
        assert_eq!(cpu(""), "unknown");
        assert_eq!(memory("MemTotal:  2048 kB\nMemFree: 1 kB\n"), 2 << 20);
        let machine = Machine::read();
        assert!(machine.cores > 0 && machine.memory > 0, "{machine:?}");
    }

    #[test]
    fn only_what_matters_of_a_lock_file_is_named() {
        let lock = "version = 4\n[[package]]\nname = \"wasmtime\"\nversion = \"48.0.8\"\n\
                    [[package]]\nname = \"serde\"\nversion = \"1.0.1\"\n";
        assert_eq!(named(lock), [("wasmtime".to_owned(), "48.0.8".to_owned())]);
        assert_eq!(named("not a lock file"), []);
    }
}
