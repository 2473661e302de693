//! Two who come at the same moment for one last seat, through two doors: exactly one is let in, and the other is
//! told why not, a thousand times over.
//!
//! Both wait in the midst of their decisions until the other has come as far, so that each round is a race.

use serde_json::{Value, json};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::task::JoinSet;
use usher_stand_ins::{FakeSdk, Fault, Hold, What, context};
use usher_tests::tickets::{PROTOCOL, mint};
use usher_tests::{Door, Setup, Usher, Visitor};

/// How often each is raced for.
const ROUNDS: u32 = 1000;

/// How many rounds run at once where one does not disturb the other.
const AT_ONCE: u32 = 8;

/// Where the rule of the game asks, so that the two can be kept waiting for each other.
const MEETING: &str = "/alpha/player/connected";

/// A host for races, and who won them.
struct Track {
    host: Usher,
    sdk: FakeSdk,
    doors: [Door; 2],
    rounds: AtomicU32,
    wins: [AtomicU32; 2],
}

impl Track {
    fn open(doors: [Door; 2], set: impl FnOnce(&FakeSdk, Setup) -> Setup) -> Arc<Track> {
        let sdk = FakeSdk::start();
        let meeting = format!(
            "[[service]]\nname = \"meet\"\nurl = \"http://{}{MEETING}/{{0}}\"\ntimeout = \"30s\"\n",
            sdk.address()
        );
        let setup = Setup::tickets(true)
            .limit("max-pending", "100")
            .limit("max-players", "100")
            .hosted(&sdk)
            .more(&meeting);
        let setup = set(&sdk, setup);
        sdk.fault(Fault::at(MEETING, What::Gather(2)));
        let host = Usher::start(&setup);
        host.wait_for("watching", |status| {
            status["evidence"]["sdk"]["watching"] == true
        });
        Arc::new(Track {
            host,
            sdk,
            doors,
            rounds: AtomicU32::new(0),
            wins: [AtomicU32::new(0), AtomicU32::new(0)],
        })
    }

    /// One round: two players with the same ticket but for the player. Who has won leaves.
    async fn round(&self, ticket: &Value, reason: &str) {
        let round = self.rounds.fetch_add(1, Ordering::Relaxed);
        let come = |number: usize| {
            let mut ticket = ticket.clone();
            ticket["v"] = json!(1);
            ticket["protocolVersion"] = json!(PROTOCOL);
            ticket["playerId"] = json!(format!("player-{round}-{number}"));
            ticket["displayName"] = json!(format!("fetch:meet/{round}"));
            let payload = ticket.to_string().into_bytes();
            async move {
                let door = self.doors[number];
                let from = Ipv4Addr::LOCALHOST;
                let mut visitor = Visitor::come(&self.host, door, from, &payload).await;
                let outcome = visitor.outcome().await;
                (visitor, outcome)
            }
        };
        let (first, second) = tokio::join!(come(0), come(1));
        let (winner, visitor, refused) = match (first, second) {
            ((visitor, Ok(())), (_, Err(refused))) => (0, visitor, refused),
            ((_, Err(refused)), (visitor, Ok(()))) => (1, visitor, refused),
            ((_, first), (_, second)) => panic!("round {round}: {first:?} and {second:?}"),
        };
        assert_eq!(refused, reason, "round {round}");
        self.wins[winner].fetch_add(1, Ordering::Relaxed);
        visitor.leave().await;
    }

    /// Waits until nobody has a seat.
    fn is_free(&self) {
        self.host
            .wait_for("free", |status| status["ledger"]["claims"] == 0);
    }

    /// Ends it. Each of the doors must have won now and then, or nobody raced.
    fn close(self: Arc<Track>) {
        let track = Arc::into_inner(self).expect("every round is over");
        let wins = track.wins.map(AtomicU32::into_inner);
        println!("{:?} won {wins:?}", track.doors);
        assert_eq!(wins.iter().sum::<u32>(), ROUNDS);
        assert!(wins.iter().all(|wins| *wins > 0), "nobody raced: {wins:?}");
        assert!(track.sdk.writes().is_empty(), "nothing is written");
        track.host.stop();
    }
}

/// Runs all rounds, several at once: each has a ticket of its own, which this makes.
async fn race_many(
    track: &Arc<Track>,
    reason: &'static str,
    ticket: impl Fn(&FakeSdk) -> Value + Clone + Send + 'static,
) {
    let mut lanes = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (track, ticket) = (Arc::clone(track), ticket.clone());
        lanes.spawn(async move {
            for _ in 0..ROUNDS / AT_ONCE {
                let ticket = ticket(&track.sdk);
                track.round(&ticket, reason).await;
            }
        });
    }
    while let Some(lane) = lanes.join_next().await {
        lane.expect("every round ends as it should");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_seat_of_a_hold_is_given_once() {
    let track = Track::open([Door::MafiaNet, Door::WebSocket], |sdk, setup| {
        sdk.allocate("match-1", &context::rosterless());
        // These wait for each other already when the hold is looked up.
        sdk.fault(Fault::at("/pingcore/reservations", What::Gather(2)));
        setup
    });
    race_many(&track, "roster_full", |sdk| {
        let reservation = mint();
        sdk.hold(Hold::open(&reservation, 1));
        json!({ "kind": "reservation", "reservationId": reservation })
    })
    .await;
    track.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_seat_of_a_party_is_given_once() {
    let tickets: Vec<String> = (0..ROUNDS).map(|_| mint()).collect();
    let track = Track::open([Door::WebSocket, Door::Http], |sdk, setup| {
        let roster: Vec<_> = tickets.iter().map(|ticket| (ticket.as_str(), 1)).collect();
        sdk.allocate("match-1", &context::matchmaker(&roster));
        setup
    });
    let next = Arc::new(AtomicU32::new(0));
    race_many(&track, "roster_full", move |_| {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let ticket = &tickets[usize::try_from(number).expect("a small number")];
        json!({ "kind": "match", "ticketId": ticket, "allocationId": "match-1" })
    })
    .await;
    track.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_seat_of_an_allocation_without_a_roster_is_given_once() {
    let allocation = mint();
    let track = Track::open([Door::MafiaNet, Door::Http], |sdk, setup| {
        sdk.fleet_counter("players", 1);
        sdk.allocate(&allocation, &context::rosterless());
        setup
    });
    let ticket = json!({ "kind": "match", "ticketId": mint(), "allocationId": allocation });
    for _ in 0..ROUNDS {
        track.is_free();
        track.round(&ticket, "roster_full").await;
    }
    track.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_seat_of_the_server_is_given_once() {
    let track = Track::open([Door::Http, Door::WebSocket], |sdk, setup| {
        sdk.allocate("match-1", &context::rosterless());
        setup.limit("max-players", "1")
    });
    for _ in 0..ROUNDS {
        track.is_free();
        let reservation = mint();
        track.sdk.hold(Hold::open(&reservation, 2));
        let ticket = json!({ "kind": "reservation", "reservationId": reservation });
        track.round(&ticket, "server_full").await;
    }
    track.close();
}
