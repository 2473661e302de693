//! Lists of names and addresses: changed while players come, wait and play.

use serde_json::Value;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use usher_tests::{Answer, Player, Setup, Usher, decisions, knock, knock_from};

/// A ban list in front of a queue; the list is a file in a directory of the test's own.
struct Bans {
    host: Usher,
    dir: TempDir,
}

impl Bans {
    /// A host with so many seats and these bans.
    fn with(seats: u32, bans: &str) -> Bans {
        let dir = TempDir::new().expect("there is room for a directory");
        let file = dir.path().join("bans.txt");
        fs::write(&file, bans).expect("a file");
        let host = Usher::start(&setup(seats, &file));
        Bans { host, dir }
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("bans.txt")
    }

    /// Replaces the list by a rename, as a careful operator does.
    fn replace(&self, bans: &str) {
        let beside = self.dir.path().join("bans.new");
        fs::write(&beside, bans).expect("a file");
        fs::rename(&beside, self.file()).expect("a rename within one directory works");
    }

    async fn join(&self, name: &str) -> Player {
        answer(self.host.tcp, name).await.accepted()
    }

    async fn is_refused(&self, name: &str) -> bool {
        match answer(self.host.tcp, name).await {
            Answer::Rejected(_) => true,
            Answer::Accepted(player) => {
                player.leave().await;
                false
            }
        }
    }

    /// Waits for something to be said in the log.
    #[track_caller]
    fn wait_for_line(&self, says: &str) {
        self.host
            .wait_for("said", |_| self.host.log().contains(says));
    }

    /// Waits for the list to have so many entries.
    #[track_caller]
    fn wait_for_entries(&self, entries: u64) {
        self.host.wait_for("read", |status| {
            bucket(status)["entries"] == entries && bucket(status)["state"] == "ok"
        });
    }
}

fn setup(seats: u32, file: &Path) -> Setup {
    let bucket = format!("[[bucket]]\nname = \"bans\"\nfile = {file:?}\n");
    Setup::new()
        .policy("bans", "builtin:denylist", "recheck = \"seated\"")
        .policy("queue", "builtin:queue", "")
        .limit("max-players", &seats.to_string())
        .more(&bucket)
}

fn bucket(status: &Value) -> &Value {
    &status["buckets"][0]
}

async fn answer(tcp: SocketAddr, name: &str) -> Answer {
    knock(tcp, name).await.expect("the host answers")
}

fn waiting(tcp: SocketAddr, name: &'static str) -> JoinHandle<Answer> {
    tokio::spawn(async move { answer(tcp, name).await })
}

/// The codes of the reasons for which players were refused or ended, by name.
fn told(host: &Usher, name: &str, outcome: &str) -> Vec<String> {
    let decisions = decisions(&host.dir().join("audit.jsonl"));
    let of = decisions
        .iter()
        .filter(|it| it["name"] == name && it["outcome"] == outcome);
    let codes = of.map(|it| it["reason"]["code"].as_str().unwrap_or_default().to_owned());
    codes.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ban_that_is_added_refuses_who_waits_at_once() {
    let bans = Bans::with(1, "");
    let first = bans.join("first").await;
    let second = waiting(bans.host.tcp, "second");
    bans.host
        .wait_for("waiting", |status| status["pending"]["waiting"] == 1);
    let third = waiting(bans.host.tcp, "third");
    bans.host
        .wait_for("waiting", |status| status["pending"]["waiting"] == 2);

    bans.replace("second # cheats\n");
    second.await.expect("no panic").rejected();
    bans.host.wait_for("written", |_| {
        told(&bans.host, "second", "rejected") == ["banned"]
    });
    assert_eq!(bans.host.admin.status()["pending"]["waiting"], 1);
    first.leave().await;
    third.await.expect("no panic").accepted().leave().await;
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ban_that_is_added_ends_who_plays_with_the_policys_reason() {
    let bans = Bans::with(8, "");
    let banned = bans.join("mallory").await;
    let mut others = Vec::new();
    for name in ["a", "b", "c", "d", "e"] {
        others.push(bans.join(name).await);
    }
    bans.replace("mallory\n");
    banned.ended().await;
    bans.host.wait_for("written", |_| {
        told(&bans.host, "mallory", "ended") == ["banned"]
    });
    let status = bans.host.wait_for("reported", |status| {
        status["policies"][0]["recheck"]["ended"] == 1
    });
    let recheck = &status["policies"][0]["recheck"];
    assert_eq!(
        (&recheck["seated"], &recheck["stopped"]),
        (&6.into(), &false.into())
    );
    assert_eq!(status["players"]["connected"], 5);
    assert!(bans.is_refused("mallory").await);
    for other in others {
        other.leave().await;
    }
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_would_empty_the_server_ends_nobody_until_an_operator_insists() {
    let bans = Bans::with(8, "");
    let mut players = Vec::new();
    for name in ["a", "b", "c", "d"] {
        players.push(bans.join(name).await);
    }
    // As of someone who forgot the end of the prefix.
    bans.replace("127.0.0.0/8\n");
    let status = bans.host.wait_for("stopped", |status| {
        status["policies"][0]["recheck"]["stopped"] == true
    });
    let recheck = &status["policies"][0]["recheck"];
    assert_eq!(
        (&recheck["refused"], &recheck["ended"]),
        (&4.into(), &0.into())
    );
    assert_eq!(status["players"]["connected"], 4);
    bans.wait_for_line("would end too many of them");
    let counted = r#"usher_rechecks_total{policy="bans",result="stopped"}"#;
    assert_eq!(bans.host.admin.metric(counted), Some(1.0));

    let admin = bans.host.admin;
    assert_eq!(admin.post("/v1/policies/none/recheck", "").0, 404);
    let (code, body) = admin.post("/v1/policies/bans/recheck?force=true", "");
    assert_eq!(code, 202, "{body}");
    for player in players {
        player.ended().await;
    }
    bans.host.wait_for("done", |status| {
        let recheck = &status["policies"][0]["recheck"];
        recheck["ended"] == 4 && recheck["forced"] == true
    });
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_in_the_networks_that_it_is_in() {
    let bans = Bans::with(
        8,
        "127.0.0.8/30 # the school\r\n127.0.1.0\r\n::ffff:127.0.2.0/127\r\n::/0\r\n",
    );
    for (from, banned) in [
        ("127.0.0.7", false),
        ("127.0.0.8", true),
        ("127.0.0.11", true),
        ("127.0.0.12", false),
        ("127.0.1.0", true),
        ("127.0.1.1", false),
        ("127.0.2.1", true),
        ("127.0.2.2", false),
    ] {
        let from = from.parse().expect("an address");
        let answer = knock_from(from, bans.host.tcp, "R9").await;
        match answer.expect("the host answers") {
            Answer::Rejected(_) => assert!(banned, "{from}"),
            Answer::Accepted(player) => {
                assert!(!banned, "{from}");
                player.leave().await;
            }
        }
    }
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_slips_in_while_a_list_is_written_slowly() {
    let bans = Bans::with(8, "mallory\n");
    let text = format!("{}mallory\n", "somebody else\n".repeat(40));
    {
        use std::io::Write;
        let mut slow = fs::File::create(bans.file()).expect("the file can be written");
        // No part ends with a line.
        for part in text.as_bytes().chunks(101) {
            slow.write_all(part).expect("the file can be written");
            // What is tested is a writer that takes its time.
            tokio::time::sleep(Duration::from_millis(150)).await;
            assert!(bans.is_refused("mallory").await);
        }
    }
    bans.wait_for_entries(2);
    assert!(bans.is_refused("mallory").await);
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_in_the_list_leaves_the_one_before_in_force() {
    let bans = Bans::with(8, "mallory\n");
    bans.replace("trudy\n192.0.2.256\n");
    let status = bans.host.wait_for("refused", |status| {
        bucket(status)["state"] == "failed-to-load"
    });
    let error = bucket(&status)["last_error"].as_str().unwrap_or_default();
    let says = "bans.txt:2: \"192.0.2.256\" looks like an IP address and is none";
    assert!(error.contains(says), "{error}");
    bans.wait_for_line("refused, what the bucket had stays in force");
    assert!(bans.is_refused("mallory").await);
    assert!(!bans.is_refused("trudy").await);
    bans.replace("trudy\n192.0.2.255\n");
    bans.wait_for_entries(2);
    assert!(!bans.is_refused("mallory").await);
    assert!(bans.is_refused("trudy").await);
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_deleted_stays_in_force_and_a_new_one_is_read() {
    let bans = Bans::with(8, "mallory\n");
    fs::remove_file(bans.file()).expect("there");
    bans.host.wait_for("missed", |status| {
        bucket(status)["state"] == "failed-to-load"
    });
    bans.wait_for_line("is gone: what the bucket had stays in force");
    assert!(bans.is_refused("mallory").await);
    fs::write(bans.file(), "trudy\nzed\n").expect("a file");
    bans.wait_for_entries(2);
    assert!(!bans.is_refused("mallory").await);
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_behind_a_link_that_turns_is_followed() {
    let dir = TempDir::new().expect("there is room for a directory");
    for (release, name) in [("one", "mallory\n"), ("two", "trudy\nzed\n")] {
        fs::create_dir(dir.path().join(release)).expect("a directory can be made");
        fs::write(dir.path().join(release).join("bans.txt"), name).expect("a file");
    }
    let link = |target: &str, name: &str| {
        let beside = dir.path().join("link.new");
        std::os::unix::fs::symlink(target, &beside).expect("a link can be made");
        fs::rename(&beside, dir.path().join(name)).expect("a link can be renamed");
    };
    link("one", "..data");
    link("..data/bans.txt", "bans.txt");
    let host = Usher::start(&setup(8, &dir.path().join("bans.txt")));
    let bans = Bans { host, dir };
    assert!(bans.is_refused("mallory").await);
    let link = |target: &str, name: &str| {
        let beside = bans.dir.path().join("link.new");
        std::os::unix::fs::symlink(target, &beside).expect("a link can be made");
        fs::rename(&beside, bans.dir.path().join(name)).expect("a link can be renamed");
    };
    link("two", "..data");
    bans.wait_for_entries(2);
    assert!(bans.is_refused("trudy").await && !bans.is_refused("mallory").await);
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hang_up_reads_the_lists_again() {
    let bans = Bans::with(8, "mallory\n");
    let read = r#"usher_bucket_reads_total{bucket="bans",result="unchanged"}"#;
    let before = bans.host.admin.metric(read).unwrap_or(0.0);
    bans.host.signal("-HUP");
    bans.host.wait_for("read again", |_| {
        bans.host.admin.metric(read).unwrap_or(0.0) > before
    });
    let entries = r#"usher_bucket_entries{bucket="bans"}"#;
    assert_eq!(bans.host.admin.metric(entries), Some(1.0));
    bans.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_allow_list_lets_in_whom_it_names_and_a_change_of_it_counts_at_once() {
    let dir = TempDir::new().expect("there is room for a directory");
    fs::write(dir.path().join("allow.txt"), "alice\n127.0.0.9\n").expect("a file");
    let file = dir.path().join("allow.txt");
    let setup = Setup::new()
        .policy("allow", "builtin:allowlist", "")
        .policy("rtyp", "builtin:rtyp", "")
        .more(&format!("[[bucket]]\nname = \"allow\"\nfile = {file:?}\n"));
    let host = Usher::start(&setup);
    answer(host.tcp, "alice").await.accepted().leave().await;
    answer(host.tcp, "bob").await.rejected();
    let from = "127.0.0.9".parse().expect("an address");
    let answered = knock_from(from, host.tcp, "bob").await;
    answered.expect("the host answers").accepted().leave().await;
    fs::write(&file, "alice\nbob\nzed\n").expect("a file");
    host.wait_for("read", |status| bucket(status)["entries"] == 3);
    answer(host.tcp, "bob").await.accepted().leave().await;
    host.wait_for("written", |_| {
        told(&host, "bob", "rejected") == ["not-allowed"]
    });
    host.stop();
}
