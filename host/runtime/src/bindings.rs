//! The contract as types, generated from `wit/`. Nothing outside the crate sees them.
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "generated, and documented in wit/"
)]

/// The world of admission policies.
pub(crate) mod policy {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "admission-policy",
        imports: {
            "usher:policy/details": trappable,
        },
    });
}

/// The world of game rules, on the same types and imports.
pub(crate) mod game {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "game-rules",
        with: {
            "usher:policy/types": super::policy::usher::policy::types,
            "usher:policy/params": super::policy::usher::policy::params,
            "usher:policy/clock": super::policy::usher::policy::clock,
            "usher:policy/random": super::policy::usher::policy::random,
            "usher:policy/log": super::policy::usher::policy::log,
        },
    });
}

pub(crate) use game::exports::usher::policy::rules;
pub(crate) use policy::exports::usher::policy::admission;
pub(crate) use policy::usher::policy::{clock, details, log, params, random, types};
