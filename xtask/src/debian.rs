//! What is missing on a Debian can be installed there.

use std::path::Path;
use std::process::Command;

use crate::process;

/// Whether there is an apt-get, and we may use it.
pub(crate) fn can_install() -> bool {
    Path::new("/usr/bin/apt-get").is_file() && is_root()
}

/// apt-get that asks nothing, and waits for another one to finish.
pub(crate) fn apt_get(words: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(["--quiet", "-o", "DPkg::Lock::Timeout=300"]);
    command
        .args(words)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env_remove("LD_LIBRARY_PATH");
    command
}

fn is_root() -> bool {
    process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
