//! From the TCP connection to the first Accept, and every way to fail before it.

use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::time::timeout;
use usher_client::rtyp::{Breach, Client, Error, LogoutReason, Options, RejectReason};
use usher_wire::rtyp::{Kind, Malformed, ServerMessage};

use crate::server::Server;
use crate::{LOGOUT_LEFT, connect, name};

#[tokio::test]
async fn a_rejection_comes_with_its_reason_known_or_not() {
    for reason in [RejectReason::NameTaken, RejectReason::Other(200)] {
        let server = Server::start().await;
        let serve = async {
            let (mut peer, _) = server.login().await;
            peer.send(ServerMessage::LoginRejected(reason)).await;
        };
        let (client, ()) = tokio::join!(connect(&server), serve);
        assert!(
            matches!(client, Err(Error::Rejected(got)) if got == reason),
            "{client:?}"
        );
    }
}

#[tokio::test]
async fn nobody_listening_is_unreachable() {
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = closed.local_addr().expect("bound");
    drop(closed);
    let client = Client::connect(address, &name(), Options::default()).await;
    assert!(matches!(client, Err(Error::Unreachable(_))), "{client:?}");
}

#[tokio::test]
async fn what_the_server_may_not_send_is_a_breach() {
    let cases: &[(&[u8], Breach)] = &[
        (&[0, 0], Breach::Malformed(Malformed::EmptyFrame)),
        (&[1, 2], Breach::Malformed(Malformed::FrameTooLong(513))),
        (&[1, 0, 9], Breach::Malformed(Malformed::ReservedKind(9))),
        (
            &[8, 0, 2, 0, 0, 0, 0, 2, 0x92, 0x10],
            Breach::Malformed(Malformed::ZeroSession),
        ),
        (&[8, 0, 2, 1, 0, 0, 0, 2, 0, 0], Breach::NoPort),
        (&[2, 0, 4, 1], Breach::Unexpected("Logout")),
    ];
    for (bytes, breach) in cases {
        let server = Server::start().await;
        let serve = async {
            let (mut peer, _) = server.login().await;
            peer.send_raw(bytes).await;
            assert_eq!(peer.frame().await, None, "the client closes without a word");
        };
        let (client, ()) = tokio::join!(connect(&server), serve);
        assert!(
            matches!(&client, Err(Error::Protocol(got)) if got == breach),
            "{bytes:02x?}: {client:?}"
        );
    }
}

#[tokio::test]
async fn a_close_before_the_answer_is_a_lost_connection() {
    let server = Server::start().await;
    let serve = async { drop(server.login().await) };
    let (client, ()) = tokio::join!(connect(&server), serve);
    assert!(matches!(client, Err(Error::Lost(_))), "{client:?}");
}

#[tokio::test]
async fn connect_is_repeated_every_250_ms_with_a_new_number() {
    let mut server = Server::start().await;
    let address = server.address();
    let start = Instant::now();
    let client =
        tokio::spawn(async move { Client::connect(address, &name(), Options::default()).await });
    let _peer = server.accept().await;

    let first = server.next().await;
    for sequence in 1..=4 {
        let again = server.next().await;
        assert_eq!((again.kind, again.sequence), (Kind::Connect, sequence));
    }
    // Only the lower bound is the client's: a loaded machine may be late.
    assert!(
        start.elapsed() >= Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
    server.send(Kind::Accept, &[], first.from).await;
    assert!(client.await.expect("no panic").is_ok());
}

#[tokio::test]
async fn without_an_accept_it_leaves_after_5_seconds() {
    let server = Server::start().await;
    let serve = async {
        let start = Instant::now();
        let mut peer = server.accept().await;
        assert_eq!(peer.frame().await.as_deref(), Some(&LOGOUT_LEFT[..]));
        assert!(
            start.elapsed() >= Duration::from_secs(5),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(peer.frame().await, None);
    };
    let (client, ()) = tokio::join!(connect(&server), serve);
    assert!(matches!(client, Err(Error::NoUdp)), "{client:?}");
}

#[tokio::test]
async fn a_logout_while_binding_ends_it() {
    let server = Server::start().await;
    let serve = async {
        let mut peer = server.accept().await;
        peer.send(ServerMessage::Logout(LogoutReason::TimedOut))
            .await;
        peer
    };
    let (client, _peer) = tokio::join!(connect(&server), serve);
    assert!(
        matches!(client, Err(Error::Ended(LogoutReason::TimedOut))),
        "{client:?}"
    );
}

#[tokio::test]
async fn only_accept_counts_before_the_first_accept() {
    let mut server = Server::start().await;
    let address = server.address();
    let client =
        tokio::spawn(async move { Client::connect(address, &name(), Options::default()).await });
    let _peer = server.accept().await;
    let endpoint = server.next().await.from;

    server.send(Kind::Data, b"early", endpoint).await;
    server.send(Kind::KeepAlive, &[], endpoint).await;
    let again = server.next().await;
    assert_eq!(
        (again.kind, again.ack),
        (Kind::Connect, (0xFFFF, 0)),
        "what is dropped is not acknowledged"
    );

    server.send(Kind::Accept, &[], endpoint).await;
    let mut client = client.await.expect("no panic").expect("bound");
    server.send(Kind::Data, b"late", endpoint).await;
    assert_eq!(client.recv().await.expect("data"), b"late");
    assert_eq!(client.dropped().before_accept, 2);
}

#[tokio::test]
async fn dropping_the_login_closes_the_connection() {
    let server = Server::start().await;
    let giving_up = timeout(Duration::from_millis(200), connect(&server));
    let serve = async {
        let (mut peer, _) = server.login().await;
        assert_eq!(peer.frame().await, None);
    };
    let (waited, ()) = tokio::join!(giving_up, serve);
    assert!(waited.is_err());
}
