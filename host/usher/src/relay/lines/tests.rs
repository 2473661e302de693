//! A game server of this machine's, and players who are only sessions.

use super::*;
use crate::config;
use std::net::{SocketAddr, UdpSocket as Server};

const ADA: SessionId = SessionId(1);
const BOB: SessionId = SessionId(2);

fn server() -> Server {
    let server = Server::bind("127.0.0.1:0").expect("a port");
    let patience = Some(Duration::from_secs(20));
    server.set_read_timeout(patience).expect("an option");
    server
}

fn lines(server: &Server) -> Lines {
    let relay = Relay::new(&config::Relay {
        server: server.local_addr().expect("an address"),
        delivery: Delivery::Unreliable,
    });
    Lines::new(relay, "main".into()).expect("a poll")
}

/// Where a player's socket is, as the server sees it.
fn met(lines: &mut Lines, server: &Server, session: SessionId) -> SocketAddr {
    assert!(lines.open(session));
    lines.send(session, b"here");
    let (_, from) = server.recv_from(&mut [0; 10]).expect("a datagram");
    from
}

fn heard(lines: &mut Lines, most: usize) -> Vec<(SessionId, Vec<u8>)> {
    let mut heard = Vec::new();
    lines.receive(most, |session, bytes| heard.push((session, bytes.to_vec())));
    heard
}

#[tokio::test]
async fn whom_the_server_floods_keeps_nobody_else_waiting() {
    let server = server();
    let mut lines = lines(&server);
    let ada = met(&mut lines, &server, ADA);
    let bob = met(&mut lines, &server, BOB);
    for number in 0..100 {
        server.send_to(&[number], ada).expect("sent");
    }
    server.send_to(b"b", bob).expect("sent");
    lines.readable().await.expect("a poll");
    let first = heard(&mut lines, 20);
    assert!(first.len() <= 20);
    assert!(first.contains(&(BOB, b"b".to_vec())), "{first:?}");
    // The rest is there without another word from the server, and in order.
    let mut of_ada: Vec<_> = first.into_iter().filter(|(to, _)| *to == ADA).collect();
    while of_ada.len() < 100 {
        lines.readable().await.expect("a poll");
        of_ada.extend(heard(&mut lines, 20));
    }
    let numbers: Vec<_> = of_ada.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    assert_eq!(numbers, (0..100).collect::<Vec<u8>>());
}

#[tokio::test]
async fn a_place_that_was_left_hears_nothing_of_before() {
    let server = server();
    let mut lines = lines(&server);
    let ada = met(&mut lines, &server, ADA);
    let carl = met(&mut lines, &server, SessionId(3));
    server.send_to(b"for ada", ada).expect("sent");
    lines.readable().await.expect("a poll");
    lines.close(ADA);
    let bob = met(&mut lines, &server, BOB);
    assert_ne!(bob, carl);
    assert_eq!(heard(&mut lines, 20), []);
    server.send_to(b"for bob", bob).expect("sent");
    lines.readable().await.expect("a poll");
    assert_eq!(heard(&mut lines, 20), [(BOB, b"for bob".to_vec())]);
}

#[tokio::test]
async fn who_joins_twice_stays_the_same_to_the_server() {
    let server = server();
    let mut lines = lines(&server);
    let ada = met(&mut lines, &server, ADA);
    assert_eq!(met(&mut lines, &server, ADA), ada);
}

#[tokio::test]
async fn a_server_that_is_gone_is_counted_and_does_not_stop_what_follows() {
    let server = server();
    let address = server.local_addr().expect("an address");
    let mut lines = lines(&server);
    met(&mut lines, &server, ADA);
    assert!(!lines.has_news());
    drop(server);
    lines.send(ADA, b"lost");
    lines.readable().await.expect("a poll");
    assert_eq!(heard(&mut lines, 20), []);
    assert!(lines.has_news());
    let server = Server::bind(address).expect("the port is free again");
    server
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("an option");
    lines.send(ADA, b"back");
    let mut buffer = [0; 10];
    let (length, _) = server.recv_from(&mut buffer).expect("a datagram");
    assert_eq!(&buffer[..length], b"back");
}
