//! A browser for the tests that need one: found, or installed from Debian; without one those tests are skipped.

use std::env;
use std::path::Path;

use crate::debian;
use crate::process;

/// What is looked for, in this order; the same as in tests/conformance/test_websocket_browser.py.
const PROGRAMS: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

/// The smallest of Debian's packages that is enough.
const PACKAGE: &str = "chromium-headless-shell";

/// Sees to it that there is one. If there is none, why; the tests are skipped then.
pub(crate) fn get() -> Result<(), String> {
    if env::var_os("USHER_BROWSER").is_some() || is_there() {
        return Ok(());
    }
    if !debian::can_install() {
        return Err(format!(
            "there is no Chromium: install it, such as Debian's {PACKAGE}, or name one in USHER_BROWSER"
        ));
    }
    eprintln!("xtask: no browser here; installing Debian's {PACKAGE}");
    let words = ["install", "--yes", "--no-install-recommends", PACKAGE];
    process::run(&mut debian::apt_get(&["update"]))?;
    process::run(&mut debian::apt_get(&words))
}

fn is_there() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let has = |folder: &Path| PROGRAMS.iter().any(|name| folder.join(name).is_file());
    env::split_paths(&path).any(|folder| has(&folder))
}
