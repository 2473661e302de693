//! The waiting room under what people and networks do, over real sockets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use usher_client::raknet::{Error, Refusal};
use usher_tests::{Guest, Setup, Usher, module};

/// A door at which the test module decides: a payload is a proven identity.
fn proving() -> Setup {
    let policy = "deadline = \"10s\"";
    Setup::mafianet().policy("prover", module("prover"), policy)
}

/// A door with one seat and the queue that ships. Whoever is gone without a word is missed after 4 s.
fn queue() -> Setup {
    Setup::mafianet()
        .policy("queue", "builtin:queue", "")
        .limit("max-players", "1")
        .limit("max-pending", "100")
        .door("connection-timeout", "\"4s\"")
}

/// Comes, and is in the queue when this returns.
async fn queue_up(host: &Usher, name: &str) -> Guest {
    let mut guest = Guest::come(host.udp, name);
    guest.status().await;
    guest
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_for_one_seat_end_as_one_in_and_forty_nine_told_why() {
    let setup = Setup::mafianet()
        .policy("open", "builtin:open", "")
        .limit("max-players", "1")
        .limit("max-pending", "60")
        .door("full-reason", "\"Every seat is taken.\"");
    let host = Usher::start(&setup);
    let mut guests: Vec<_> = (0..50)
        .map(|number| Guest::come(host.udp, &format!("p{number}")))
        .collect();
    let (mut seated, mut told) = (Vec::new(), 0);
    while let Some(mut guest) = guests.pop() {
        match guest.outcome().await {
            Ok(_) => seated.push(guest),
            Err(Error::Rejected(reason)) => {
                assert_eq!(reason, b"Every seat is taken.");
                told += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!((seated.len(), told), (1, 49));
    assert_eq!(host.admin.status()["players"]["connected"], 1);
    for guest in seated {
        guest.leave().await;
    }
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_for_two_seats_are_both_in_though_the_first_decision_takes_its_time() {
    let host = Usher::start(&proving().limit("max-players", "2"));
    let mut slow = Guest::come(host.udp, "slow:1500:ada");
    host.wait_for("deciding", |status| status["pending"]["deciding"] == 1);
    let mut quick = Guest::come(host.udp, "bob");
    assert_eq!(quick.accepted().await, b"welcome bob");
    let pending = host.admin.status()["pending"]["deciding"].clone();
    assert_eq!(pending, 1, "the first is still being decided");
    assert_eq!(slow.accepted().await, b"welcome ada");
    assert_eq!(host.admin.status()["players"]["connected"], 2);
    slow.leave().await;
    quick.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_middle_ten_of_thirty_vanish_and_the_others_move_up_and_get_in_in_order() {
    let host = Usher::start(&queue().limit("queue-grace", "\"6s\""));
    let mut first = Guest::come(host.udp, "first");
    first.accepted().await;
    let mut waiting = Vec::new();
    for number in 0..30 {
        waiting.push(queue_up(&host, &format!("p{number}")).await);
    }
    for guest in waiting.drain(10..20) {
        guest.vanish();
    }
    // The last one is told its new place as soon as the others are missed.
    let last = waiting.last_mut().expect("twenty are left");
    last.wait_for_status("You are 20 of 20 in the queue").await;
    first.leave().await;
    // Whoever is next holds the only seat until it leaves: were it another's turn, this would wait for ever.
    // The places of those who vanished are kept for a while, and are nobody's turn.
    for mut guest in waiting {
        guest.accepted().await;
        guest.leave().await;
    }
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_in_the_first_second_for_a_pool_of_five_hundred_are_all_told() {
    const COME: usize = 5_000;
    const SEATS: usize = 50;
    const POOL: usize = 500;
    let setup = proving()
        .limit("max-players", &SEATS.to_string())
        .limit("max-pending", &POOL.to_string());
    let host = Usher::start(&setup);
    // Nobody leaves before everyone for whom there is no place has been told.
    let told = Arc::new(AtomicUsize::new(0));
    let (open, _) = watch::channel(false);
    let open = Arc::new(open);
    let start = Instant::now();
    let mut tasks = Vec::with_capacity(COME);
    for number in 0..COME {
        let (door, told, open) = (host.udp, told.clone(), open.clone());
        let mut may_leave = open.subscribe();
        tasks.push(tokio::spawn(async move {
            let mut guest = Guest::come(door, &format!("p{number}"));
            let outcome = guest.outcome().await;
            match &outcome {
                Ok(_) => {
                    may_leave.wait_for(|open| *open).await.expect("it opens");
                    guest.leave().await;
                }
                Err(_) if told.fetch_add(1, Ordering::Relaxed) + 1 == COME - SEATS - POOL => {
                    open.send_replace(true);
                }
                Err(_) => {}
            }
            outcome.map(drop)
        }));
        if number % 50 == 49 {
            let due = Duration::from_secs(1) * (number as u32 + 1) / COME as u32;
            tokio::time::sleep(due.saturating_sub(start.elapsed())).await;
        }
    }
    let (mut seated, mut full) = (0, 0);
    for task in tasks {
        match task.await.expect("no panic") {
            Ok(()) => seated += 1,
            Err(Error::Refused(Refusal::Full)) => full += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(seated + full, COME);
    // Fewer get in where knocks came faster than the host could look at them.
    assert!(full >= COME - SEATS - POOL, "{full} were told");
    assert!(seated >= POOL, "{seated} got in");
    println!("{seated} got in, {full} were told that it is full");
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_crashed_and_returns_a_second_later_takes_over_what_was_left_behind() {
    let host = Usher::start(&proving().limit("duplicate-identity", "\"take-over\""));
    let mut witness = Guest::come(host.udp, "eve");
    witness.accepted().await;
    let mut ada = Guest::come(host.udp, "ada");
    ada.accepted().await;
    let joined = witness.hear().await;
    ada.vanish();
    // A second is what it takes to start again; the ten that the host would need to miss it are not waited.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let start = Instant::now();
    let mut again = Guest::come(host.udp, "ada");
    assert_eq!(again.accepted().await, b"welcome ada");
    assert!(start.elapsed() < Duration::from_secs(5), "it had to wait");
    let left = witness.hear().await;
    assert!(left.starts_with(b"-"), "the leave comes before the join");
    assert_eq!(witness.hear().await, joined);
    assert_eq!(host.admin.status()["players"]["connected"], 2);
    again.leave().await;
    witness.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_taken_over_is_told() {
    let host = Usher::start(&proving().limit("duplicate-identity", "\"take-over\""));
    let mut old = Guest::come(host.udp, "ada");
    old.accepted().await;
    let mut new = Guest::come(host.udp, "ada");
    new.accepted().await;
    match old.ended().await {
        Error::Ended(reason) => assert!(!reason.is_empty()),
        other => panic!("{other}"),
    }
    assert_eq!(host.admin.status()["players"]["connected"], 1);
    new.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_froze_in_the_queue_and_returns_keeps_the_place() {
    let host = Usher::start(&queue().limit("queue-grace", "\"60s\""));
    let mut first = Guest::come(host.udp, "first");
    first.accepted().await;
    let ann = queue_up(&host, "ann").await;
    let ben = queue_up(&host, "ben").await;
    let mut cy = queue_up(&host, "cy").await;
    ben.freeze().await;
    // It said nothing, so that it is gone is found out.
    cy.wait_for_status("You are 2 of 2 in the queue").await;
    let mut again = queue_up(&host, "ben").await;
    again.wait_for_status("You are 2 of 3 in the queue").await;
    cy.wait_for_status("You are 3 of 3 in the queue").await;
    ben.vanish();
    first.leave().await;
    for mut guest in [ann, again, cy] {
        guest.accepted().await;
        guest.leave().await;
    }
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_froze_in_the_game_is_missed_and_can_return() {
    let host = Usher::start(&proving().door("connection-timeout", "\"4s\""));
    let mut ada = Guest::come(host.udp, "ada");
    ada.accepted().await;
    ada.freeze().await;
    host.wait_for("missed", |status| status["players"]["connected"] == 0);
    let mut again = Guest::come(host.udp, "ada");
    assert_eq!(again.accepted().await, b"welcome ada");
    again.leave().await;
    ada.vanish();
    host.stop();
}
