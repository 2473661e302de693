//! The engine: one for the life of the process.

use crate::cache::Cache;
use crate::guest::State;
use crate::linker;
use crate::pulse::Pulse;
use crate::ticker::Ticker;
use std::path::PathBuf;
use std::sync::Arc;
use wasmtime::component::{Component, Linker};

/// The most stack of a module, in bytes. Every thread that calls one must have a good deal more: past
/// the end of the thread's own stack the whole process would abort. Threads have 2 MiB where nothing
/// else is said.
const STACK: usize = 512 << 10;

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
    /// Each call of a policy has an instance of its own, so that nothing that a module kept of one call is
    /// there in another. It costs many times the call.
    pub fresh_instances: bool,
}

impl Default for EngineConfig {
    /// No cache, 16 MiB for a policy, 64 MiB for rules, instances used again.
    fn default() -> EngineConfig {
        EngineConfig {
            cache: None,
            policy_memory: 16 << 20,
            rules_memory: 64 << 20,
            fresh_instances: false,
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
    wasm: wasmtime::Engine,
    cache: Option<Cache>,
    policies: Linker<State>,
    rules: Linker<State>,
    ticker: Ticker,
}

impl Engine {
    /// Starts the engine and its ticker thread, which ends when the last user of the engine is gone.
    pub fn new(config: EngineConfig) -> Result<Arc<Engine>, EngineError> {
        let failed = |error: wasmtime::Error| EngineError::Engine(format!("{error:#}"));
        let wasm = wasmtime::Engine::new(&settings()).map_err(failed)?;
        let cache = match &config.cache {
            None => None,
            Some(path) => Some(Cache::open(path, &wasm).map_err(|problem| {
                let path = path.clone();
                EngineError::Cache { path, problem }
            })?),
        };
        Ok(Arc::new(Engine {
            config,
            cache,
            policies: linker::for_policies(&wasm).map_err(failed)?,
            rules: linker::for_rules(&wasm).map_err(failed)?,
            ticker: Ticker::start(&wasm).map_err(EngineError::Ticker)?,
            wasm,
        }))
    }

    /// What it allows.
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// The compiled code of a module, if it is kept.
    pub(crate) fn kept(&self, module: &[u8]) -> Option<Component> {
        self.cache.as_ref()?.get(&self.wasm, module)
    }

    /// Compiles a component, and keeps the code as that of the module that it was made of: making it takes
    /// longer than reading the code.
    pub(crate) fn compile(&self, component: &[u8], module: &[u8]) -> wasmtime::Result<Component> {
        let compiled = Component::from_binary(&self.wasm, component)?;
        if let Some(cache) = &self.cache {
            cache.put(module, &compiled);
        }
        Ok(compiled)
    }

    /// The engine below.
    pub(crate) fn wasm(&self) -> &wasmtime::Engine {
        &self.wasm
    }

    /// What calls tell the ticker.
    pub(crate) fn pulse(&self) -> &Arc<Pulse> {
        self.ticker.pulse()
    }

    /// What policies may import.
    pub(crate) fn policies(&self) -> &Linker<State> {
        &self.policies
    }

    /// What rules may import.
    pub(crate) fn rules(&self) -> &Linker<State> {
        &self.rules
    }
}

fn settings() -> wasmtime::Config {
    let mut settings = wasmtime::Config::new();
    settings
        .epoch_interruption(true)
        .max_wasm_stack(STACK)
        // Nothing is called asynchronously, and a call is a third quicker without the means for it.
        .concurrency_support(false)
        // The limiter is not asked about shared memories.
        .wasm_threads(false)
        // Relaxed instructions may give different answers on different machines.
        .wasm_relaxed_simd(false);
    settings
}
