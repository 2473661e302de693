#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| usher_wire::fuzzing::ticket(input));
