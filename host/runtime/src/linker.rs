//! Which imports each world is offered.

use crate::bindings;
use crate::contract::Key;
use crate::guest::State;
use crate::imports::clock::FixedClock;
use crate::imports::details::Details;
use crate::imports::log::Log;
use crate::imports::params::ParamsView;
use crate::imports::random::Random;
use crate::telling;
use wasmtime::component::{HasSelf, Linker, WasmStr};

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

/// What admission policies may import: the same, the request, the way to answer, the ledger and the buckets.
pub(crate) fn for_policies(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = for_rules(engine)?;
    bindings::details::add_to_linker::<_, HasSelf<Details>>(&mut linker, |state: &mut State| {
        &mut state.imports.details
    })?;
    offer_answer(&mut linker)?;
    offer_ledger(&mut linker)?;
    offer_buckets(&mut linker)?;
    Ok(linker)
}

/// What a policy answers is taken as it lies in the module's memory, where that is cheaper.
fn offer_answer(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let mut answer = linker.instance("usher:policy/answer@0.1.0")?;
    answer.func_wrap("give", |store, (verdict,)| {
        Ok(telling::give(store, verdict)?)
    })?;
    answer.func_wrap("accept", telling::accept)?;
    answer.func_wrap("reject", |store, (reason,)| telling::reject(store, reason))
}

/// The ledger and the buckets are asked in nearly every call. By hand a text is looked up where it lies in the
/// module's memory, and a note is handed over from where it is.
fn offer_ledger(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let mut ledger = linker.instance("usher:policy/ledger@0.1.0")?;
    ledger.func_wrap("taken", |store, (key,): (Key,)| {
        Ok((store.data().imports.ledger.taken(key)?,))
    })
}

fn offer_buckets(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let mut bucket = linker.instance("usher:policy/bucket@0.1.0")?;
    bucket.func_wrap("get", |store, (bucket, entry): (WasmStr, WasmStr)| {
        let (bucket, entry) = (bucket.to_str(&store)?, entry.to_str(&store)?);
        Ok((store.data().imports.buckets.get(&bucket, &entry)?,))
    })?;
    bucket.func_wrap(
        "matches-address",
        |store, (bucket, address): (WasmStr, (u64, u64))| {
            let bucket = bucket.to_str(&store)?;
            let buckets = &store.data().imports.buckets;
            Ok((buckets.matches_address(&bucket, address)?,))
        },
    )
}
