//! How much there is to compile. Compiling takes time and memory by the function, and more than its share
//! for a large one: 4 MB of empty functions take minutes and gigabytes. Nothing can stop it once begun.

use super::error::LoadError;
use super::sections::{Sections, counted, leb_u32, opened};

/// The most functions. An interpreter of a large language has about a third of it.
const FUNCTIONS: u64 = 100_000;
/// The most bytes of one function. The main loop of an interpreter has about a fifth of it.
const FUNCTION_BYTES: usize = 512 << 10;

/// Ids of sections: of a core module, and of a component.
const CODE: u8 = 10;
const CORE_MODULE: u8 = 1;
const COMPONENT: u8 = 4;

/// Refuses what would take too long. That components do not nest without end was checked before.
pub(super) fn check(module: &[u8]) -> Result<(), LoadError> {
    let mut functions = 0;
    walk(module, &mut functions)
}

/// What is malformed is left to the decoder, which stops there as well.
fn walk(binary: &[u8], functions: &mut u64) -> Result<(), LoadError> {
    let Some((core, sections)) = opened(binary) else {
        return Ok(());
    };
    for (id, body) in Sections(sections).flatten() {
        match id {
            CODE if core => code(body, functions)?,
            CORE_MODULE | COMPONENT if !core => walk(body, functions)?,
            _ => {}
        }
    }
    Ok(())
}

fn code(section: &[u8], functions: &mut u64) -> Result<(), LoadError> {
    let Some((count, mut bodies)) = leb_u32(section) else {
        return Ok(());
    };
    *functions += u64::from(count);
    if *functions > FUNCTIONS {
        return Err(LoadError::TooMuch {
            what: "functions",
            most: FUNCTIONS,
        });
    }
    while let Some((body, rest)) = counted(bodies) {
        if body.len() > FUNCTION_BYTES {
            return Err(LoadError::TooMuch {
                what: "bytes in one function",
                most: FUNCTION_BYTES as u64,
            });
        }
        bodies = rest;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leb(mut value: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value > 0x7f {
            bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    fn section(id: u8, body: &[u8]) -> Vec<u8> {
        [&[id][..], &leb(body.len()), body].concat()
    }

    /// A core module of so many functions of so many bytes each.
    fn core(functions: usize, bytes: usize) -> Vec<u8> {
        let body = [leb(bytes), vec![0; bytes]].concat();
        let code = [leb(functions), body.repeat(functions)].concat();
        [&b"\0asm\x01\0\0\0"[..], &section(CODE, &code)].concat()
    }

    fn component(sections: &[u8]) -> Vec<u8> {
        [&b"\0asm\x0d\0\x01\0"[..], sections].concat()
    }

    #[test]
    fn what_would_take_too_long_to_compile_is_refused_at_once() {
        let fits = core(1_000, 100);
        assert!(check(&fits).is_ok() && check(&component(&section(CORE_MODULE, &fits))).is_ok());
        assert!(check(&core(1, FUNCTION_BYTES)).is_ok());
        for (many, says) in [
            (core(100_001, 2), "more than 100000 functions"),
            (
                core(1, FUNCTION_BYTES + 1),
                "more than 524288 bytes in one function",
            ),
        ] {
            let inner = section(CORE_MODULE, &many);
            let nested = component(&section(COMPONENT, &component(&inner)));
            for module in [&many, &component(&inner), &nested] {
                let error = check(module).unwrap_err().to_string();
                assert!(error.contains(says), "{error}");
            }
        }
        let half = section(CORE_MODULE, &core(60_000, 2));
        let both = component(&[&half[..], &half].concat());
        assert!(
            check(&both).is_err(),
            "modules of a component count together"
        );
    }

    #[test]
    fn what_is_cut_is_left_to_the_decoder() {
        for cut in [
            &b"\0asm"[..],
            b"\0asm\x01\0\0\0\x0a\x02\x05",
            b"\0asm\x01\0\0\0\x0a\x00",
        ] {
            assert!(check(cut).is_ok());
        }
    }
}
