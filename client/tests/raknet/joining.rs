//! On the way in.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::{Arc, Mutex};

use usher_client::raknet::{Client, Error, Options, Refusal, Step};
use usher_wire::raknet::Message;

use crate::server::Server;
use crate::session;

#[tokio::test]
async fn every_step_is_told_and_the_config_kept() {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let told = steps.clone();
    let options = Options::default()
        .payload("ticket=abc")
        .password("sesame")
        .on_step(move |step| told.lock().unwrap().push(step));
    let mut server = Server::start().await;
    let address = server.address();
    let client = tokio::spawn(async move { Client::connect(address, options).await });
    assert!(server.heard(0x09).await.bytes.ends_with(b"\0sesame"));
    assert_eq!(server.heard(0x80).await.bytes, b"\x80ticket=abc");
    server.say(&Message::SessionStatus(b"You are 2 of 2")).await;
    server.say(&Message::SessionStatus(b"You are 1 of 1")).await;
    server.say(&Message::SessionConfig(b"map=docks")).await;
    let client = client.await.unwrap().unwrap();
    assert_eq!(client.config(), b"map=docks");
    assert_eq!(SocketAddr::V4(client.server()), address);
    let told: Vec<_> = steps.lock().unwrap().iter().map(Step::to_string).collect();
    assert_eq!(
        told,
        [
            "request 1 sent, 1400 bytes".to_owned(),
            format!("connected to {address}, 1400 bytes"),
            "request sent, waiting for the answer".to_owned(),
            "waiting: You are 2 of 2".to_owned(),
            "waiting: You are 1 of 1".to_owned(),
            "accepted with map=docks".to_owned(),
        ]
    );
    assert!(!format!("{client:?}").contains("sesame"));
}

#[tokio::test]
async fn a_refusal_is_told_as_what_it_is() {
    let server = Server::refusing(Refusal::Full).await;
    let refused = Client::connect(server.address(), Options::default()).await;
    assert!(
        matches!(refused, Err(Error::Refused(Refusal::Full))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_rejection_has_a_reason() {
    let mut server = Server::start().await;
    let address = server.address();
    let client = tokio::spawn(async move { Client::connect(address, Options::default()).await });
    server.heard(0x80).await;
    server
        .say(&Message::SessionRejected(b"You are not on the whitelist."))
        .await;
    match client.await.unwrap() {
        Err(Error::Rejected(reason)) => assert_eq!(reason, b"You are not on the whitelist."),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_waits_can_say_goodbye() {
    let mut server = Server::start().await;
    let address = server.address();
    let (told, mut tells) = tokio::sync::mpsc::channel(16);
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let waiting = tokio::spawn(async move {
        let mut client = Client::begin(address, Options::default()).await.unwrap();
        let mut stopped = std::pin::pin!(stopped);
        loop {
            tokio::select! {
                step = client.step() => told.send(step.unwrap()).await.unwrap(),
                _ = &mut stopped => return client.leave(b"").await,
            }
        }
    });
    server.heard(0x80).await;
    server.say(&Message::SessionStatus(b"wait")).await;
    while tells.recv().await != Some(Step::Status(b"wait".to_vec())) {}
    stop.send(()).unwrap();
    server.heard(0x15).await;
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_the_protocol_cannot_carry_is_refused_here() {
    for (options, what) in [
        (Options::default().password([0; 256]), "password"),
        (Options::default().payload([0; 65_537]), "payload"),
    ] {
        let error = Client::connect("127.0.0.1:1", options).await.unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[tokio::test]
async fn it_connects_from_where_it_is_told() {
    let local = SocketAddrV4::new(Ipv4Addr::new(127, 3, 2, 1), 0);
    let (server, client) = session(Options::default().local(local)).await;
    assert_eq!(server.client.ip(), *local.ip());
    assert_eq!(client.local().unwrap(), server.client);
}
