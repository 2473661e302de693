//! How often the list of backfills is read, however many wait for one, and what is waited for.

use super::stage::{Reply, Stage, found, is_unavailable};
use crate::evidence::http::HttpError;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::task::JoinHandle;
use usher_core::{FactAnswer, Wanted};

/// A list that a test changes.
#[derive(Clone, Default)]
struct List(Arc<Mutex<Vec<Value>>>);

impl List {
    fn deliver(&self, id: &str, session: &str) {
        let roster = json!([{"ticketId": "t1", "partySize": 2}]);
        self.0.lock().unwrap().push(json!({
            "allocationId": id, "sessionId": session, "context": {"matchmaker": true, "roster": roster},
        }));
    }

    fn reply(&self) -> Reply {
        let backfills = &*self.0.lock().unwrap();
        Reply::Status(200, json!({ "backfills": backfills }).to_string())
    }
}

async fn stage() -> (Stage, List) {
    let stage = Stage::new("Allocated", "match-1").await;
    let list = List::default();
    let answers = list.clone();
    stage.script.answer(move |_, _| answers.reply());
    (stage, list)
}

fn wait_for(stage: &Stage, id: &'static str) -> JoinHandle<FactAnswer> {
    let sdk = stage.sdk.clone();
    tokio::spawn(async move { sdk.backfill(id, &Wanted::default()).await })
}

fn reads(stage: &Stage) -> Vec<u64> {
    stage.script.times("backfills")
}

#[tokio::test(start_paused = true)]
async fn a_delivered_backfill_takes_one_read() {
    let (stage, list) = stage().await;
    list.deliver("b7e2", "match-1");
    let told = found(&wait_for(&stage, "b7e2").await.unwrap()).unwrap();
    assert_eq!(
        (&told["allocationId"], &told["sessionId"]),
        (&json!("b7e2"), &json!("match-1"))
    );
    assert_eq!((reads(&stage), stage.now()), (vec![0], 0));
    // Nobody waits, so nobody reads.
    stage.at(60_000).await;
    assert_eq!(reads(&stage), [0]);
}

#[tokio::test(start_paused = true)]
async fn one_that_never_arrives_takes_eleven_reads_the_last_at_the_end() {
    let (stage, _list) = stage().await;
    let answer = wait_for(&stage, "b7e2").await.unwrap();
    assert_eq!(answer, FactAnswer::Missing);
    let eleven: Vec<_> = (0..11).map(|read| read * 500).collect();
    assert_eq!((reads(&stage), stage.now()), (eleven, 5000));
}

#[tokio::test(start_paused = true)]
async fn all_who_wait_share_one_read_a_tick() {
    let (stage, list) = stage().await;
    let mut waiting = Vec::new();
    for number in 0..100 {
        stage.at(number * 20).await;
        waiting.push(wait_for(&stage, "b7e2"));
    }
    stage.at(2_200).await;
    list.deliver("b7e2", "match-1");
    for answer in waiting {
        assert!(found(&answer.await.unwrap()).is_some());
    }
    assert_eq!(reads(&stage), [0, 500, 1000, 1500, 2000, 2500]);
    assert_eq!(stage.now(), 2500);
}

#[tokio::test(start_paused = true)]
async fn who_comes_later_waits_its_own_time_to_the_end() {
    let (stage, _list) = stage().await;
    let first = wait_for(&stage, "b7e2");
    stage.at(700).await;
    let second = wait_for(&stage, "b7e2");
    assert_eq!(first.await.unwrap(), FactAnswer::Missing);
    assert_eq!(stage.now(), 5000);
    assert_eq!(second.await.unwrap(), FactAnswer::Missing);
    assert_eq!(stage.now(), 5700);
    assert_eq!(reads(&stage).last(), Some(&5500));
}

#[tokio::test(start_paused = true)]
async fn a_read_is_good_for_newcomers_until_something_changes() {
    let (stage, list) = stage().await;
    list.deliver("b7e2", "match-1");
    wait_for(&stage, "b7e2").await.unwrap();
    stage.at(100).await;
    assert!(found(&wait_for(&stage, "b7e2").await.unwrap()).is_some());
    assert_eq!((reads(&stage), stage.now()), (vec![0], 100));
    // Each change of the game server is shown, and what was read before it proves nothing.
    stage.show("Allocated", "match-1").await;
    assert!(found(&wait_for(&stage, "b7e2").await.unwrap()).is_some());
    assert_eq!((reads(&stage), stage.now()), (vec![0, 500], 500));
    // Nor does what was read a tick ago.
    stage.at(1_000).await;
    wait_for(&stage, "b7e2").await.unwrap();
    assert_eq!(reads(&stage), [0, 500, 1000]);
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_leaves_the_read_to_the_others() {
    let (stage, list) = stage().await;
    let answers = list.clone();
    stage.script.answer(move |_, _| answers.reply().after(300));
    list.deliver("b7e2", "match-1");
    let (one, other) = (wait_for(&stage, "b7e2"), wait_for(&stage, "b7e2"));
    stage.at(100).await;
    one.abort();
    assert!(found(&other.await.unwrap()).is_some());
    assert_eq!((reads(&stage), stage.now()), (vec![0], 300));
    // The last one to give up ends the reading, and the next one begins it anew.
    let last = wait_for(&stage, "none");
    stage.at(1_000).await;
    last.abort();
    stage.at(9_000).await;
    let before = reads(&stage).len();
    assert!(found(&wait_for(&stage, "b7e2").await.unwrap()).is_some());
    assert_eq!((reads(&stage).len(), stage.now()), (before + 1, 9_300));
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_on_for_a_request_that_is_over() {
    let (stage, _list) = stage().await;
    let life = Arc::new(());
    let wanted = Wanted::with(&life);
    let sdk = stage.sdk.clone();
    let waiting = tokio::spawn(async move { sdk.backfill("b7e2", &wanted).await });
    stage.at(1_200).await;
    drop(life);
    assert!(!matches!(waiting.await.unwrap(), FactAnswer::Found(_)));
    stage.at(20_000).await;
    assert_eq!(reads(&stage), [0, 500, 1000, 1500]);
}

#[tokio::test(start_paused = true)]
async fn one_that_joins_another_session_is_told_at_the_end_only() {
    let (stage, list) = stage().await;
    list.deliver("b7e2", "match-0");
    let told = found(&wait_for(&stage, "b7e2").await.unwrap()).unwrap();
    assert_eq!((&told["sessionId"], stage.now()), (&json!("match-0"), 5000));
    // Once one joins the current session, that is the one.
    let waiting = wait_for(&stage, "b7e2");
    stage.at(5_900).await;
    list.deliver("b7e2", "match-1");
    let told = found(&waiting.await.unwrap()).unwrap();
    assert_eq!(
        (&told["sessionId"], stage.now()),
        (&json!("match-1"), 6_000)
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_that_begins_meanwhile_counts() {
    let (stage, list) = stage().await;
    list.deliver("b7e2", "match-2");
    let waiting = wait_for(&stage, "b7e2");
    stage.at(1_100).await;
    stage.show("Allocated", "match-2").await;
    assert!(found(&waiting.await.unwrap()).is_some());
    assert_eq!(stage.now(), 1500);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_tried_again_and_told_at_the_end() {
    for broken in ["", "[]", r#"{"backfills":7}"#] {
        let (stage, _list) = stage().await;
        stage
            .script
            .answer(move |_, _| Reply::Status(200, broken.to_owned()));
        assert!(is_unavailable(&wait_for(&stage, "b7e2").await.unwrap()));
        assert_eq!(stage.now(), 5000);
    }
    let (stage, list) = stage().await;
    list.deliver("b7e2", "match-1");
    stage.script.answer(move |_, number| match number {
        0 => Reply::Error(HttpError::Unreachable),
        1 => Reply::Status(503, String::new()),
        _ => list.reply(),
    });
    assert!(found(&wait_for(&stage, "b7e2").await.unwrap()).is_some());
    assert_eq!(stage.now(), 1000);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_hangs_costs_no_more_than_the_window_and_a_second() {
    let (stage, _list) = stage().await;
    stage.script.answer(|_, _| Reply::Never);
    assert!(is_unavailable(&wait_for(&stage, "b7e2").await.unwrap()));
    assert!(stage.now() <= 6_000, "{}", stage.now());
    assert!(reads(&stage).len() <= 2);
}
