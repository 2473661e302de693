//! What is said to whoever started the program. A terminal that is gone is no error: nobody reads any
//! more, so nobody misses it. `println!` would panic there.

use std::fmt::Display;
use std::io::{self, Write as _};

/// A line on stdout, at once: someone watches, or a script waits for it.
pub(super) fn say(line: impl Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Why nothing more is done, on stderr.
pub(super) fn complain(error: impl Display) {
    let _ = writeln!(io::stderr(), "usher: {error}");
}
