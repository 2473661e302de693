//! How many files and sockets the host may have open.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the soft limit to the hard one. Most systems start a program with 1,024, which strangers alone
/// could use up; the limit is so low for programs that use `select`, and this is none.
pub(super) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!("the limit of open files stays as it is: {error}");
    }
}
