//! Writes a megabyte of code: thousands of functions of which no two are alike, kept by a table.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const FUNCTIONS: u64 = 4_600;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").expect("cargo says where to write");
    let mut text = String::new();
    let mut number: u64 = 1;
    // The same numbers in every build, without a pattern that a compiler could make use of.
    let mut next = || {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        number >> 33
    };
    for function in 0..FUNCTIONS {
        let _ = writeln!(text, "fn f{function}(mut x: u64) -> u64 {{");
        for _ in 0..6 {
            let (a, b, c, shift) = (next(), next() | 1, next(), next() % 31 + 1);
            let _ = writeln!(
                text,
                "    if x % {b} > {a} {{ x = (x ^ {c}).wrapping_mul({b}); }} else {{ x = x.rotate_left({shift}) ^ (x >> {shift}); }}"
            );
        }
        let _ = writeln!(text, "    x\n}}");
    }
    let _ = writeln!(text, "static ALL: [fn(u64) -> u64; {FUNCTIONS}] = [");
    for function in 0..FUNCTIONS {
        let _ = writeln!(text, "    f{function},");
    }
    let _ = writeln!(
        text,
        "];\n/// Runs one of them.\npub(crate) fn run(number: u64) -> u64 {{\n    ALL[(number % {FUNCTIONS}) as usize](number)\n}}"
    );
    fs::write(Path::new(&folder).join("large.rs"), text).expect("cargo's folder can be written to");
}
