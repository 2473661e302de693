//! A core module: valid WebAssembly, with nothing in it that tells a component's types.

// A name that must not change is all that an export of a core module is.
#![allow(unsafe_code)]

/// One more.
#[unsafe(no_mangle)]
pub extern "C" fn one_more(number: u32) -> u32 {
    number.wrapping_add(1)
}
