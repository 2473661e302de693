//! `cargo xtask fake-discovery` runs this.

use std::process::ExitCode;

fn main() -> ExitCode {
    match usher_stand_ins::cli::fake_discovery() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("fake-discovery: {problem}");
            ExitCode::FAILURE
        }
    }
}
