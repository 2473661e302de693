//! What a `mafianet` door has to do with the rest of its host.

use std::net::{TcpListener, UdpSocket};
use usher_client::raknet::{Error, Options};
use usher_tests::{Guest, Setup, Usher, knock, module};

fn proving() -> Setup {
    Setup::mafianet().policy("prover", module("prover"), "")
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_and_who_plays_is_told_that_the_host_stops() {
    let mut host = Usher::start(&proving());
    let mut player = Guest::come(host.udp, "ada");
    player.accepted().await;
    let mut waiter = Guest::come(host.udp, "stay:bob");
    waiter.status().await;
    host.signal("-TERM");
    assert_eq!(waiter.rejected().await, "The server is stopping.");
    let Error::Ended(reason) = player.ended().await else {
        panic!("it was lost");
    };
    assert_eq!(reason, b"The server is stopping.");
    assert_eq!(host.wait_for_exit(), Some(0));
    assert!(host.log().contains("stopped: everyone was told"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_password_is_read_anew_when_the_host_is_told_to() {
    let dir = tempfile::tempdir().expect("there is room for a directory");
    let file = dir.path().join("password");
    std::fs::write(&file, "sesame-one\n").expect("written");
    let setup = proving().door("password-file", &format!("{file:?}"));
    let host = Usher::start(&setup);
    let come = |password: &str, name: &str| {
        let options = Options::default().payload(name).password(password);
        Guest::come_with(options, host.udp)
    };
    come("sesame-one", "ada").accepted().await;
    let wrong = come("sesame-two", "bob").outcome().await;
    assert!(matches!(wrong, Err(Error::WrongPassword)), "{wrong:?}");

    std::fs::write(&file, "sesame-two\n").expect("written");
    host.signal("-HUP");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while come("sesame-two", "bob").outcome().await.is_err() {
        assert!(std::time::Instant::now() < end, "it is never read");
    }
    let old = come("sesame-one", "eve").outcome().await;
    assert!(matches!(old, Err(Error::WrongPassword)), "{old:?}");
    let log = host.log();
    assert!(!log.contains("sesame"), "{log}");
    // They have crashed, and are missed soon.
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_says_where_peers_stand() {
    let host = Usher::start(&proving());
    let mut player = Guest::come(host.udp, "ada");
    player.accepted().await;
    let payload = format!("stay:{}", "b".repeat(50));
    let mut waiter = Guest::come(host.udp, &payload);
    waiter.status().await;
    let stands = |status: &serde_json::Value| {
        let door = &status["doors"][0];
        let peers = &door["peers"];
        (
            peers["connected"].clone(),
            peers["pending"].clone(),
            door["held_bytes"].clone(),
        )
    };
    host.wait_for("as they stand", |status| {
        stands(status) == (1.into(), 1.into(), payload.len().into())
    });
    waiter.leave().await;
    player.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn players_of_two_protocols_meet_in_one_room() {
    let free = "127.0.0.1:0";
    let (tcp, udp) = {
        let tcp = TcpListener::bind(free).expect("a free port");
        let udp = UdpSocket::bind(free).expect("a free port");
        let known = "a bound socket has an address";
        (
            tcp.local_addr().expect(known),
            udp.local_addr().expect(known),
        )
    };
    let second = format!(
        "[[door]]\nname = \"second\"\nprotocol = \"rtyp\"\ntcp = \"{tcp}\"\nudp = \"{udp}\"\n\
         policies = [\"rtyp\"]\n"
    );
    let setup = Setup::mafianet()
        .policy("open", "builtin:open", "")
        .policy("rtyp", "builtin:rtyp", "")
        .door("policies", "[\"open\"]")
        .more(&second);
    let host = Usher::start(&setup);
    let mut guest = Guest::come(host.udp, "");
    guest.accepted().await;
    let player = knock(tcp, "R9").await.expect("an answer").accepted();
    player.bind().await;
    // The rules tell each of the other, by the way that its own protocol has.
    let mut heard = guest.hear().await;
    while heard != b"+0 R9" {
        heard = guest.hear().await;
    }
    player.leave().await;
    while heard != b"-0" {
        heard = guest.hear().await;
    }
    guest.leave().await;
    host.stop();
}
