//! A host whose log goes nowhere: it plays on, and stops when it is told to.

use std::fs::OpenOptions;
use std::io::pipe;
use std::process::Stdio;
use usher_tests::{Setup, Usher, knock};

fn host(log: impl Into<Stdio>) -> Usher {
    let setup = Setup::new().policy("rtyp", "builtin:rtyp", "");
    Usher::start_logging_to(log.into(), &setup)
}

async fn players_come_and_go(host: &Usher, how_many: usize) {
    for _ in 0..how_many {
        let player = knock(host.tcp, "R9").await.expect("an answer").accepted();
        player.leave().await;
    }
}

#[tokio::test]
async fn a_log_on_a_full_disk_ends_nobodys_game() {
    // Every write to it fails as on a full disk.
    let full = OpenOptions::new().write(true).open("/dev/full");
    let host = host(full.expect("the system has one"));
    players_come_and_go(&host, 3).await;
    host.stop();
}

#[tokio::test]
async fn a_log_whose_reader_is_gone_ends_nobodys_game() {
    let (reader, writer) = pipe().expect("the system has one");
    let host = host(writer);
    drop(reader);
    players_come_and_go(&host, 3).await;
    host.stop();
}

#[tokio::test]
async fn a_log_that_nobody_reads_holds_nobody_up() {
    /// Each leaves two lines, and a pipe holds 64 KiB.
    const PLAYERS: usize = 600;
    let (reader, writer) = pipe().expect("the system has one");
    let host = host(writer);
    players_come_and_go(&host, PLAYERS).await;
    host.stop();
    drop(reader);
}
