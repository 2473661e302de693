//! The one unsafe step of the crate: taking native code from a file.
#![allow(unsafe_code, reason = "wasmtime can't check native code; see SAFETY")]

use wasmtime::component::Component;

/// Takes compiled code from the cache. Code of another compiler or other settings is an error.
pub(crate) fn deserialize(engine: &wasmtime::Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: The bytes must be what `Component::serialize` gave. `cache` is the only caller. It reads
    // them from a directory that only the host's user may enter, and checks the SHA-256 that was written
    // with them, so they are the bytes that this host, or an earlier run of it, serialized. Version and
    // settings are in the entry's name, and wasmtime checks them again.
    unsafe { Component::deserialize(engine, code) }
}
