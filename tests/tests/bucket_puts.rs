//! Lists that policies fill, and lists that are no good from the start.

use serde_json::Value;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use usher_tests::{Answer, Setup, Usher, binary, knock, module};

/// A host whose second policy puts into the bucket `bans` what a player's name says.
fn setup(buckets: &str) -> Setup {
    Setup::new()
        .policy("bans", "builtin:denylist", "")
        .policy("prover", module("prover"), "")
        .more(buckets)
}

fn from_file(file: &Path) -> String {
    format!("[[bucket]]\nname = \"bans\"\nfile = {file:?}\n")
}

async fn is_refused(tcp: SocketAddr, name: &str) -> bool {
    match knock(tcp, name).await.expect("the host answers") {
        Answer::Rejected(_) => true,
        Answer::Accepted(player) => {
            player.leave().await;
            false
        }
    }
}

fn entries(status: &Value) -> Option<u64> {
    status["buckets"][0]["entries"].as_u64()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_policy_puts_in_for_good_survives_the_host() {
    let dir = TempDir::new().expect("there is room for a directory");
    let file = dir.path().join("bans.txt");
    fs::write(&file, "trudy # by hand").expect("a file");
    let host = Usher::start(&setup(&from_file(&file)));
    assert!(!is_refused(host.tcp, "mallory").await);
    assert!(is_refused(host.tcp, "put:mallory").await);
    host.wait_for("put in", |status| entries(status) == Some(2));
    assert!(is_refused(host.tcp, "mallory").await);
    // In the file it is what it was put in as, and reading it again changes nothing.
    host.wait_for("written and read", |status| {
        status["buckets"][0]["put"] == 0
    });
    assert!(is_refused(host.tcp, "mallory").await);
    let taken = r#"usher_bucket_puts_total{result="taken"}"#;
    assert_eq!(host.admin.metric(taken), Some(1.0));
    host.stop();

    let text = fs::read_to_string(&file).expect("there");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("trudy # by hand", "mallory"));
    assert!(lines[1].starts_with("# put in by a policy, 20"), "{text}");
    let again = Usher::start(&setup(&from_file(&file)));
    assert!(is_refused(again.tcp, "mallory").await && is_refused(again.tcp, "trudy").await);
    again.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_policy_puts_in_for_a_while_goes_by_itself() {
    let host = Usher::start(&setup("[[bucket]]\nname = \"bans\"\n"));
    assert!(is_refused(host.tcp, "put:3000:mal").await);
    host.wait_for("put in", |status| entries(status) == Some(1));
    assert!(is_refused(host.tcp, "mal").await);
    host.wait_for("gone", |status| entries(status) == Some(0));
    assert!(!is_refused(host.tcp, "mal").await);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_put_in_is_said_and_counted() {
    let params = "params = { bucket = \"bnas\" }";
    let setup = Setup::new()
        .policy("prover", module("prover"), params)
        .more("[[bucket]]\nname = \"bans\"\n");
    let host = Usher::start(&setup);
    assert!(is_refused(host.tcp, "put:mallory").await);
    let counted = r#"usher_bucket_puts_total{result="unknown-bucket"}"#;
    host.wait_for("counted", |_| host.admin.metric(counted) == Some(1.0));
    let says = "what a policy puts into a bucket is left out: the configuration has no such bucket";
    host.wait_for("said", |_| {
        let log = host.log();
        log.contains(says) && log.contains("bucket=bnas")
    });
    assert!(!is_refused(host.tcp, "mallory").await);
    host.stop();
}

/// `usher serve` or `usher check` with this configuration, in a directory with this list.
fn run(command: &[&str], list: Option<&str>, buckets: &str) -> (Output, TempDir) {
    let dir = TempDir::new().expect("there is room for a directory");
    if let Some(list) = list {
        fs::write(dir.path().join("bans.txt"), list).expect("a file");
    }
    let config = format!(
        "[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \
         \"127.0.0.1:0\"\n[[policy]]\nname = \"bans\"\nmodule = \"builtin:denylist\"\n{buckets}"
    );
    fs::write(dir.path().join("usher.toml"), config).expect("a file");
    let output = Command::new(binary())
        .args(command)
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", dir.path().join("cache"))
        .output();
    (output.expect("the binary runs"), dir)
}

const BUCKET: &str = "[[bucket]]\nname = \"bans\"\nfile = \"bans.txt\"\n";
const SERVE: &[&str] = &["serve", "--config", "usher.toml"];
const CHECK: &[&str] = &["check", "usher.toml"];

fn last_line(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    stderr.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_list_that_is_no_good_keeps_the_host_from_starting() {
    for (list, says) in [
        (
            Some("mallory\n192.0.2.*\n"),
            "usher: bucket bans: bans.txt:2: \"192.0.2.*\" looks like an IP address and is none: write \
             192.0.2.1, 192.0.2.0/24 or 2001:db8::/32",
        ),
        (
            None,
            "usher: bucket bans: bans.txt is not there: an empty file is an empty list",
        ),
    ] {
        let (served, _dir) = run(SERVE, list, BUCKET);
        assert_eq!(served.status.code(), Some(64), "{}", last_line(&served));
        assert_eq!(last_line(&served), says);
        let (checked, _dir) = run(CHECK, list, BUCKET);
        assert_eq!(checked.status.code(), Some(1));
        assert_eq!(last_line(&checked), says);
    }
}

#[test]
fn a_list_that_is_not_configured_keeps_the_policy_from_loading() {
    for command in [SERVE, CHECK] {
        let (output, _dir) = run(command, None, "[[bucket]]\nname = \"bnas\"\n");
        assert_eq!(output.status.code(), Some(1));
        let says = "usher: policy bans (builtin:denylist): fails its self-test: looks into the bucket \
                    \"bans\", which the configuration does not have: correct the name, or add [[bucket]] \
                    with name = \"bans\" and file = \"bans.txt\"";
        let line = last_line(&output);
        assert!(line.starts_with(says), "{line}");
    }
}

#[test]
fn check_reads_what_the_host_would_read() {
    let (output, dir) = run(CHECK, Some("mallory\n192.0.2.0/24\n"), BUCKET);
    assert_eq!(output.status.code(), Some(0), "{}", last_line(&output));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[0], "usher.toml: the host would start with it");
    assert!(
        lines[1].starts_with("  policy   bans: builtin:denylist, generation 1"),
        "{shown}"
    );
    assert_eq!(lines[2], "  bucket   bans: bans.txt, 2 entries");

    let check = |file: &Path| {
        let output = Command::new(binary()).arg("check").arg(file).output();
        output.expect("the binary runs")
    };
    let list = dir.path().join("bans.txt");
    let output = check(&list);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        shown.ends_with(": a bucket would take it\n  entries  2\n"),
        "{shown}"
    );
    fs::write(&list, "a\tb\n").expect("a file");
    let output = check(&list);
    assert_eq!(output.status.code(), Some(1));
    let line = last_line(&output);
    assert!(
        line.ends_with("bans.txt:1: \"a\\tb\" has a control character"),
        "{line}"
    );
}
