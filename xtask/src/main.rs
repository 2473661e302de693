//! The workspace's own tool: `cargo xtask <command>` builds the WebAssembly modules, runs every
//! test, lints, and checks the habits that no compiler checks. CONTRIBUTING.md says when to use
//! which. Every failure is one line that says what to do next.

mod api;
mod bench;
mod browser;
mod debian;
mod fresh;
mod hash;
mod http;
mod lint;
mod policies;
mod process;
mod running;
mod smoke;
mod stand_in;
mod test;
mod tidy;
mod toolchain;
mod wasm;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::process::Outcome;
use crate::workspace::Workspace;

/// What was asked for on the command line.
#[derive(Parser)]
#[command(name = "cargo xtask", about, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

/// One task; each is a file of its own.
#[derive(Subcommand)]
enum Task {
    /// Builds policies and test modules from source into target/modules
    Wasm {
        /// Where the modules go, in place of target/modules
        #[arg(long)]
        out: Option<PathBuf>,
        /// Only these, by package (policy-open) or by name (open)
        packages: Vec<String>,
    },
    /// Rebuilds the policies that ship inside the host, where their sources moved on
    Policies {
        /// Only say whether they are up to date
        #[arg(long, conflicts_with = "force")]
        check: bool,
        /// Rebuild all of them, unchanged ones too
        #[arg(long)]
        force: bool,
    },
    /// Checks the format, clippy's warnings and the documentation
    Lint,
    /// Checks the habits of CONTRIBUTING.md that no compiler checks
    Tidy,
    /// Runs every test: tidy, modules from source, Rust, and the Python conformance suites
    Test {
        /// Leave out doc tests and the conformance suites
        #[arg(long)]
        fast: bool,
        /// Only tests whose name contains one of these
        filters: Vec<String>,
    },
    /// Builds the host and calls its http door in ways that are made up from the description of its API
    Api,
    /// Builds a release, serves with it, joins, leaves, and stops it
    Smoke,
    /// Serves a made-up SDK endpoint of a fleet, to try hosted mode by hand; --help has its flags
    #[command(disable_help_flag = true)]
    FakeSdk {
        /// Handed on
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Serves a made-up Discovery, to try self-hosted mode by hand; --help has its flags
    #[command(disable_help_flag = true)]
    FakeDiscovery {
        /// Handed on
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Builds a release and measures it, beside what one would take in its place
    Bench(bench::Options),
}

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Finds the workspace and hands the task to its file.
fn run(task: &Task) -> Outcome {
    let workspace = Workspace::load()?;
    match task {
        Task::Wasm { out, packages } => wasm::run(&workspace, out.as_deref(), packages),
        Task::Policies { check: true, .. } => policies::check(&workspace),
        Task::Policies { force, .. } => policies::rebuild(&workspace, *force),
        Task::Lint => lint::run(&workspace),
        Task::Tidy => tidy::run(&workspace),
        Task::Test { fast, filters } => test::run(&workspace, *fast, filters),
        Task::Api => {
            process::run(workspace.cargo().args(["build", "--package", "usher"]))?;
            api::run(&workspace)
        }
        Task::Smoke => smoke::run(&workspace),
        Task::FakeSdk { args } => stand_in::run(&workspace, "fake-sdk", args),
        Task::FakeDiscovery { args } => stand_in::run(&workspace, "fake-discovery", args),
        Task::Bench(options) => bench::run(&workspace, options),
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
