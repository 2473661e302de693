//! Lists and the queue at a door whose protocol has no names: the payload says who someone is.

use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use usher_tests::{Guest, Setup, Usher};

/// A ban list in front of a queue with one seat; `staff` come first.
fn host(bans: &str) -> (Usher, PathBuf, TempDir) {
    let dir = TempDir::new().expect("there is room for a directory");
    let (list, staff) = (dir.path().join("bans.txt"), dir.path().join("staff.txt"));
    fs::write(&list, bans).expect("a file");
    fs::write(&staff, "boss\n").expect("a file");
    let buckets = format!(
        "[[bucket]]\nname = \"bans\"\nfile = {list:?}\n[[bucket]]\nname = \"staff\"\nfile = {staff:?}\n"
    );
    let setup = Setup::mafianet()
        .policy(
            "bans",
            "builtin:denylist",
            "recheck = \"seated\"\nparams = { tell-note = true }",
        )
        .policy(
            "queue",
            "builtin:queue",
            "params = { classes = \"staff\", staff-bucket = \"staff\" }",
        )
        .limit("max-players", "1")
        .limit("status-interval", "\"1s\"")
        .more(&buckets);
    (Usher::start(&setup), list, dir)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_banned_while_waiting_or_playing_is_told_why() {
    let (host, list, _dir) = host("trudy # lies\n");
    let door = host.udp;
    let refused = Guest::come(door, "trudy").rejected().await;
    assert_eq!(refused, "You are banned from this server: lies");
    let mut first = Guest::come(door, "first");
    first.accepted().await;
    let mut second = Guest::come(door, "second");
    second.wait_for_status("You are 1 of 1 in the queue").await;
    fs::write(&list, "second # cheats\n").expect("written");
    let refused = second.rejected().await;
    assert_eq!(refused, "You are banned from this server: cheats");

    fs::write(&list, "first # cheats\n").expect("written");
    let ended = first.ended().await.to_string();
    assert!(
        ended.ends_with("You are banned from this server: cheats"),
        "{ended}"
    );
    host.wait_for("ended", |status| {
        status["policies"][0]["recheck"]["ended"] == 1
    });
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_moves_and_some_come_first() {
    let (host, _, _dir) = host("");
    let door = host.udp;
    let mut first = Guest::come(door, "first");
    first.accepted().await;
    let mut second = Guest::come(door, "second");
    second.wait_for_status("You are 1 of 1 in the queue").await;
    let mut third = Guest::come(door, "third");
    third.wait_for_status("You are 2 of 2 in the queue").await;
    let mut boss = Guest::come(door, "boss");
    boss.wait_for_status("You are 1 of 3 in the queue").await;
    third.wait_for_status("You are 3 of 3 in the queue").await;
    first.leave().await;
    boss.accepted().await;
    third.wait_for_status("You are 2 of 2 in the queue").await;
    boss.leave().await;
    second.accepted().await;
    second.leave().await;
    third.accepted().await;
    third.leave().await;
    host.stop();
}
