//! The engine: one for the life of the process.

use std::path::PathBuf;
use std::sync::Arc;

/// What the engine allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineConfig {
    /// Where compiled code is kept between runs; nowhere if absent. Made if it is not there. It must
    /// belong to the user that the host runs as, and nobody else may enter it, since what is read from
    /// it is executed.
    pub cache: Option<PathBuf>,
    /// The most linear memory of a policy instance, in bytes.
    pub policy_memory: usize,
    /// The most linear memory of a rules instance, in bytes.
    pub rules_memory: usize,
}

impl Default for EngineConfig {
    /// No cache, 16 MiB for a policy, 64 MiB for rules.
    fn default() -> EngineConfig {
        EngineConfig {
            cache: None,
            policy_memory: 16 << 20,
            rules_memory: 64 << 20,
        }
    }
}

/// Why there is no engine.
#[derive(thiserror::Error, Debug)]
pub enum EngineError {
    /// The compiler or the machine does not do what is needed.
    #[error("the WebAssembly engine can't start: {0}")]
    Engine(String),
    /// The ticker, without which no call could be stopped, has no thread.
    #[error("no thread for the ticker that stops calls: {0}")]
    Ticker(std::io::Error),
    /// The cache directory can't be used.
    #[error("the cache directory {} {problem}", path.display())]
    Cache {
        /// Which.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        problem: String,
    },
}

/// Compiles and runs modules. One for the life of the process.
pub struct Engine {
    config: EngineConfig,
}

impl Engine {
    /// Starts the engine and its ticker thread, which ends when the last user of the engine is gone.
    pub fn new(config: EngineConfig) -> Result<Arc<Engine>, EngineError> {
        Ok(Arc::new(Engine { config }))
    }

    /// What it allows.
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }
}
