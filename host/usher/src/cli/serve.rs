//! `usher serve`: reads what is to be run, runs it, and says how it went.

use super::args::Serve;
use super::exit::{Exit, complain};
use super::logs;
use crate::config::{Config, ConfigError};

pub(super) fn run(serve: &Serve) -> Exit {
    let config = match load(serve) {
        Ok(config) => config,
        Err(error) => {
            complain(error);
            return Exit::Usage;
        }
    };
    if let Err(error) = logs::start(serve.log_format) {
        complain(error);
        return Exit::Usage;
    }
    let _ = config;
    Exit::Failure
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
