//! From bytes to something that can be called: read, make a component, check, compile.

mod check;
mod componentize;
mod error;
mod nesting;
mod quietly;
mod read;
mod sections;
mod work;

pub use check::World;
pub use error::LoadError;
pub(crate) use read::read;

use crate::engine::Engine;
use std::time::{Duration, Instant};
use wasmtime::component::Component;

/// A module that fits the contract by its names. Whether its types fit is found out when it is linked.
pub(crate) struct Compiled {
    /// The code.
    pub(crate) component: Component,
    /// What it is for.
    pub(crate) world: World,
    /// The names of what it imports.
    pub(crate) imports: Vec<String>,
    /// Whether it was a core module.
    pub(crate) componentized: bool,
    /// How long compiling took.
    pub(crate) took: Duration,
}

/// Compiles a module of either form.
pub(crate) fn compile(engine: &Engine, bytes: &[u8]) -> Result<Compiled, LoadError> {
    // What decodes and compiles is large, and its input comes from outside: a mistake in it must not
    // take a thread of the host with it.
    let compiled = quietly::quietly(|| compile_unguarded(engine, bytes));
    compiled.unwrap_or_else(|panic| {
        let panic = crate::escape::escaped(&panic, 200);
        let detail = format!("the compiler gave up on it: {panic}");
        Err(LoadError::Malformed { detail })
    })
}

fn compile_unguarded(engine: &Engine, bytes: &[u8]) -> Result<Compiled, LoadError> {
    let begun = Instant::now();
    let (component, componentized, took) = match engine.kept(bytes) {
        // Only what passed everything below is kept.
        Some(kept) => (kept, componentize::is_core(bytes), begun.elapsed()),
        None => {
            let (component, componentized) = componentize::component_of(bytes)?;
            let begun = Instant::now();
            let compiled = engine.compile(&component, bytes);
            let compiled = compiled.map_err(|error| LoadError::Malformed {
                detail: one_line(&error),
            })?;
            (compiled, componentized, begun.elapsed())
        }
    };
    let names = check::Names::of(&component, engine.wasm());
    Ok(Compiled {
        world: check::world(&names)?,
        component,
        imports: names.imports,
        componentized,
        took,
    })
}

/// A world is needed, another may be there.
pub(crate) fn expect_world(found: World, wanted: World) -> Result<(), LoadError> {
    if found == wanted {
        return Ok(());
    }
    Err(LoadError::WrongWorld {
        found: found.name(),
        wanted: wanted.name(),
        belongs: found.belongs(),
    })
}

/// The module could not be linked, although its names are right.
pub(crate) fn other_shape(error: &wasmtime::Error) -> LoadError {
    LoadError::OtherShape {
        speaks: check::SPEAKS,
        detail: one_line(error),
    }
}

/// An error with its causes, fit for one line.
fn one_line(error: &wasmtime::Error) -> String {
    crate::escape::escaped(&format!("{error:#}"), 600)
}
