//! A `websocket` door over real sockets: seats, the queue, other doors, changes of policies, and its end.

use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;
use usher_client::websocket::{Accepted, Client, Error, Options, Step};
use usher_tests::{Guest, Setup, Usher, module};

/// How long anything may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A door of another protocol beside the first.
const SECOND_DOOR: &str =
    "\n[[door]]\nname = \"udp\"\nprotocol = \"mafianet\"\nudp = \"127.0.0.1:0\"\n";

/// A door at which the test module decides: a payload is a proven identity.
fn proving() -> Setup {
    Setup::websocket().policy("prover", module("prover"), "deadline = \"10s\"")
}

fn address(door: SocketAddr) -> String {
    format!("ws://{door}/")
}

async fn come(door: SocketAddr, payload: &str) -> Result<(Client, Accepted), Error> {
    let options = Options::default().payload(payload);
    let address = address(door);
    let come = Client::connect(&address, options);
    timeout(PATIENCE, come).await.expect("an answer")
}

/// Comes, and is told that it waits: its place.
async fn queue_up(door: SocketAddr, payload: &str) -> (Client, Option<u32>) {
    let options = Options::default().payload(payload);
    let client = Client::begin(&address(door), options).await;
    let mut client = client.expect("the door is there");
    loop {
        if let Step::Status { position, .. } = step(&mut client).await {
            return (client, position);
        }
    }
}

async fn step(client: &mut Client) -> Step {
    let step = timeout(PATIENCE, client.step())
        .await
        .expect("something is said");
    step.expect("it waits")
}

async fn wait_until_in(client: &mut Client) -> Accepted {
    loop {
        if let Step::Accepted(accepted) = step(client).await {
            return accepted;
        }
    }
}

async fn ended(client: &mut Client) -> Error {
    let ended = async {
        loop {
            if let Err(error) = client.recv().await {
                return error;
            }
        }
    };
    timeout(PATIENCE, ended).await.expect("it ends")
}

fn code(error: Error) -> String {
    match error {
        Error::Rejected { code, .. } => code,
        other => panic!("{other} in place of a rejection"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_for_one_seat_end_as_one_in_and_forty_nine_told_why() {
    let setup = Setup::websocket()
        .policy("open", "builtin:open", "")
        .limit("max-players", "1")
        .limit("max-pending", "60")
        .door("full-reason", "\"Every seat is taken.\"");
    let host = Usher::start(&setup);
    let mut guests = JoinSet::new();
    for number in 0..50 {
        let door = host.tcp;
        guests.spawn(async move { come(door, &format!("p{number}")).await });
    }
    let (mut seated, mut told) = (Vec::new(), 0);
    while let Some(guest) = guests.join_next().await {
        match guest.expect("no panic") {
            Ok((client, _)) => seated.push(client),
            Err(Error::Rejected { code, text, .. }) => {
                assert_eq!((&*code, &*text), ("server-full", "Every seat is taken."));
                told += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!((seated.len(), told), (1, 49));
    for client in seated {
        client.leave().await.expect("a goodbye");
    }
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_moves_up_and_gets_in_in_order() {
    let setup = Setup::websocket()
        .policy("queue", "builtin:queue", "")
        .limit("max-players", "1")
        .limit("max-pending", "100")
        .limit("status-interval", "\"1s\"");
    let host = Usher::start(&setup);
    let (mut inside, _) = come(host.tcp, "first").await.expect("the seat is free");
    let mut waiting = Vec::new();
    for number in 1..=20 {
        let (client, position) = queue_up(host.tcp, &format!("p{number}")).await;
        assert_eq!(position, Some(number));
        waiting.push(client);
    }
    for mut next in waiting {
        inside.leave().await.expect("a goodbye");
        wait_until_in(&mut next).await;
        inside = next;
    }
    inside.leave().await.expect("a goodbye");
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_come_for_the_last_seat_through_two_doors_exactly_one_is_let_in() {
    let setup = Setup::websocket()
        .policy("open", "builtin:open", "")
        .limit("max-players", "1")
        .more(SECOND_DOOR);
    let host = Usher::start(&setup);
    let udp = other_door(&host);
    for round in 0..50 {
        let mut guest = Guest::come(udp, "");
        let (web, other) = tokio::join!(come(host.tcp, ""), guest.outcome());
        match (web, other) {
            (Ok((client, _)), Err(_)) => client.leave().await.expect("a goodbye"),
            (Err(error), Ok(_)) => {
                assert_eq!(code(error), "server-full");
                guest.leave().await;
            }
            (web, other) => panic!("{round}: {web:?} and {other:?}"),
        }
        host.wait_for("nobody in", |status| status["players"]["connected"] == 0);
    }
    host.stop();
}

/// Where the second door listens: the host says so when it starts.
fn other_door(host: &Usher) -> SocketAddr {
    let log = host.log();
    let line = log
        .lines()
        .find(|line| line.contains("udp: mafianet on udp"));
    let port = line.and_then(|line| line.split("udp ").nth(1)?.split(',').next());
    port.and_then(|port| port.trim().parse().ok())
        .unwrap_or_else(|| panic!("it says where it listens: {log}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_in_at_another_door_takes_the_place_of_the_session_at_this_one() {
    let setup = proving()
        .limit("duplicate-identity", "\"take-over\"")
        .more(SECOND_DOOR);
    let host = Usher::start(&setup);
    let (mut old, _) = come(host.tcp, "ada").await.expect("there are seats");
    let mut new = Guest::come(other_door(&host), "ada");
    new.accepted().await;
    match ended(&mut old).await {
        Error::Ended { reason, .. } => assert_eq!(reason, "taken-over"),
        other => panic!("{other}"),
    }
    new.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn everyone_is_told_when_the_host_stops() {
    let mut host = Usher::start(&proving().limit("max-players", "1"));
    let (mut player, _) = come(host.tcp, "ada").await.expect("there is a seat");
    let (mut waiter, _) = queue_up(host.tcp, "bob").await;
    host.signal("-TERM");
    match ended(&mut player).await {
        Error::Ended { reason, .. } => assert_eq!(reason, "shutdown"),
        other => panic!("{other}"),
    }
    let told = loop {
        match timeout(PATIENCE, waiter.step()).await.expect("it is told") {
            Ok(Step::Status { .. }) => {}
            Ok(other) => panic!("{other}"),
            Err(error) => break error,
        }
    };
    assert_eq!(code(told), "shutting-down");
    assert_eq!(host.wait_for_exit(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_that_comes_and_goes_leaves_nothing() {
    const TURNS: usize = 400;
    let setup = Setup::websocket()
        .policy("open", "builtin:open", "")
        .limit("max-players", "50")
        .limit("max-pending", "100");
    let host = Usher::start(&setup);
    let mut crowd = JoinSet::new();
    for number in 0..TURNS {
        if crowd.len() >= 40 {
            let one = crowd.join_next().await.expect("someone is there");
            one.expect("no panic");
        }
        let door = host.tcp;
        crowd.spawn(async move {
            let (mut client, _) = come(door, "").await.expect("there are seats");
            client.send(b"hello").await.expect("it is in");
            match number % 3 {
                0 => client.leave().await.expect("a goodbye"),
                // A crash, and one before anything was read.
                1 => drop(client),
                _ => {
                    // What others said; its own words go to them alone.
                    let _ = timeout(Duration::from_millis(20), client.recv()).await;
                }
            }
        });
    }
    while let Some(one) = crowd.join_next().await {
        one.expect("no panic");
    }
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_big_config_arrives_whole() {
    let host = Usher::start(&proving());
    let (client, accepted) = come(host.tcp, "config:65536:ada").await.expect("a seat");
    assert_eq!(accepted.config, vec![b'x'; 65_536]);
    client.leave().await.expect("a goodbye");
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_that_is_no_text_arrives_as_it_is() {
    let host = Usher::start(&proving());
    let options = Options::default().payload(vec![0xff; 65_536]);
    let come = Client::connect(&address(host.tcp), options).await;
    let (client, accepted) = come.expect("it is let in");
    assert_eq!(accepted.config, b"got 65536 bytes");
    client.leave().await.expect("a goodbye");
    host.stop();
}
