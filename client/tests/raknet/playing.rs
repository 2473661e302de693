//! In a session.

use tokio::net::UdpSocket;
use usher_client::raknet::{Error, Options, Reliability};
use usher_wire::raknet::Message;

use crate::session;

#[tokio::test]
async fn messages_go_both_ways() {
    let (mut server, mut client) = session(Options::default()).await;
    let ordered = Reliability::ReliableOrdered;
    client.send(b"\x87hello", ordered, 3).await.unwrap();
    let heard = server.heard(0x87).await;
    assert_eq!(
        (&heard.bytes[..], heard.reliability, heard.channel),
        (&b"\x87hello"[..], ordered, 3)
    );
    server.send(b"\x88welcome", Reliability::Unreliable).await;
    let told = client.recv().await.unwrap();
    assert_eq!((&told.bytes[..], told.bits), (&b"\x88welcome"[..], 64));
    client.leave(b"").await.unwrap();
    assert_eq!(server.heard(0x15).await.bytes, b"\x15");
}

#[tokio::test]
async fn datagrams_of_others_count_for_nothing() {
    let (server, mut client) = session(Options::default()).await;
    let stranger = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    // A goodbye that would be the server's next datagram.
    let forged = b"\x84\x05\x00\x00\x60\x00\x08\x02\x00\x00\x02\x00\x00\x00\x15";
    let to = ("127.0.0.1", client.local().unwrap().port());
    stranger.send_to(forged, to).await.unwrap();
    server.send(b"\x88still here", Reliability::Reliable).await;
    assert_eq!(client.recv().await.unwrap().bytes, b"\x88still here");
}

#[tokio::test]
async fn what_cannot_be_sent_ends_nothing() {
    let (mut server, mut client) = session(Options::default()).await;
    let ordered = Reliability::ReliableOrdered;
    for (message, channel) in [(&b""[..], 0), (b"\x87", 32)] {
        let unsent = client.send(message, ordered, channel).await;
        assert!(matches!(unsent, Err(Error::Unsent(_))), "{unsent:?}");
    }
    client.send(b"\x87fine", ordered, 31).await.unwrap();
    assert_eq!(server.heard(0x87).await.bytes, b"\x87fine");
}

#[tokio::test]
async fn the_server_can_end_it() {
    let (server, mut client) = session(Options::default()).await;
    server.say(&Message::Disconnect(b"kicked: afk")).await;
    match client.recv().await {
        Err(Error::Ended(reason)) => assert_eq!(reason, b"kicked: afk"),
        other => panic!("{other:?}"),
    }
}
