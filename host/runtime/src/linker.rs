//! Which imports each world is offered.

use crate::bindings;
use crate::guest::State;
use crate::imports::bucket::BucketsView;
use crate::imports::clock::FixedClock;
use crate::imports::ledger::Ledger;
use crate::imports::log::Log;
use crate::imports::params::ParamsView;
use crate::imports::random::Random;
use wasmtime::component::{HasSelf, Linker};

/// What game rules may import.
pub(crate) fn for_rules(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    // Each import sees its own part of the state and nothing else.
    bindings::params::add_to_linker::<_, HasSelf<ParamsView>>(&mut linker, |state: &mut State| {
        &mut state.imports.params
    })?;
    bindings::clock::add_to_linker::<_, HasSelf<FixedClock>>(&mut linker, |state: &mut State| {
        &mut state.imports.clock
    })?;
    bindings::random::add_to_linker::<_, HasSelf<Random>>(&mut linker, |state: &mut State| {
        &mut state.imports.random
    })?;
    bindings::log::add_to_linker::<_, HasSelf<Log>>(&mut linker, |state: &mut State| {
        &mut state.imports.log
    })?;
    Ok(linker)
}

/// What admission policies may import: the same, the ledger and the buckets.
pub(crate) fn for_policies(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = for_rules(engine)?;
    bindings::ledger::add_to_linker::<_, HasSelf<Ledger>>(&mut linker, |state: &mut State| {
        &mut state.imports.ledger
    })?;
    bindings::bucket::add_to_linker::<_, HasSelf<BucketsView>>(
        &mut linker,
        |state: &mut State| &mut state.imports.buckets,
    )?;
    Ok(linker)
}
