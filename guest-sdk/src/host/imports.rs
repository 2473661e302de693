//! Who answers: the host, or natively the fake.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use super::fake::imports::{bucket, clock, details, ledger, log, params, random};
#[cfg(target_arch = "wasm32")]
pub(crate) use crate::bindings::admission::usher::policy::{
    bucket, clock, details, ledger, log, params, random,
};
