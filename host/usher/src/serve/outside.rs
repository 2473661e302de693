//! What the host asks outside of itself: how it came to be, and who is asked because of that.

use super::error::ServeError;
use crate::config::{Config, Mode};
use crate::core_loop::Handle;
use crate::evidence::{Chosen, PORT_VARIABLE, Sources};
use std::env;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;
use usher_core::{Attribute, AttributeValue};

/// How long those outside have to be told that the host stops.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// Finds out how this server came to be, and says what is odd about that and the configuration.
pub(super) fn choose(config: &Config) -> Chosen {
    let chosen = Chosen::choose(config, env::var_os(PORT_VARIABLE).as_deref());
    for warning in chosen.warning.iter().chain(&config.warnings()) {
        tracing::warn!("{warning}");
    }
    chosen
}

/// What policies are told of the host with each request.
pub(super) fn attributes(mode: Mode) -> Arc<[Attribute]> {
    [Attribute {
        name: "fleet.mode".into(),
        value: AttributeValue::Text(mode.word().into()),
    }]
    .into()
}

/// Makes ready to ask.
pub(super) fn start(
    config: &Config,
    chosen: &Chosen,
    core: &Handle,
    parts: &mut JoinSet<()>,
) -> Result<Arc<Sources>, ServeError> {
    let sources = Sources::start(config, chosen, core, parts);
    Ok(Arc::new(sources.map_err(ServeError::Outside)?))
}

/// Tells those outside that the host stops, after everyone inside was told.
pub(super) async fn stop(sources: &Sources) {
    if timeout(STOP_WITHIN, sources.stop()).await.is_err() {
        tracing::warn!("not everyone outside could be told in time that the host stops");
    }
}
