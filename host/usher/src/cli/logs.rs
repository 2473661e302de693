//! Where log lines go: to stderr, as text or JSON. stdout is for what was asked for.

use super::args::LogFormat;
use super::lines::Lines;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

/// How long the end waits for the last lines.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// The log, which must be finished at the end.
pub(super) struct Log(Arc<Lines>);

impl Log {
    /// Waits until everything is written; not for long where nobody reads.
    pub(super) fn finish(self) {
        self.0.flush(WRITTEN_WITHIN);
    }
}

/// Lets the log be seen, as `RUST_LOG` says; `info` and worse without it.
///
/// # Errors
///
/// What is wrong with `RUST_LOG`, in one line; or that the system has no thread to give.
pub(super) fn start(format: LogFormat) -> Result<Log, String> {
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .from_env()
        .map_err(|error| format!("RUST_LOG: {error}; for example: RUST_LOG=usher=debug"))?;
    // https://no-color.org: any value that is not empty.
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let lines = Lines::start(std::io::stderr(), |lost| {
        tracing::warn!(
            lost,
            "log lines were lost, because stderr does not take them"
        );
    });
    let lines = lines.map_err(|error| format!("the log has no thread: {error}"))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(lines.clone())
        .with_ansi(!no_color && std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
    Ok(Log(lines))
}
