//! What a row is given: builds, a folder, the host, programs beside it, and turns.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::alternate::{Contender, alternate};
use super::figure::Side;
use super::host::{Host, Tally, serve};
use super::settings::Setting;
use super::site::{Site, program};
use crate::process::{self, Outcome};
use crate::running::Running;
use crate::wasm;
use crate::workspace::Workspace;

/// What was built by this process already.
#[derive(Debug, Default)]
pub(crate) struct Built(RefCell<BTreeSet<String>>);

impl Built {
    fn once(&self, what: String, build: impl FnOnce() -> Outcome) -> Outcome {
        if self.0.borrow().contains(&what) {
            return Ok(());
        }
        build()?;
        self.0.borrow_mut().insert(what);
        Ok(())
    }
}

/// What a row is given.
pub(crate) struct Run<'a> {
    pub(crate) workspace: &'a Workspace,
    /// One short round, whose figures nobody judges.
    pub(crate) quick: bool,
    pub(crate) rounds: usize,
    /// For files of the row: `target/bench/NAME`.
    pub(crate) folder: PathBuf,
    /// Another host than that of this workspace.
    pub(crate) host: Option<&'a Path>,
    pub(crate) settings: &'static [Setting],
    /// What the command line says of them.
    pub(crate) given: &'a [(String, u32)],
    pub(crate) built: &'a Built,
    pub(crate) hosts: Tally,
}

impl Run<'_> {
    /// A number of the row's settings.
    pub(crate) fn setting(&self, name: &str) -> u32 {
        let given = self.given.iter().rev().find(|(it, _)| it == name);
        let setting = self.settings.iter().find(|it| it.name == name);
        // Rows are compiled in, and each asks for settings that it lists itself.
        let setting = setting.expect("a row asks for what is among its settings");
        match given {
            Some((_, value)) => *value,
            None if self.quick => setting.quick,
            None => setting.value,
        }
    }

    /// The sides take turns; see [`alternate`].
    pub(crate) fn alternate(&self, contenders: &mut [Contender<'_>]) -> Outcome<Vec<Vec<Side>>> {
        alternate(self.rounds, contenders)
    }

    /// Builds the release of a package of the workspace, and says where the program of that name is.
    pub(crate) fn release(&self, package: &str) -> Outcome<PathBuf> {
        self.program(package, package)
    }

    /// The same of a package whose programs have other names.
    pub(crate) fn program(&self, package: &str, name: &str) -> Outcome<PathBuf> {
        self.built.once(package.to_owned(), || {
            let mut build = self.workspace.cargo();
            process::run(build.args(["build", "--release", "-p", package]))
        })?;
        Ok(program(self.workspace, name))
    }

    /// Builds the release of an example of a package, and says where it is.
    pub(crate) fn example(&self, package: &str, name: &str) -> Outcome<PathBuf> {
        self.built.once(format!("{package}, example {name}"), || {
            let mut build = self.workspace.cargo();
            process::run(build.args(["build", "--release", "-p", package, "--example", name]))
        })?;
        let program = program(self.workspace, name);
        // Examples have a folder beside the programs.
        let (folder, file) = (program.parent(), program.file_name());
        let place = folder
            .zip(file)
            .map(|(folder, file)| folder.join("examples").join(file));
        place.ok_or_else(|| format!("{} has no folder", program.display()))
    }

    /// Builds a peer, which has a workspace of its own in `bench/peers`, and says where its program is: that of
    /// the package `usher-peer-NAME`.
    pub(crate) fn peer(&self, name: &str) -> Outcome<PathBuf> {
        let target = self.workspace.target.join("peers");
        let folder = self.workspace.root.join("bench/peers").join(name);
        self.built.once(format!("peer {name}"), || {
            let mut build = self.workspace.cargo();
            build.args(["build", "--release", "--locked"]);
            build.current_dir(folder).env("CARGO_TARGET_DIR", &target);
            process::run(&mut build)
        })?;
        let program = format!("usher-peer-{name}{EXE_SUFFIX}");
        Ok(target.join("release").join(program))
    }

    /// The host: built from the workspace, unless the command line names another one.
    pub(crate) fn usher(&self) -> Outcome<PathBuf> {
        match self.host {
            Some(host) => Ok(host.to_owned()),
            None => self.release("usher"),
        }
    }

    /// Whether the workspace has a package.
    pub(crate) fn has(&self, package: &str) -> bool {
        self.workspace.packages.iter().any(|it| it.name == package)
    }

    /// Builds a module from `policies/` or `tests/modules/`, and says where it is.
    pub(crate) fn module(&self, name: &str) -> Outcome<PathBuf> {
        self.built.once(format!("module {name}"), || {
            wasm::run(self.workspace, None, &[name.to_owned()])
        })?;
        let folder = wasm::default_folder(self.workspace);
        let file = format!("{name}.wasm");
        let test = folder.join("test").join(&file);
        Ok(match test.is_file() {
            true => test,
            false => folder.join(file),
        })
    }

    /// Free ports and the row's folder.
    pub(crate) fn site(&self) -> Outcome<Site> {
        Site::find(&self.folder)
    }

    /// Starts the host with a configuration, and waits until it is ready. The row has to end it.
    pub(crate) fn start_host<'s>(&'s self, site: &'s Site, config: &str) -> Outcome<Host<'s>> {
        site.write("usher.toml", config)?;
        let running = Running::start("serve", &mut serve(&self.usher()?, site)?)?;
        Host::new(running, site, &self.hosts)
    }

    /// The command of the generator of load, built.
    pub(crate) fn generator(&self, scenario: &str) -> Outcome<Command> {
        let mut command = Command::new(self.release("usher-load")?);
        command.arg(scenario);
        Ok(command)
    }
}
