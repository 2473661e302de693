//! No secret that a test used is in anything that a host said: not in a log, a metric, the status, the audit,
//! or a word to a client.

use std::fs;
use std::path::Path;
use usher_tests::{Search, keep};

/// Every secret of a run, and everything that was said in it, by file.
fn read(folder: &Path) -> (Search, Vec<(String, Vec<u8>)>) {
    let lines = files(&keep::secrets(folder));
    let texts: Vec<_> = lines
        .iter()
        .map(|(_, text)| String::from_utf8_lossy(text))
        .collect();
    let search = Search::of(texts.iter().flat_map(|text| text.lines()));
    (search, files(&keep::said(folder)))
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("it can be read"))
        })
        .collect()
}

/// The files that hold a secret, each with the text around it. The secret itself is not shown.
fn leaks(folder: &Path) -> Vec<String> {
    let (search, said) = read(folder);
    said.iter()
        .filter_map(|(name, text)| {
            let at = search.find(text)?;
            let before = String::from_utf8_lossy(&text[at.saturating_sub(80)..at]);
            Some(format!("{name}, after {before:?}"))
        })
        .collect()
}

#[test]
#[ignore = "it looks at what all others left: `cargo xtask test` runs it after them"]
fn nothing_that_a_host_said_holds_a_secret() {
    let folder = keep::folder().expect("USHER_KEEP says where the run is");
    let (search, said) = read(&folder);
    let of_kind = |kind: &str| said.iter().filter(|(name, _)| name.ends_with(kind)).count();
    for kind in ["log", "audit", "metrics", "status", "lines"] {
        assert!(of_kind(kind) > 0, "nothing of the kind {kind} was kept");
    }
    assert!(search.secrets() > 1000, "only {} secrets", search.secrets());
    let leaks = leaks(&folder);
    assert!(leaks.is_empty(), "secrets leaked:\n{}", leaks.join("\n"));
    println!(
        "{} secrets are in none of {} files",
        search.secrets(),
        said.len()
    );
}

#[test]
fn a_secret_is_found_wherever_and_however_it_was_written() {
    let secret = "q3Vx9mKc0TzR1bN4wYp7Lg";
    let odd = "dsc_a/b+c d:e";
    let search = Search::of([secret, odd]);
    for leak in [
        "before q3Vx9mKc0TzR1bN4wYp7Lg after",
        "only a part of it: Kc0TzR1bN4w",
        "/v1/reservations/verify/dsc_a%2Fb%2Bc%20d%3Ae?x",
        // "xq3Vx9mKc0TzR1bN4wYp7Lgx", "q3Vx9mKc0TzR1bN4wYp7Lg" in base64, and the second one in hex.
        "eHEzVng5bUtjMFR6UjFiTjR3WXA3TGd4",
        "cTNWeDltS2MwVHpSMWJONHdZcDdMZw==",
        "7133567839 71335678396D4B6330547A52316279 no",
    ] {
        assert!(search.find(leak.as_bytes()).is_some(), "{leak}");
    }
    for clean in [
        "",
        "q3Vx9mKc",
        "ticket ba7816bf8f01",
        "nothing of the kind is said here",
    ] {
        assert_eq!(search.find(clean.as_bytes()), None, "{clean}");
    }
}

#[test]
fn a_planted_secret_makes_the_search_fail() {
    let folder = tempfile::tempdir().expect("there is room for a directory");
    let put = |folder: &Path, name: &str, text: &str| {
        fs::create_dir_all(folder).expect("there is room");
        fs::write(folder.join(name), text).expect("there is room");
    };
    let (secrets, said) = (keep::secrets(folder.path()), keep::said(folder.path()));
    put(&secrets, "1-lines", "q3Vx9mKc0TzR1bN4wYp7Lg\n");
    put(
        &secrets,
        "2-lines",
        "5a7ae265-3bff-40dd-a2f9-8912fbab97d2\n",
    );
    put(&said, "1-0-log", "started\nticket ba7816bf8f01 is in\n");
    assert!(leaks(folder.path()).is_empty());
    put(
        &said,
        "1-1-audit",
        r#"{"name":"5a7ae265-3bff-40dd-a2f9-8912fbab97d2"}"#,
    );
    let leaks = leaks(folder.path());
    assert_eq!(leaks.len(), 1);
    assert!(leaks[0].starts_with("1-1-audit"), "{leaks:?}");
    assert!(!leaks[0].contains("5a7ae265"), "it is not said again");
}
