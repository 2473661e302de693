//! The `rtyp` client against a small server, over real sockets.

mod server;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use server::{Server, TOKEN, send, token};
use tokio::net::{TcpListener, UdpSocket};
use tokio::time::timeout;
use usher_client::rtyp::{
    Breach, Client, Error, LogoutReason, Options, PlayerName, RejectReason, Step,
};
use usher_wire::rtyp::{Datagram, Kind, Malformed, Sequencer, ServerMessage};

fn name() -> PlayerName {
    "R9".parse().expect("a good name")
}

async fn connect(server: &Server) -> Result<Client, Error> {
    Client::connect(server.address(), &name(), Options::default()).await
}

/// A server and a client that is bound to it.
async fn session() -> (Server, server::Peer, std::net::SocketAddr, Client) {
    let mut server = Server::start().await;
    let address = server.address();
    let client =
        tokio::spawn(async move { Client::connect(address, &name(), Options::default()).await });
    let (peer, endpoint) = server.bind().await;
    let client = client.await.expect("no panic").expect("bound");
    (server, peer, endpoint, client)
}

const LOGOUT_LEFT: [u8; 2] = [4, 0];

#[tokio::test]
async fn a_whole_session_from_login_to_goodbye() {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&steps);
    let mut server = Server::start().await;
    let address = server.address();
    let play = tokio::spawn(async move {
        let tell = move |step| told.lock().expect("not poisoned").push(step);
        let mut client =
            Client::connect(address, &name(), Options::default().on_step(tell)).await?;
        assert_eq!(client.player(), 2);
        client.send(b"ping").await?;
        let answer = client.recv().await?;
        client.leave().await?;
        Ok::<_, Error>(answer)
    });

    let (mut peer, login) = server.login().await;
    assert_eq!(login, "R9");
    let udp = server.udp.local_addr().expect("bound");
    peer.send(ServerMessage::LoginAccepted {
        session: token(TOKEN),
        player: 2,
        udp_port: udp.port(),
    })
    .await;

    let connect = server.next().await;
    assert_eq!(
        (connect.kind, connect.sequence, connect.ack),
        (Kind::Connect, 0, (0xFFFF, 0))
    );
    assert_eq!(connect.session, token(TOKEN));
    assert_eq!(connect.from.ip(), address.ip());
    server.send(Kind::Accept, &[], connect.from).await;

    let data = server.next().await;
    assert_eq!(
        (data.kind, data.sequence, data.ack),
        (Kind::Data, 1, (0, 0))
    );
    assert_eq!(data.payload, b"ping");
    server.send(Kind::Data, b"pong", connect.from).await;

    assert_eq!(peer.frame().await.as_deref(), Some(&LOGOUT_LEFT[..]));
    assert_eq!(peer.frame().await, None);
    drop(peer);
    assert_eq!(play.await.expect("no panic").expect("no error"), b"pong");
    let mut steps = steps.lock().expect("not poisoned").clone();
    steps.retain(|step| !matches!(step, Step::ConnectSent { attempt: 2.. }));
    assert_eq!(
        steps,
        [
            Step::Connected { server: address },
            Step::LoginSent,
            Step::Accepted { player: 2, udp },
            Step::ConnectSent { attempt: 1 },
            Step::Bound {
                local: connect.from
            },
        ]
    );
}

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
async fn what_is_foreign_or_invalid_is_dropped() {
    let (mut server, _peer, endpoint, mut client) = session().await;
    let stranger = UdpSocket::bind("127.0.0.1:0").await.expect("a free port");
    let mut numbers = Sequencer::new();
    let mut foreign = |token, payload| Datagram {
        sequence: 900,
        ..numbers.stamp(Kind::Data, token, payload)
    };

    send(&stranger, &foreign(token(TOKEN), b"another port"), endpoint).await;
    send(&server.udp, &foreign(token(1), b"another token"), endpoint).await;
    let connect = Datagram {
        kind: Kind::Connect,
        ..foreign(token(TOKEN), b"")
    };
    send(&server.udp, &connect, endpoint).await;
    server.udp.send_to(b"noise", endpoint).await.expect("sent");
    server.send(Kind::Data, b"mine", endpoint).await;

    assert_eq!(client.recv().await.expect("data"), b"mine");
    let dropped = client.dropped();
    assert_eq!(
        (
            dropped.foreign_source,
            dropped.foreign_token,
            dropped.invalid
        ),
        (1, 1, 2)
    );
}

#[tokio::test]
async fn each_number_is_delivered_once_and_late_ones_too() {
    let (server, _peer, endpoint, mut client) = session().await;
    let data = |sequence, payload| Datagram {
        kind: Kind::Data,
        sequence,
        ack: 0,
        ack_bits: 0,
        session: token(TOKEN),
        payload,
    };
    let sent: [(u16, &[u8]); 6] = [
        (3, b"c"),
        (1, b"a"),
        (3, b"c"),
        (1, b"a"),
        (2, b"b"),
        (40, b"z"),
    ];
    for (sequence, payload) in sent {
        send(&server.udp, &data(sequence, payload), endpoint).await;
    }
    send(&server.udp, &data(7, b"too old"), endpoint).await;
    send(&server.udp, &data(41, b"end"), endpoint).await;
    let mut all = Vec::new();
    while all.last().is_none_or(|last| last != b"end") {
        all.push(client.recv().await.expect("data"));
    }
    assert_eq!(all, [&b"c"[..], b"a", b"b", b"z", b"end"]);
    assert_eq!(
        (client.dropped().duplicate, client.dropped().too_old),
        (2, 1)
    );
}

#[tokio::test]
async fn silence_is_broken_by_a_keep_alive_after_a_second() {
    let (mut server, _peer, endpoint, mut client) = session().await;
    server.send(Kind::Data, b"a", endpoint).await;
    assert_eq!(client.recv().await.expect("data"), b"a");
    let start = Instant::now();
    client.send(b"b").await.expect("sent");
    assert_eq!(server.next_of_the_game().await.kind, Kind::Data);
    let waiting = timeout(Duration::from_millis(2500), client.recv());
    let (waited, keep_alive) = tokio::join!(waiting, server.next_of_the_game());
    assert!(waited.is_err(), "a keep-alive brings nothing for the game");
    assert_eq!((keep_alive.kind, keep_alive.ack), (Kind::KeepAlive, (1, 1)));
    assert!(
        start.elapsed() >= Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn a_payload_over_the_limit_is_refused_and_the_session_goes_on() {
    let (mut server, _peer, _, mut client) = session().await;
    assert!(matches!(
        client.send(&[0; 1201]).await,
        Err(Error::TooLong(_))
    ));
    client.send(&[7; 1200]).await.expect("just fits");
    let data = server.next_of_the_game().await;
    assert_eq!((data.kind, data.payload.len()), (Kind::Data, 1200));
}

#[tokio::test]
async fn the_end_comes_with_its_reason() {
    let cases: &[(u8, LogoutReason)] = &[
        (1, LogoutReason::Shutdown),
        (2, LogoutReason::TimedOut),
        (3, LogoutReason::ProtocolError),
        (99, LogoutReason::Shutdown),
    ];
    for &(byte, reason) in cases {
        let (_server, mut peer, _, mut client) = session().await;
        peer.send_raw(&[2, 0, 4, byte]).await;
        let end = client.recv().await;
        assert!(
            matches!(end, Err(Error::Ended(got)) if got == reason),
            "{byte}: {end:?}"
        );
    }
}

#[tokio::test]
async fn anything_but_logout_after_the_login_is_a_breach() {
    let (_server, mut peer, _, mut client) = session().await;
    peer.send(ServerMessage::LoginRejected(RejectReason::ServerFull))
        .await;
    let end = client.recv().await;
    assert!(
        matches!(
            end,
            Err(Error::Protocol(Breach::Unexpected("LoginRejected")))
        ),
        "{end:?}"
    );
}

#[tokio::test]
async fn a_close_without_a_word_is_a_lost_connection() {
    let (_server, peer, _, mut client) = session().await;
    drop(peer);
    assert!(matches!(client.recv().await, Err(Error::Lost(_))));
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

#[tokio::test]
async fn debug_output_has_no_token() {
    let (_server, _peer, _, client) = session().await;
    let shown = format!("{client:?}").to_lowercase();
    assert!(
        !shown.contains("deadbeef") && !shown.contains("3735928559"),
        "{shown}"
    );
}
