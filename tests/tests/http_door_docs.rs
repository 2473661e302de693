//! The examples of `docs/protocols/http.md` do what the page says: each command is run, in order, and what
//! follows it is what it prints.

use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use usher_tests::{Setup, Usher};

const TOKEN: &str = "w9KfR2c7VbQx4LmZ8sTn1D";

/// A block of the page between fences: its language and its lines.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut parts = page.split("```").skip(1).step_by(2);
    let mut blocks = Vec::new();
    for part in &mut parts {
        blocks.push(part.split_once('\n').expect("a fence begins a line"));
    }
    blocks
}

/// Whether this is a name that the host gives, or a run of it.
fn is_given(text: &str) -> bool {
    let run = |text: &str| text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text.rsplit_once('-') {
        Some((number, rest)) => {
            let number = number.strip_prefix('l').unwrap_or(number);
            run(rest) && number.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => run(text),
    }
}

/// Asserts that this is what was promised: the same keys and texts, names that the host gave in place of
/// those on the page, and figures that only have to be figures where they are of time.
fn compare(promised: &Value, got: &Value, names: &mut HashMap<String, String>) {
    match (promised, got) {
        (Value::Object(promised), Value::Object(got)) => {
            let keys = |map: &serde_json::Map<String, Value>| -> Vec<String> {
                map.keys().cloned().collect()
            };
            assert_eq!(keys(promised), keys(got));
            for (key, promised) in promised {
                let is_time = key.starts_with("age") && promised.is_number();
                if !(is_time && got[key].is_number()) {
                    compare(promised, &got[key], names);
                }
            }
        }
        (Value::Array(promised), Value::Array(got)) => {
            assert_eq!(promised.len(), got.len(), "{promised:?} {got:?}");
            for (promised, got) in promised.iter().zip(got) {
                compare(promised, got, names);
            }
        }
        (Value::String(promised), Value::String(got)) if is_given(promised) => {
            assert!(is_given(got), "{got}");
            let known = names.entry(promised.clone()).or_insert_with(|| got.clone());
            assert_eq!(known, got, "one name on the page is one name");
        }
        _ => assert_eq!(promised, got),
    }
}

fn run(host: &Usher, command: &str, names: &HashMap<String, String>) -> String {
    let mut command = command.to_owned();
    // The longer one first: l1-… has 1-… in it.
    let mut known: Vec<_> = names.iter().collect();
    known.sort_by_key(|(promised, _)| std::cmp::Reverse(promised.len()));
    for (promised, got) in known {
        command = command.replace(promised.as_str(), got);
    }
    let output = Command::new("sh")
        .args(["-eu", "-c", &command])
        .env("DOOR", format!("http://{}", host.tcp))
        .env("TOKEN", TOKEN)
        .output()
        .expect("there is a shell");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {complaint}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_example_on_the_page_is_true() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/protocols/http.md");
    let page = fs::read_to_string(file).expect("the page is there");
    let dir = TempDir::new().expect("there is room for a directory");
    let token = dir.path().join("door.token");
    fs::write(&token, TOKEN).expect("written");
    let setup = Setup::http()
        .policy("queue", "builtin:queue", "")
        .limit("max-players", "1")
        .door("token-file", &format!("{token:?}"))
        .door("without-token", "false");
    let host = Usher::start(&setup);
    let mut names = HashMap::new();
    let blocks = blocks(&page);
    let mut run_of_them = 0;
    for pair in blocks.windows(2) {
        let [("sh", command), (kind, promised)] = pair else {
            continue;
        };
        let printed = run(&host, command, &names);
        run_of_them += 1;
        if *kind == "json" {
            let promised = serde_json::from_str(promised).expect("the page has JSON");
            let got = serde_json::from_str(&printed);
            let got = got.unwrap_or_else(|_| panic!("{command}: {printed}"));
            compare(&promised, &got, &mut names);
        } else {
            let mut promised = (*promised).to_owned();
            for (name, got) in &names {
                promised = promised.replace(name.as_str(), got);
            }
            assert_eq!(printed.trim(), promised.trim());
        }
    }
    assert_eq!(run_of_them, 12, "examples that were found");
    host.stop();
}
