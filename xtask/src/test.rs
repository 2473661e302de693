//! Runs every test there is, one suite after the other, and says at the end how each went.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, io};

use crate::process::{self, Outcome, seconds};
use crate::workspace::Workspace;
use crate::{api, browser, fresh, tidy, wasm};

/// The oldest Python that the conformance suites are written for.
const PYTHON: (u32, u32) = (3, 9);

/// What unittest exits with (since Python 3.12) when no test has the wanted name.
const NO_TESTS: i32 = 5;

/// How one suite went.
struct Suite {
    name: &'static str,
    took: Duration,
    outcome: Outcome,
}

/// Runs the suites. A failing one does not keep the next from running: one run tells all. Only
/// without a binary and modules there is nothing that the later suites could test.
pub(crate) fn run(workspace: &Workspace, fast: bool, filters: &[String]) -> Outcome {
    let mut no_browser = None;
    let mut suites = vec![time("tidy", || tidy::run(workspace))];
    suites.push(time("build", || {
        wasm::run(workspace, None, &[])?;
        build(workspace)
    }));
    if suites
        .iter()
        .all(|suite| suite.name != "build" || suite.outcome.is_ok())
    {
        suites.push(time("rust", || {
            empty(&kept(workspace))?;
            rust(workspace, fast, filters)
        }));
        if !fast {
            if filters.is_empty() {
                no_browser = browser::get().err();
            }
            suites.push(time("conformance", || conformance(workspace, filters)));
        }
        if filters.is_empty() {
            suites.push(time("secrets", || secrets(workspace)));
            if !fast {
                suites.push(time("api", || api::run(workspace)));
                suites.push(time("new crates", || fresh::run(workspace)));
            }
        }
    }
    for suite in &suites {
        if let Err(problem) = &suite.outcome {
            eprintln!("xtask: {}: {problem}", suite.name);
        }
    }
    if let Some(why) = no_browser {
        eprintln!("xtask: SKIPPED the tests in a web page: {why}");
    }
    let (summary, passed) = summary(&suites);
    println!("{summary}");
    if passed {
        Ok(())
    } else {
        Err("tests failed".into())
    }
}

/// Builds the usher binary and every Rust test together. In one go cargo chooses the same features
/// for both, so that no dependency is compiled twice.
fn build(workspace: &Workspace) -> Outcome {
    let mut command = workspace.cargo();
    process::run(command.args(["build", "--workspace", "--bin", "usher", "--tests"]))
}

fn rust(workspace: &Workspace, fast: bool, filters: &[String]) -> Outcome {
    let mut command = workspace.cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]);
    if fast {
        // Naming the targets is what leaves out the doc tests.
        command.args(["--lib", "--bins", "--tests"]);
    }
    if !filters.is_empty() {
        command.arg("--").args(filters);
    }
    process::run(with_places(workspace, &mut command))
}

/// The suites that talk to usher from outside, in another language, so that a mistake in our own
/// codecs cannot hide in our own tests.
fn conformance(workspace: &Workspace, filters: &[String]) -> Outcome {
    let suites = "tests/conformance";
    if !workspace.root.join(suites).is_dir() {
        return Err(format!("{suites} is missing"));
    }
    let version = process::output(Command::new("python3").arg("--version"))
        .map_err(|error| format!("{}: {error}", needs_python("it does not run")))?;
    if !is_new_enough(&version) {
        return Err(needs_python(&format!("this is {}", version.trim())));
    }
    let mut command = Command::new("python3");
    command.args(["-m", "unittest", "discover", "-v", "-s", suites]);
    command.args(["-p", "test_*.py"]);
    for filter in filters {
        command.args(["-k", filter]);
    }
    command.current_dir(&workspace.root);
    // Compiled Python in the tree would only be noise.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    with_places(workspace, &mut command);
    let line = process::line(&command);
    let status = command
        .stdin(std::process::Stdio::null())
        .status()
        .map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if status.success() || (!filters.is_empty() && status.code() == Some(NO_TESTS)) {
        return Ok(());
    }
    Err(format!("`{line}` failed ({status})"))
}

/// Searches what every host of the run said for the secrets that its tests used: after all of them.
fn secrets(workspace: &Workspace) -> Outcome {
    let mut command = workspace.cargo();
    command.args(["test", "--package", "usher-tests", "--test", "secrets"]);
    command.args(["--", "--include-ignored", "--nocapture"]);
    process::run(with_places(workspace, &mut command))
}

/// Where the run keeps what hosts said and which secrets tests used.
fn kept(workspace: &Workspace) -> PathBuf {
    workspace.target.join("kept")
}

/// Makes it a folder with nothing in it: what an earlier run left would only hide what this one did not keep.
fn empty(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(format!("cannot remove {}: {error}", folder.display()));
        }
        _ => {}
    }
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}

/// Tells tests where the binary and the modules are, and where to keep what is said.
fn with_places<'a>(workspace: &Workspace, command: &'a mut Command) -> &'a mut Command {
    command
        .env("USHER_BIN", workspace.usher("debug"))
        .env("USHER_MODULES", wasm::default_folder(workspace))
        .env("USHER_KEEP", kept(workspace))
}

fn time(name: &'static str, suite: impl FnOnce() -> Outcome) -> Suite {
    println!("== {name}");
    let start = Instant::now();
    let outcome = suite();
    Suite {
        name,
        took: start.elapsed(),
        outcome,
    }
}

/// The last line of a run, and whether everything passed.
fn summary(suites: &[Suite]) -> (String, bool) {
    let failed = suites.iter().filter(|one| one.outcome.is_err()).count();
    let verdict = match failed {
        0 => "all passed".to_owned(),
        some => format!("{some} FAILED"),
    };
    let each: Vec<_> = suites
        .iter()
        .map(|suite| {
            let mark = if suite.outcome.is_ok() { "" } else { " FAILED" };
            format!("{} {}{mark}", suite.name, seconds(suite.took))
        })
        .collect();
    let line = format!("{} suites, {verdict}: {}", suites.len(), each.join(", "));
    (line, failed == 0)
}

/// Reads what `python3 --version` says: `Python 3.11.2`.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version
        .trim()
        .trim_start_matches("Python ")
        .split('.')
        .map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= PYTHON
}

fn needs_python(found: &str) -> String {
    let (major, minor) = PYTHON;
    format!(
        "the conformance suites need python3 {major}.{minor} or newer, and {found}: install it \
         (on Debian `apt-get install python3`), or run `cargo xtask test --fast` without them"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_suites_and_names_those_that_failed() {
        let suite = |name, outcome| Suite {
            name,
            took: Duration::from_millis(1250),
            outcome,
        };
        let (line, passed) = summary(&[suite("tidy", Ok(())), suite("rust", Ok(()))]);
        assert!(passed);
        assert_eq!(line, "2 suites, all passed: tidy 1.2 s, rust 1.2 s");
        let (line, passed) = summary(&[suite("tidy", Err("x".into())), suite("rust", Ok(()))]);
        assert!(!passed);
        assert_eq!(line, "2 suites, 1 FAILED: tidy 1.2 s FAILED, rust 1.2 s");
    }

    #[test]
    fn pythons_version_is_compared_by_number() {
        assert!(is_new_enough("Python 3.9.0\n"));
        assert!(is_new_enough("Python 3.11.7"));
        assert!(is_new_enough("Python 4.0.0rc1"));
        assert!(!is_new_enough("Python 3.8.19"));
        assert!(!is_new_enough("Python 2.7.18"));
        assert!(!is_new_enough("something else"));
    }
}
