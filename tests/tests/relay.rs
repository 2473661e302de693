//! The relay: what players send reaches a game server that the host knows nothing of, and what that answers
//! reaches them, at every door that carries data.

use std::net::{SocketAddr, UdpSocket};
use std::process::Command;
use std::time::Duration;
use usher_client::websocket::{Client, Options};
use usher_tests::{Endpoint, Guest, Player, Setup, Usher, knock, module};

/// How long anything may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The first byte of a message of a game at a `mafianet` door.
const ID: u8 = 0x90;

/// A game server: a UDP socket, and nothing that knows of the host.
struct Server {
    socket: UdpSocket,
    address: SocketAddr,
}

impl Server {
    fn at(address: &str) -> Server {
        let socket = UdpSocket::bind(address).expect("a port");
        let patience = socket.set_read_timeout(Some(PATIENCE));
        patience.expect("a socket takes a timeout");
        let address = socket.local_addr().expect("a bound socket has an address");
        Server { socket, address }
    }

    fn new() -> Server {
        Server::at("127.0.0.1:0")
    }

    /// The next datagram, and whose.
    fn hear(&self) -> (Vec<u8>, SocketAddr) {
        let mut buffer = [0; 65_536];
        let (length, from) = self.socket.recv_from(&mut buffer).expect("a datagram");
        (buffer[..length].to_vec(), from)
    }

    fn say(&self, to: SocketAddr, data: &[u8]) {
        let sent = self.socket.send_to(data, to).expect("sent");
        assert_eq!(sent, data.len());
    }
}

fn relaying(setup: Setup, server: &Server, more: &str) -> Setup {
    let relay = format!("[relay]\nserver = \"{}\"\n{more}\n", server.address);
    setup.rules(None).more(&relay)
}

fn rtyp(server: &Server) -> Setup {
    relaying(Setup::new(), server, "").policy("rtyp", "builtin:rtyp", "")
}

async fn play(host: &Usher, name: &str) -> (Player, Endpoint) {
    let player = knock(host.tcp, name).await.expect("an answer").accepted();
    let endpoint = player.bind().await;
    (player, endpoint)
}

/// A player of whom the game server has heard, and where from.
async fn heard(host: &Usher, server: &Server) -> (Player, Endpoint, SocketAddr) {
    let (player, mut endpoint) = play(host, "ada").await;
    endpoint.say(b"hello").await;
    let (heard, from) = server.hear();
    assert_eq!(heard, b"hello");
    (player, endpoint, from)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_player_of_rtyp_is_an_endpoint_of_its_own_to_the_game_server() {
    let server = Server::new();
    let host = Usher::start(&rtyp(&server));
    let files = host.files();
    let (ada, mut at_ada) = play(&host, "ada").await;
    let (bob, mut at_bob) = play(&host, "bob").await;

    let whole: Vec<u8> = (0..1200).map(|byte| byte as u8).collect();
    at_ada.say(&whole).await;
    let (heard, from_ada) = server.hear();
    assert_eq!(heard, whole);
    at_bob.say(b"b").await;
    let (heard, from_bob) = server.hear();
    assert_eq!(heard, b"b");
    assert_ne!(from_ada, from_bob);

    server.say(from_bob, b"for bob");
    server.say(from_ada, &whole);
    assert_eq!(at_bob.hear().await, b"for bob");
    assert_eq!(at_ada.hear().await, whole);

    ada.leave().await;
    bob.leave().await;
    host.assert_empty();
    host.wait_for_files(files);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_mafianet_go_both_ways_unchanged() {
    let server = Server::new();
    let setup = relaying(Setup::mafianet(), &server, "delivery = \"ordered\"");
    let host = Usher::start(&setup.policy("prover", module("prover"), ""));
    let files = host.files();
    let (mut ada, mut bob) = (Guest::come(host.udp, "ada"), Guest::come(host.udp, "bob"));
    ada.accepted().await;
    bob.accepted().await;

    // Longer than a datagram of the protocol: in parts on one side, and whole on the other.
    let mut long = vec![ID; 9000];
    long[8999] = 1;
    ada.say(&long).await;
    let (heard, from_ada) = server.hear();
    assert_eq!(heard, long);
    bob.say(&[ID, 2]).await;
    let (heard, from_bob) = server.hear();
    assert_eq!(heard, [ID, 2]);
    assert_ne!(from_ada, from_bob);

    server.say(from_bob, &[ID, 3]);
    for number in 0..50 {
        server.say(from_ada, &[ID, number]);
    }
    server.say(from_ada, &long);
    assert_eq!(bob.hear().await, [ID, 3]);
    for number in 0..50 {
        assert_eq!(ada.hear().await, [ID, number]);
    }
    assert_eq!(ada.hear().await, long);

    ada.leave().await;
    bob.leave().await;
    host.assert_empty();
    host.wait_for_files(files);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_the_documentation_relays() {
    let server = Server::new();
    let at = server.address.to_string();
    let host = Usher::start(&Setup::example("relay.toml", &[("127.0.0.1:7777", &at)]));
    let mut ada = Guest::come(host.udp, "ada");
    ada.accepted().await;
    ada.say(&[ID, 1]).await;
    let (heard, from_ada) = server.hear();
    assert_eq!(heard, [ID, 1]);
    server.say(from_ada, &[ID, 2]);
    assert_eq!(ada.hear().await, [ID, 2]);
    ada.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_mafianet_player_says_before_a_goodbye_reaches_the_game_server() {
    let server = Server::new();
    let setup = relaying(Setup::mafianet(), &server, "");
    let host = Usher::start(&setup.policy("prover", module("prover"), ""));
    for round in 0..20 {
        let mut guest = Guest::come(host.udp, "ada");
        guest.accepted().await;
        guest.say(&[ID, round]).await;
        guest.leave().await;
        assert_eq!(server.hear().0, [ID, round]);
        host.assert_empty();
    }
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn binary_frames_of_websocket_go_both_ways_unchanged() {
    let server = Server::new();
    let setup = relaying(Setup::websocket(), &server, "");
    let host = Usher::start(&setup.policy("prover", module("prover"), ""));
    let files = host.files();
    let address = format!("ws://{}/", host.tcp);
    let come = |payload: &str| {
        let options = Options::default().payload(payload);
        let address = address.clone();
        async move {
            Client::connect(&address, options)
                .await
                .expect("it is let in")
                .0
        }
    };
    let (mut ada, mut bob) = (come("ada").await, come("bob").await);

    let long: Vec<u8> = (0..30_000).map(|byte| byte as u8).collect();
    ada.send(&long).await.expect("sent");
    let (heard, from_ada) = server.hear();
    assert_eq!(heard, long);
    bob.send(b"b").await.expect("sent");
    let (_, from_bob) = server.hear();
    assert_ne!(from_ada, from_bob);

    server.say(from_bob, b"for bob");
    for number in 0..50 {
        server.say(from_ada, &[number]);
    }
    server.say(from_ada, &long);
    assert_eq!(bob.recv().await.expect("a message"), b"for bob");
    for number in 0..50 {
        assert_eq!(ada.recv().await.expect("a message"), [number]);
    }
    assert_eq!(ada.recv().await.expect("a message"), long);

    ada.leave().await.expect("a goodbye");
    bob.leave().await.expect("a goodbye");
    host.assert_empty();
    host.wait_for_files(files);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_the_game_server_reaches_a_player_through_the_relay() {
    let server = Server::new();
    let host = Usher::start(&rtyp(&server));
    let (ada, mut at_ada, from_ada) = heard(&host, &server).await;
    let stranger = Server::new();
    for _ in 0..10 {
        stranger.say(from_ada, b"from a stranger");
    }
    server.say(from_ada, b"from the server");
    assert_eq!(at_ada.hear().await, b"from the server");
    server.say(from_ada, b"again");
    assert_eq!(at_ada.hear().await, b"again");
    ada.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn players_stay_while_the_game_server_is_gone_and_play_on_when_it_is_back() {
    let server = Server::new();
    let host = Usher::start(&rtyp(&server));
    let (ada, mut at_ada, _) = heard(&host, &server).await;
    let at = server.address.to_string();
    drop(server);
    // The first finds nobody, which is said of it at the next.
    for _ in 0..3 {
        at_ada.say(b"is anyone there?").await;
    }
    let gone = "usher_relay_lost_total{door=\"main\",cause=\"server-gone\"}";
    host.wait_for("counted", |_| host.admin.metric(gone) > Some(0.0));
    host.wait_for_line("the game server is not there");
    let server = Server::at(&at);
    at_ada.say(b"still here").await;
    let (heard, from_ada) = server.hear();
    assert_eq!(heard, b"still here");
    server.say(from_ada, b"welcome back");
    assert_eq!(at_ada.hear().await, b"welcome back");
    ada.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_protocol_cannot_carry_is_dropped_and_counted() {
    let server = Server::new();
    let host = Usher::start(&rtyp(&server));
    let (ada, mut at_ada, from_ada) = heard(&host, &server).await;
    server.say(from_ada, &[7; 1201]);
    server.say(from_ada, b"");
    server.say(from_ada, b"short");
    assert_eq!(at_ada.hear().await, b"short");
    let dropped = "usher_udp_datagrams_dropped_total{door=\"main\",cause=\"too-long\"}";
    host.wait_for("counted", |_| host.admin.metric(dropped) == Some(1.0));
    ada.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_for_whom_there_is_no_socket_is_sent_away() {
    let server = Server::new();
    let host = Usher::start(&rtyp(&server));
    let ada = knock(host.tcp, "ada").await.expect("an answer").accepted();
    // Whatever is open stays so; there is no number left for anything new.
    limit_files(&host, 3);
    ada.bind().await;
    // 1 is all that the protocol has for it.
    assert_eq!(ada.ended().await, 1);
    limit_files(&host, 4096);
    let lost = "usher_relay_lost_total{door=\"main\",cause=\"no-socket\"}";
    host.wait_for("counted", |_| host.admin.metric(lost) == Some(1.0));
    host.assert_empty();
    let (bob, mut at_bob) = play(&host, "bob").await;
    at_bob.say(b"hello").await;
    assert_eq!(server.hear().0, b"hello");
    bob.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_may_be_reached_over_ipv6() {
    if UdpSocket::bind("[::1]:0").is_err() {
        return;
    }
    let server = Server::at("[::1]:0");
    let host = Usher::start(&rtyp(&server));
    let (ada, mut at_ada, from_ada) = heard(&host, &server).await;
    server.say(from_ada, b"hello ada");
    assert_eq!(at_ada.hear().await, b"hello ada");
    ada.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_relayed_is_told_that_the_host_stops() {
    let server = Server::new();
    let mut host = Usher::start(&rtyp(&server));
    let (ada, _at_ada, _) = heard(&host, &server).await;
    host.signal("-TERM");
    // 1: the server stops.
    assert_eq!(ada.ended().await, 1);
    assert_eq!(host.wait_for_exit(), Some(0));
}

/// Has the host open no more files than this from now on.
fn limit_files(host: &Usher, most: usize) {
    let set = Command::new("prlimit")
        .arg(format!("--pid={}", host.id()))
        .arg(format!("--nofile={most}:"))
        .status();
    assert!(set.expect("there is a `prlimit`").success());
}
