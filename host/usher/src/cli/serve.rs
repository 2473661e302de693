//! `usher serve`: reads what is to be run, runs it, and says how it went.

use super::args::Serve;
use super::banner::banner;
use super::exit::Exit;
use super::logs;
use super::terminal::{complain, say};
use crate::config::{Config, ConfigError};
use crate::policies::StartError;
use crate::serve::{ServeError, Started};
use tokio::runtime::Runtime;

pub(super) fn run(serve: &Serve) -> Exit {
    let config = match load(serve) {
        Ok(config) => config,
        Err(error) => {
            complain(error);
            return Exit::Usage;
        }
    };
    let log = match logs::start(serve.log_format) {
        Ok(log) => log,
        Err(error) => {
            complain(error);
            return Exit::Usage;
        }
    };
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(format!("the system has no threads to give: {error}"));
            return Exit::Failure;
        }
    };
    let ready = |started: &Started<'_>| say(banner(started).trim_end());
    let again = serve.clone();
    let reread = move || load(&again);
    let served = runtime.block_on(crate::serve::serve(config, reread, ready));
    // What blocks still, such as a module that compiles, is not waited for.
    runtime.shutdown_background();
    // Why it could not start is the last line.
    log.finish();
    match served {
        Ok(()) => Exit::Success,
        Err(error) => {
            let exit = exit(&error);
            complain(error);
            exit
        }
    }
}

/// Whether the configuration is to be changed, or something else.
fn exit(error: &ServeError) -> Exit {
    match error {
        ServeError::Policies(StartError::Capacity(_) | StartError::Bucket(_)) => Exit::Usage,
        _ => Exit::Failure,
    }
}

/// The configuration, with what the command line changes of it.
fn load(serve: &Serve) -> Result<Config, ConfigError> {
    let mut config = match &serve.config {
        Some(file) => Config::load(file)?,
        None => Config::default(),
    };
    if !serve.policies.is_empty() {
        config.replace_policies(&serve.policies)?;
    }
    Ok(config)
}
