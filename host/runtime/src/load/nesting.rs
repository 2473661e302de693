//! How deep a module nests. What decodes one calls itself for each level of a type, and where the stack
//! ends the whole process does: that is no panic, and nothing could catch it.

use super::error::LoadError;
use super::sections::{Sections, counted, opened};

/// The most levels of types in one section. A level takes up to 4 KiB of stack, and a thread has 2 MiB.
const TYPES: usize = 250;
/// The most levels of components. They take no stack, but memory that grows with their square.
const COMPONENTS: usize = 50;

/// Ids of sections.
const CUSTOM: u8 = 0;
const COMPONENT: u8 = 4;
const TYPE: u8 = 7;

/// Refuses what nests deeper than anything that was written by hand or by a tool.
pub(super) fn check(module: &[u8]) -> Result<(), LoadError> {
    walk(module, 0)
}

/// What is malformed is left to the decoder, which stops there as well.
fn walk(binary: &[u8], level: usize) -> Result<(), LoadError> {
    if level > COMPONENTS {
        return Err(too_deep("components", COMPONENTS));
    }
    let Some((core, sections)) = opened(binary) else {
        return Ok(());
    };
    for (id, body) in Sections(sections).flatten() {
        match id {
            CUSTOM if core => {
                if let Some(component) = contract(body) {
                    walk(component, level + 1)?;
                }
            }
            COMPONENT if !core => walk(body, level + 1)?,
            TYPE if !core && openings(body) > TYPES => return Err(too_deep("types", TYPES)),
            _ => {}
        }
    }
    Ok(())
}

/// The component in which a core module carries its contract.
fn contract(custom: &[u8]) -> Option<&[u8]> {
    let (name, component) = counted(custom)?;
    name.starts_with(b"component-type").then_some(component)
}

/// How many levels the types of a section can have at most: each but the first begins with these two
/// bytes, a declaration of a type and the kind of one that holds others. Names and numbers may look like
/// it too, a few dozen of them in the largest contracts.
fn openings(types: &[u8]) -> usize {
    let pairs = types.windows(2);
    pairs
        .filter(|pair| matches!(pair, [0x01, 0x41 | 0x42]))
        .count()
}

fn too_deep(what: &str, most: usize) -> LoadError {
    LoadError::Malformed {
        detail: format!("its {what} are nested more than {most} deep"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREAMBLE: &[u8] = b"\0asm\x0d\0\x01\0";

    fn section(id: u8, body: &[u8]) -> Vec<u8> {
        let mut section = vec![id];
        let mut length = body.len();
        while length > 0x7f {
            section.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        section.push(length as u8);
        section.extend_from_slice(body);
        section
    }

    fn component(sections: &[u8]) -> Vec<u8> {
        [PREAMBLE, sections].concat()
    }

    /// A type within a type, so many times.
    fn types(kind: u8, levels: usize) -> Vec<u8> {
        let mut types = vec![0x01];
        types.extend([kind, 0x01, 0x01].repeat(levels));
        types.extend([kind, 0x00]);
        component(&section(TYPE, &types))
    }

    fn refusal(module: &[u8]) -> String {
        check(module).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn types_are_refused_before_they_use_the_stack_up() {
        for kind in [0x41, 0x42] {
            assert_eq!(refusal(&types(kind, TYPES - 1)), "");
            let deep = types(kind, 100_000);
            let carrying = [b"\x10component-type:x", &*deep].concat();
            let core = [&b"\0asm\x01\0\0\0"[..], &section(CUSTOM, &carrying)].concat();
            for module in [&deep, &component(&section(COMPONENT, &deep)), &core] {
                assert_eq!(
                    refusal(module),
                    "is broken WebAssembly (its types are nested more than 250 deep): copy or build it \
                     again"
                );
            }
        }
    }

    #[test]
    fn components_are_refused_before_they_use_the_memory_up() {
        let nested = |levels| {
            (0..levels).fold(component(&[]), |inner, _| {
                component(&section(COMPONENT, &inner))
            })
        };
        assert_eq!(refusal(&nested(COMPONENTS)), "");
        assert!(refusal(&nested(1_000)).contains("components are nested more than 50 deep"));
    }

    #[test]
    fn what_is_cut_is_left_to_the_decoder() {
        assert_eq!(refusal(b"\0asm"), "");
        assert_eq!(refusal(&component(&[COMPONENT, 9, 1])), "");
    }
}
