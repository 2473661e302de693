//! Sockets of this machine.

use super::*;
use std::net::UdpSocket as Player;
use std::time::Duration;

/// A socket, and its port.
fn socket(listen: &str) -> (Socket, u16) {
    let taken = TakenPort::bind(listen.parse().expect("an address"), 1 << 20).expect("a port");
    let port = taken.local_addr().expect("an address").port();
    (taken.open().expect("a socket"), port)
}

/// A player that has sent something to `to`, and the path of that as the socket tells it.
async fn player(socket: &Socket, to: SocketAddr) -> (Player, Path) {
    let player = Player::bind((if to.is_ipv4() { "127.0.0.1" } else { "::1" }, 0)).expect("a port");
    let patience = Some(Duration::from_secs(20));
    player.set_read_timeout(patience).expect("an option");
    player.send_to(b"here", to).expect("sent");
    let mut batch = Batch::new();
    loop {
        socket.readable().await.expect("a socket");
        if socket.receive(&mut batch).is_ok() {
            break;
        }
    }
    let mut came = batch.datagrams().map(|(path, _)| path);
    let path = came.next().expect("a datagram");
    assert_eq!(came.next(), None);
    (player, path)
}

/// Sends many datagrams to each of several players in one turn: of one length, of another each time,
/// and something of both. All of them arrive, in order, from where each player had sent to.
async fn plays(listen: &str, sent_to: &[&str]) {
    let (mut socket, port) = socket(listen);
    let mut players = Vec::new();
    for to in sent_to {
        let to = SocketAddr::new(to.parse().expect("an address"), port);
        let (player, path) = player(&socket, to).await;
        players.push((player, path, to));
    }
    for length in [
        |_| 20,
        |place| 20 + place * 7 % 13,
        |place: usize| 20 + place / 30,
    ] {
        // More than is kept at a time, and less than a player's buffer holds.
        for place in 0..100 {
            for (at, (_, path, _)) in players.iter().enumerate() {
                let text = format!("{at:0width$}:{place}", width = length(place));
                socket.post(*path, text.as_bytes());
            }
        }
        assert_eq!(socket.flush(), 0);
        for place in 0..100 {
            for (at, (player, _, to)) in players.iter().enumerate() {
                let mut buffer = [0; 100];
                let (count, from) = player.recv_from(&mut buffer).expect("a datagram");
                let text = format!("{at:0width$}:{place}", width = length(place));
                assert_eq!(String::from_utf8_lossy(&buffer[..count]), text);
                assert_eq!(from, *to);
            }
        }
    }
}

#[tokio::test]
async fn a_turn_s_datagrams_reach_every_player_in_order() {
    plays("127.0.0.1:0", &["127.0.0.1"; 4]).await;
}

/// Containers often have none.
fn has_ipv6() -> bool {
    Player::bind("[::1]:0").is_ok()
}

#[tokio::test]
async fn over_ipv6_too() {
    if !has_ipv6() {
        return;
    }
    plays("[::1]:0", &["::1"; 3]).await;
}

/// Only here does all of 127.0.0.0/8 mean this machine.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn each_leaves_from_the_address_that_its_player_sent_to() {
    let addresses = ["127.0.0.2", "127.0.0.1", "127.0.0.2", "127.0.0.3"];
    plays("0.0.0.0:0", &addresses).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_socket_for_both_families_keeps_the_addresses_of_both() {
    if !has_ipv6() {
        return;
    }
    plays("[::]:0", &["127.0.0.2", "::1", "127.0.0.1"]).await;
}

#[tokio::test]
async fn what_cannot_be_sent_is_counted_and_the_others_are_sent() {
    for listen in ["127.0.0.1:0", "0.0.0.0:0"] {
        let (mut socket, port) = socket(listen);
        let (player, path) = player(&socket, SocketAddr::from(([127, 0, 0, 1], port))).await;
        // No datagram goes to port 0.
        let nowhere = Path {
            remote: SocketAddr::from(([127, 0, 0, 1], 0)),
            ..path
        };
        for _ in 0..3 {
            socket.post(nowhere, b"nobody");
            socket.post(nowhere, b"nobody");
            socket.post(path, b"somebody");
        }
        assert_eq!(socket.flush(), 6, "{listen}");
        assert_eq!(socket.flush(), 0);
        for _ in 0..3 {
            let mut buffer = [0; 100];
            assert_eq!(
                player.recv(&mut buffer).expect("a datagram"),
                b"somebody".len()
            );
        }
    }
}
