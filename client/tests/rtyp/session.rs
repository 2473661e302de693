//! The game, from the first Accept to the end.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::net::UdpSocket;
use tokio::time::timeout;
use usher_client::rtyp::{Breach, Client, Error, LogoutReason, Options, RejectReason, Step};
use usher_wire::rtyp::{Datagram, Kind, Sequencer, ServerMessage};

use crate::server::{Server, TOKEN, send, token};
use crate::{LOGOUT_LEFT, name, session};

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
async fn debug_output_has_no_token() {
    let (_server, _peer, _, client) = session().await;
    let shown = format!("{client:?}").to_lowercase();
    assert!(
        !shown.contains("deadbeef") && !shown.contains("3735928559"),
        "{shown}"
    );
}
