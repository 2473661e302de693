//! `usher join` as a program that people and scripts run.

use crate::host::binary;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// Joins at an address such as `ws://127.0.0.1:4245`, types this, and leaves at its end.
pub fn join(at: &str, options: &[&str], typed: &str) -> Output {
    let mut child = Command::new(binary())
        .args(["join", at])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(typed.as_bytes()).expect("it reads");
    drop(input);
    child.wait_with_output().expect("it ends")
}

/// What a program has written, a line each.
pub fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}
