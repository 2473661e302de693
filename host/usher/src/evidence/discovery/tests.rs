//! The directory over real sockets. When something is due is tested in `schedule`, in virtual time.

use super::{Directory, Listing};
use crate::config::{Discovery, SecretFile};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use usher_core::{FactAnswer, Secret};
use usher_stand_ins::{Call, FakeDiscovery, Fault, HeartbeatAnswer, Reservation, What};

const TOKEN: &str = "dsc_0123456789";
const HEARTBEAT: &str = "/v1/heartbeat";
const VERIFY: &str = "/v1/reservations/verify/";

/// A server that is listed, or tries to be.
struct Listed {
    fake: FakeDiscovery,
    listing: Listing,
    players: watch::Sender<u32>,
    keeping: JoinHandle<()>,
}

fn settings(fake: &FakeDiscovery) -> Discovery {
    Discovery {
        url: fake.url().into(),
        token: SecretFile {
            file: "token".into(),
            secret: Secret::new(TOKEN),
        },
        server_id: None,
        name: "My server".into(),
        ip: None,
        port: 27015,
        query_port: 27016,
        max_players: 8,
        version: None,
        meta: Map::new(),
    }
}

impl Listed {
    fn start(fake: FakeDiscovery) -> Listed {
        let settings = settings(&fake);
        Listed::with(fake, settings)
    }

    fn with(fake: FakeDiscovery, settings: Discovery) -> Listed {
        let players = watch::Sender::new(0);
        let listing = Listing::start(settings, players.subscribe());
        let (listing, keeping) = listing.expect("plain HTTP needs nothing");
        Listed {
            fake,
            listing,
            players,
            keeping: tokio::spawn(keeping),
        }
    }

    /// One whose first heartbeat was taken.
    async fn accepted() -> Listed {
        let listed = Listed::start(FakeDiscovery::start(TOKEN));
        listed.reaches("listed").await;
        listed
    }

    async fn reaches(&self, state: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        while self.listing.status().state != state {
            assert!(Instant::now() < end, "it never was {state}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn directory(&self) -> &Directory {
        self.listing.directory()
    }

    /// What a policy reads.
    async fn verify(&self, reservation: &str, player: &str) -> Result<Value, String> {
        match self.directory().verify(reservation, player).await {
            FactAnswer::Found(body) => Ok(serde_json::from_slice(&body).expect("JSON")),
            FactAnswer::Missing => panic!("there is always a verdict"),
            FactAnswer::Unavailable(why) => Err(why.to_string()),
        }
    }

    async fn verdict(&self, reservation: &str, player: &str) -> Result<String, String> {
        let answer = self.verify(reservation, player).await?;
        Ok(answer["verdict"].as_str().expect("a verdict").to_owned())
    }

    /// Ends it, and says what came after its last heartbeat.
    async fn stop(self) -> Vec<Call> {
        self.listing.stop().await;
        self.keeping.await.expect("it ends and does not panic");
        let calls = self.fake.calls().all();
        let last = calls.iter().rposition(|call| call.is("POST", HEARTBEAT));
        calls
            .into_iter()
            .skip(last.map_or(0, |at| at + 1))
            .collect()
    }
}

#[tokio::test]
async fn a_server_is_listed_asked_about_and_taken_off_the_list() {
    let listed = Listed::accepted().await;
    let beats = listed.fake.calls().to("POST", HEARTBEAT);
    assert_eq!(beats.len(), 1);
    let body: Value = serde_json::from_str(&beats[0].body).expect("JSON");
    let first = json!({
        "name": "My server", "port": 27015, "queryPort": 27016, "players": 0, "maxPlayers": 8,
    });
    assert_eq!((body, beats[0].bearer.as_deref()), (first, Some(TOKEN)));
    let id = listed.listing.status().server_id;
    assert_eq!(id.as_deref(), Some("203.0.113.10:27015"));

    listed.fake.reserve(Reservation::open("rsv-1", 2));
    let answer = listed.verify("rsv-1", "anon:player 7").await;
    let detail = json!({ "verdict": "valid", "detail": { "seats": 2, "playerIds": null } });
    assert_eq!(answer, Ok(detail));
    let asked = listed.fake.calls().to("GET", "/");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/v1/reservations/verify/rsv-1");
    let query = "serverId=203.0.113.10%3A27015&playerId=anon%3Aplayer%207";
    assert_eq!(asked[0].query.as_deref(), Some(query));
    assert_eq!(asked[0].bearer.as_deref(), Some(TOKEN));

    let after = listed.stop().await;
    let last = after.last().expect("it was taken off");
    let delisted = ("DELETE", "/v1/servers/203.0.113.10%3A27015");
    assert_eq!((&*last.method, &*last.path), delisted);
}

#[tokio::test]
async fn each_answer_of_the_directory_is_the_verdict_that_it_means() {
    let listed = Listed::accepted().await;
    let reserve = |reservation| listed.fake.reserve(reservation);
    reserve(Reservation::named("named", &["p-alice", "p-bob"]));
    reserve(Reservation::open("other", 1).on("203.0.113.10:1"));
    reserve(Reservation::open("over", 1).lasting(Duration::ZERO));
    for (reservation, player, verdict) in [
        ("named", "p-bob", "valid"),
        ("named", "p-carol", "not_in_reservation"),
        ("other", "p-alice", "wrong_server"),
        ("over", "p-alice", "invalid"),
        ("unknown", "p-alice", "invalid"),
        ("a/../b?c", "p-alice", "invalid"),
    ] {
        let found = listed.verdict(reservation, player).await;
        assert_eq!(found.as_deref(), Ok(verdict), "{reservation} {player}");
    }
    listed.fake.verdicts_only(true);
    let plain = json!({ "verdict": "valid", "detail": null });
    assert_eq!(listed.verify("named", "p-alice").await, Ok(plain));
    listed.stop().await;
}

#[tokio::test]
async fn only_a_whole_answer_of_status_200_is_believed() {
    let listed = Listed::accepted().await;
    listed.fake.reserve(Reservation::open("r", 2));
    let valid = r#"{"error":false,"valid":true}"#;
    for (what, why) in [
        (What::json(401, valid), "the directory answered 401"),
        (What::json(403, valid), "the directory answered 403"),
        (What::json(404, valid), "the directory answered 404"),
        (What::json(429, valid), "the directory answered 429"),
        (What::json(503, valid), "the directory answered 503"),
        (What::json(302, valid), "the directory answered 302"),
        (What::json(201, valid), "the directory answered 201"),
        (What::json(200, "{"), "its answer is malformed"),
        (What::page(200), "its answer is malformed"),
        (
            What::Flood(1 << 20),
            "the directory: its answer is too long",
        ),
        (
            What::Cut(60),
            "the directory: its answer broke off, or is no HTTP",
        ),
        (
            What::Close,
            "the directory: its answer broke off, or is no HTTP",
        ),
    ] {
        listed.fake.fault(Fault::at(VERIFY, what.clone()).once());
        let found = listed.verdict("r", "p").await;
        assert_eq!(found, Err(why.to_owned()), "{what:?}");
    }
    assert_eq!(listed.verdict("r", "p").await.as_deref(), Ok("valid"));
    listed.fake.change_token("dsc_another");
    let refused = listed.verdict("r", "p").await;
    assert_eq!(refused, Err("the directory answered 401".to_owned()));
    let mut settings = settings(&listed.fake);
    settings.token.secret = Secret::new("dsc_another");
    listed.listing.configure(&settings);
    assert_eq!(listed.verdict("r", "p").await.as_deref(), Ok("valid"));
    listed.stop().await;
}

#[tokio::test]
async fn ids_that_name_nobody_are_invalid_without_a_question() {
    let listed = Listed::accepted().await;
    let (most, more) = ("\u{e9}".repeat(128), "\u{e9}".repeat(129));
    for (reservation, player) in [("", "p"), ("r", ""), ("r", &*more), (".", "p"), ("..", "p")] {
        let found = listed.verdict(reservation, player).await;
        assert_eq!(found.as_deref(), Ok("invalid"));
    }
    assert_eq!(listed.fake.calls().count("GET", VERIFY), 0);
    assert_eq!(listed.verdict("r", &most).await.as_deref(), Ok("invalid"));
    assert_eq!(listed.fake.calls().count("GET", VERIFY), 1);
    listed.stop().await;
}

#[tokio::test]
async fn nothing_is_asked_before_a_heartbeat_was_accepted() {
    let fake = FakeDiscovery::start(TOKEN);
    let refused = HeartbeatAnswer::Refused(401, json!({ "error": true }));
    fake.answer_heartbeats([refused]);
    let listed = Listed::start(fake);
    listed.reaches("refused").await;
    listed.fake.reserve(Reservation::open("r", 1));
    let found = listed.verdict("r", "p").await;
    let why = "no heartbeat of this server was accepted yet";
    assert_eq!(found, Err(why.to_owned()));
    let status = listed.listing.status();
    assert_eq!(status.last_error.as_deref(), Some("it answered 401"));
    let after = listed.stop().await;
    assert!(after.is_empty(), "it was never listed: {after:?}");
}

#[tokio::test]
async fn a_directory_that_asks_for_time_gets_it_and_is_asked_again() {
    let fake = FakeDiscovery::start(TOKEN);
    fake.answer_heartbeats([HeartbeatAnswer::TooMany(0)]);
    let listed = Listed::start(fake);
    listed.reaches("listed").await;
    let beats = listed.fake.calls().to("POST", HEARTBEAT);
    assert_eq!(beats.len(), 2);
    let apart = beats[1].at.duration_since(beats[0].at);
    assert!(apart >= Duration::from_millis(990), "{apart:?}");
    assert!(beats.iter().all(|beat| beat.closes));
    listed.stop().await;
}

#[tokio::test]
async fn one_server_too_many_ends_its_heartbeats_and_not_the_host() {
    let fake = FakeDiscovery::start(TOKEN);
    fake.answer_heartbeats([HeartbeatAnswer::OverTheCap]);
    let listed = Listed::start(fake);
    listed.reaches("over").await;
    // What would be told early is not told at all.
    listed.players.send_replace(5);
    assert!(!listed.keeping.is_finished(), "it ends when it is stopped");
    let fake_calls = listed.fake.calls().count("POST", HEARTBEAT);
    assert_eq!(fake_calls, 1);
    assert!(listed.stop().await.is_empty());
}

#[tokio::test]
async fn who_comes_is_told_with_the_id_that_was_given() {
    let listed = Listed::accepted().await;
    let began = Instant::now();
    for players in 1..=3 {
        listed.players.send_replace(players);
    }
    let fake = &listed.fake;
    while fake.calls().count("POST", HEARTBEAT) < 2 {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "nothing was told"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(began.elapsed() > Duration::from_secs(4));
    let beats = fake.calls().to("POST", HEARTBEAT);
    let body: Value = serde_json::from_str(&beats[1].body).expect("JSON");
    assert_eq!(body["players"], 3);
    assert_eq!(body["serverId"], "203.0.113.10:27015");
    listed.stop().await;
}

#[tokio::test]
async fn the_host_stops_in_time_whatever_the_directory_does() {
    for what in [What::Silence, What::Close, What::page(500)] {
        let listed = Listed::accepted().await;
        listed.fake.fault(Fault::at("/v1/servers/", what));
        let began = Instant::now();
        listed.stop().await;
        assert!(began.elapsed() < Duration::from_secs(4));
    }
}

#[tokio::test]
async fn a_server_whose_heartbeats_were_never_answered_is_taken_off_by_the_id_that_it_wants() {
    for id in [Some("mine:1"), None] {
        let fake = FakeDiscovery::start(TOKEN);
        fake.fault(Fault::at(HEARTBEAT, What::Lose));
        let wants = Discovery {
            server_id: id.map(Into::into),
            ..settings(&fake)
        };
        let listed = Listed::with(fake, wants);
        listed.reaches("failing").await;
        let after = listed.stop().await;
        let paths: Vec<_> = after.iter().map(|call| &*call.path).collect();
        let expected = id.map(|_| "/v1/servers/mine%3A1");
        assert_eq!(paths, Vec::from_iter(expected));
    }
}

#[tokio::test]
async fn a_heartbeat_under_way_does_not_outlive_the_listing() {
    let fake = FakeDiscovery::start(TOKEN);
    let late = What::Late(Duration::from_millis(300));
    fake.fault(Fault::at(HEARTBEAT, late));
    let listed = Listed::start(fake);
    tokio::task::yield_now().await;
    while listed.fake.calls().count("POST", HEARTBEAT) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let after = listed.stop().await;
    let last = after.last().expect("it was taken off");
    assert_eq!(last.method, "DELETE", "the answer told the id in time");
}
