//! Views in, events and phases out.

use super::super::view::{Annotated, ContextText};
use super::*;
use serde_json::{Value, json};

fn view(state: ServerState, id: &str) -> View {
    View {
        state,
        allocation: (!id.is_empty()).then(|| Annotated {
            id: id.into(),
            context: ContextText::Absent,
        }),
        capacity: None,
    }
}

fn scheduled() -> View {
    view(ServerState::Scheduled, "")
}

fn ready() -> View {
    view(ServerState::Ready, "")
}

fn allocated(id: &str) -> View {
    view(ServerState::Allocated, id)
}

fn shutdown(id: &str) -> View {
    view(ServerState::Shutdown, id)
}

/// What happened, in few words.
fn words(happened: &[Happened]) -> Vec<String> {
    let word = |it: &Happened| match it {
        Happened::Received(it) => format!("received {}", it.id),
        Happened::Cleared(it, by) => format!("cleared {} by {by:?}", it.id),
        Happened::Closing => "closing".to_owned(),
        Happened::Reopened => "reopened".to_owned(),
        Happened::Reachable => "reachable".to_owned(),
    };
    happened.iter().map(word).collect()
}

#[track_caller]
fn expect(tracking: &mut Tracking, view: &View, happened: &[&str], phase: Phase) {
    assert_eq!(words(&tracking.take(view)), happened);
    assert_eq!(tracking.phase(), phase);
}

#[test]
fn an_allocation_is_received_once_however_often_it_is_shown() {
    let mut tracking = Tracking::default();
    let on = &mut tracking;
    expect(on, &allocated("a"), &["received a"], Phase::InSession);
    expect(on, &allocated("a"), &[], Phase::InSession);
    on.lost();
    expect(on, &allocated("a"), &["reachable"], Phase::InSession);
    expect(on, &ready(), &["cleared a by Platform"], Phase::Ready);
    // It becomes current again, and is not new.
    expect(on, &allocated("a"), &[], Phase::InSession);
    assert_eq!(&*on.current().unwrap().id, "a");
}

#[test]
fn a_replacement_clears_the_old_before_the_new_is_received() {
    let mut tracking = Tracking::default();
    let on = &mut tracking;
    on.take(&allocated("a"));
    let both = ["cleared a by Platform", "received self-7"];
    expect(on, &allocated("self-7"), &both, Phase::InSession);
    assert_eq!(on.counts().self_made, 1);
    expect(
        on,
        &allocated("a"),
        &["cleared self-7 by Platform"],
        Phase::InSession,
    );
}

#[test]
fn an_end_that_this_host_asked_for_is_its_own() {
    let mut tracking = Tracking::default();
    let on = &mut tracking;
    on.take(&allocated("a"));
    on.ending("a");
    on.ending("a");
    expect(on, &ready(), &["cleared a by Game"], Phase::Ready);
    // The mark is gone with it.
    on.take(&allocated("a"));
    expect(on, &ready(), &["cleared a by Platform"], Phase::Ready);

    on.take(&allocated("b"));
    on.ending("b");
    assert!(on.not_ending("b"));
    expect(on, &ready(), &["cleared b by Platform"], Phase::Ready);
    // Of another allocation it says nothing.
    on.take(&allocated("c"));
    on.ending("b");
    expect(on, &ready(), &["cleared c by Platform"], Phase::Ready);
}

#[test]
fn an_allocation_that_is_being_ended_is_told_as_none() {
    let current = |tracking: &Tracking| -> Value {
        let told: Value = serde_json::from_slice(&tracking.told().unwrap()).unwrap();
        assert_eq!(told["state"], "Allocated");
        told["current"]["id"].clone()
    };
    let mut tracking = Tracking::default();
    let on = &mut tracking;
    for id in ["self-7", "match-1"] {
        on.take(&allocated(id));
        assert_eq!((current(on), on.open().is_some()), (json!(id), true));
        on.ending(id);
        assert_eq!((current(on), on.open().is_some()), (Value::Null, false));
        // Views that come meanwhile change nothing, nor does another that is being ended.
        on.take(&allocated(id));
        on.ending("self-6");
        assert_eq!(current(on), Value::Null);
        assert!(on.current().is_some());
        on.not_ending(id);
        assert_eq!(current(on), json!(id));
    }
}

#[test]
fn a_late_view_takes_nothing_back_of_what_the_platform_knows() {
    let mut tracking = Tracking::default();
    let on = &mut tracking;
    assert_eq!(on.phase(), Phase::Starting);
    expect(on, &scheduled(), &[], Phase::NotReady);
    on.readied();
    assert_eq!(on.phase(), Phase::Ready);
    expect(on, &scheduled(), &[], Phase::Ready);
    expect(on, &ready(), &[], Phase::Ready);
    // An annotation alone makes a session.
    let annotated = view(ServerState::Scheduled, "a");
    expect(on, &annotated, &["received a"], Phase::InSession);
    expect(on, &scheduled(), &["cleared a by Platform"], Phase::Ready);
}

#[test]
fn shutdown_beats_an_allocation_and_may_go_back() {
    let mut tracking = Tracking::default();
    let on = &mut tracking;
    on.take(&ready());
    let both = ["received a", "closing"];
    expect(on, &shutdown("a"), &both, Phase::ShuttingDown);
    expect(on, &shutdown("a"), &[], Phase::ShuttingDown);
    on.lost();
    assert_eq!(on.phase(), Phase::ShuttingDown);
    let back = ["reachable", "cleared a by Platform", "reopened"];
    expect(on, &scheduled(), &back, Phase::NotReady);
    on.stopping();
    expect(on, &ready(), &[], Phase::Stopping);
    on.lost();
    assert_eq!(on.phase(), Phase::Stopping);
}

#[test]
fn only_who_could_be_reached_becomes_unreachable_and_the_next_view_tells_anew() {
    let mut tracking = Tracking::default();
    let on = &mut tracking;
    on.lost();
    assert_eq!(on.phase(), Phase::Unreachable);
    expect(on, &scheduled(), &["reachable"], Phase::NotReady);
    on.lost();
    assert_eq!(on.phase(), Phase::NotReady);
    assert!(on.told().is_err());
    on.take(&allocated("a"));
    on.lost();
    on.lost();
    assert_eq!(on.phase(), Phase::Unreachable);
    let anew = ["reachable", "cleared a by Platform", "received b"];
    expect(on, &allocated("b"), &anew, Phase::InSession);
}

#[test]
fn agones_allocates_without_saying_what() {
    let mut tracking = Tracking::default();
    expect(&mut tracking, &allocated(""), &[], Phase::InSession);
    assert!(tracking.is_unnamed());
    tracking.take(&allocated("a"));
    assert!(!tracking.is_unnamed());
}

#[test]
fn policies_are_told_the_last_view() {
    let told = |tracking: &Tracking| -> Value {
        serde_json::from_slice(&tracking.told().unwrap()).unwrap()
    };
    let mut tracking = Tracking::default();
    assert!(tracking.told().is_err());
    tracking.take(&ready());
    assert_eq!(told(&tracking), json!({"state": "Ready", "current": null}));
    let mut with_capacity = allocated("a");
    with_capacity.capacity = Some(8);
    tracking.take(&with_capacity);
    assert_eq!(told(&tracking)["state"], "Allocated");
    assert_eq!(told(&tracking)["current"]["cap"], 8);
    // The capacity and the context are those of now, though the allocation is no new one.
    let mut changed = allocated("a");
    changed.allocation.as_mut().unwrap().context = ContextText::Text("[]".into());
    assert_eq!(words(&tracking.take(&changed)), [""; 0]);
    assert_eq!(told(&tracking)["current"]["cap"], Value::Null);
    assert_eq!(told(&tracking)["current"]["contextValid"], false);
}

#[test]
fn an_endpoint_that_invents_allocations_costs_a_bounded_memory() {
    let mut tracking = Tracking::default();
    for number in 0..10 * KNOWN {
        let id = format!("a{number}");
        tracking.ending(&id);
        tracking.take(&allocated(&id));
    }
    assert_eq!(tracking.known.len(), KNOWN);
    assert!(tracking.ending.len() <= ENDING);
}
