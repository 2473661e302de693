//! Makes a component of a core module that carries its contract, which is what a plain
//! `cargo build --target wasm32-unknown-unknown` leaves.

use super::error::LoadError;
use super::nesting;
use super::sections::Sections;
use super::work;
use std::borrow::Cow;
use wit_component::ComponentEncoder;

const MAGIC: &[u8] = b"\0asm";
/// The version and layer of a core module.
const CORE: [u8; 4] = [1, 0, 0, 0];
/// The layer of a component, behind a version of two bytes.
const COMPONENT_LAYER: [u8; 2] = [1, 0];

/// The component, and whether it had to be made.
pub(crate) fn component_of(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, bool), LoadError> {
    if bytes.is_empty() {
        return Err(LoadError::Empty);
    }
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(LoadError::NotWasm);
    };
    let Some(version) = rest.first_chunk::<4>() else {
        let detail = "it ends within the first 8 bytes".to_owned();
        return Err(LoadError::Malformed { detail });
    };
    whole(&bytes[8..])?;
    nesting::check(bytes)?;
    work::check(bytes)?;
    if *version == CORE {
        encode(bytes).map(|component| (Cow::Owned(component), true))
    } else if version[2..] == COMPONENT_LAYER {
        Ok((Cow::Borrowed(bytes), false))
    } else {
        let detail = format!("version bytes {version:02x?}");
        Err(LoadError::Malformed { detail })
    }
}

/// Whether it begins as a core module does.
pub(super) fn is_core(bytes: &[u8]) -> bool {
    bytes
        .strip_prefix(MAGIC)
        .is_some_and(|rest| rest.starts_with(&CORE))
}

/// Whether every section ends within the file. One that is still being written ends within one.
fn whole(sections: &[u8]) -> Result<(), LoadError> {
    let cut = || LoadError::Malformed {
        detail: "it ends within a section, as if it were still being written".to_owned(),
    };
    Sections(sections).try_for_each(|section| section.map(drop).ok_or_else(cut))
}

fn encode(module: &[u8]) -> Result<Vec<u8>, LoadError> {
    // Decoding takes the contract out of its custom section; `None` means that there was none.
    let (with_contract, _) = wit_component::metadata::decode(module).map_err(malformed)?;
    if with_contract.is_none() {
        return Err(LoadError::NoContract);
    }
    ComponentEncoder::default()
        .module(module)
        .and_then(|encoder| encoder.validate(true).encode())
        .map_err(|error| match foreign_import(&format!("{error:#}")) {
            Some(import) => LoadError::ForeignImport { import },
            None => malformed(error),
        })
}

/// The import that the encoder has no interface for. It says so in words only.
fn foreign_import(error: &str) -> Option<String> {
    let (_, rest) = error.split_once("requires an import interface named `")?;
    let (name, _) = rest.split_once('`')?;
    Some(name.to_owned())
}

fn malformed(error: impl std::fmt::Display) -> LoadError {
    LoadError::Malformed {
        detail: crate::escape::escaped(&format!("{error:#}"), 600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_module_is_refused_for_what_it_is() {
        for (bytes, says) in [
            (&b""[..], "is empty"),
            (b"#!/bin/sh", "is not WebAssembly"),
            (b"\0asm", "is broken WebAssembly (it ends within"),
            (b"\0asm\x01\0\0", "is broken WebAssembly (it ends within"),
            (b"\0asm\x02\0\0\0", "is broken WebAssembly (version bytes"),
            (b"\0asm\x01\0\0\0", "is a core module without a contract"),
            (
                b"\0asm\x01\0\0\0\xff",
                "is broken WebAssembly (it ends within a section",
            ),
            (
                b"\0asm\x01\0\0\0\0\x05abc",
                "is broken WebAssembly (it ends within a section",
            ),
            (
                b"\0asm\x01\0\0\0\0\xff\xff\xff\xff\xff",
                "is broken WebAssembly (it ends",
            ),
            (
                b"\0asm\x0d\0\x01\0\0\x05abc",
                "is broken WebAssembly (it ends within a section",
            ),
        ] {
            let error = component_of(bytes).unwrap_err().to_string();
            assert!(error.starts_with(says), "{bytes:?}: {error}");
        }
    }

    #[test]
    fn a_component_is_left_as_it_is() {
        let component = b"\0asm\x0d\0\x01\0";
        let (left, made) = component_of(component).expect("a component");
        assert_eq!((&*left, made), (&component[..], false));
    }

    #[test]
    fn the_encoders_words_for_a_foreign_import_are_understood() {
        let error = "decoding: module requires an import interface named `wasi_snapshot_preview1`";
        assert_eq!(
            foreign_import(error).as_deref(),
            Some("wasi_snapshot_preview1")
        );
        assert_eq!(foreign_import("something else"), None);
    }
}
