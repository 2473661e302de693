//! `cargo xtask fake-sdk` runs this.

use std::process::ExitCode;

fn main() -> ExitCode {
    match usher_stand_ins::cli::fake_sdk() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("fake-sdk: {problem}");
            ExitCode::FAILURE
        }
    }
}
