//! Where log lines go: to stderr, as text or JSON. stdout is for what was asked for.

use super::args::LogFormat;
use std::io::IsTerminal;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

/// Lets the log be seen, as `RUST_LOG` says; `info` and worse without it.
///
/// # Errors
///
/// What is wrong with `RUST_LOG`, in one line.
pub(super) fn start(format: LogFormat) -> Result<(), String> {
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .from_env()
        .map_err(|error| format!("RUST_LOG: {error}; for example: RUST_LOG=usher=debug"))?;
    // https://no-color.org: any value that is not empty.
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(!no_color && std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}
