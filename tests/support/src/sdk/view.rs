//! The view of the game server, in either dialect.

use super::state::{Dialect, State};
use crate::text;
use hyper::body::Bytes;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The whole view.
pub(super) fn of(state: &State) -> Value {
    match state.dialect {
        Dialect::PingCore => pingcore(state),
        Dialect::Agones => agones(state),
    }
}

/// The same as a line of a watch.
pub(super) fn line(state: &State) -> Bytes {
    let line = json!({ "result": of(state) });
    Bytes::from(format!("{line}\n"))
}

fn pingcore(state: &State) -> Value {
    json!({
        "object_meta": {
            "name": "gameserver-42",
            "namespace": "default",
            "labels": state.labels,
            "annotations": annotations(state),
        },
        "status": {
            "state": state.shown(),
            "address": "203.0.113.1",
            "ports": [{ "name": "game", "port": 27015 }],
            "counters": counters(state, state.fleet.keys()),
        },
    })
}

fn agones(state: &State) -> Value {
    let mut annotations = annotations(state);
    annotations.insert("annotation".into(), "true".into());
    let mut labels = state.labels.clone();
    labels.insert("islocal".into(), "true".into());
    let lists: Map<String, Value> = state
        .lists
        .iter()
        .map(|(name, list)| (name.clone(), list.figures()))
        .collect();
    json!({
        "object_meta": {
            "name": "local",
            "namespace": "default",
            "uid": "1234",
            "resource_version": "v1",
            "generation": "1",
            "creation_timestamp": (text::now_ms() / 1000).to_string(),
            "deletion_timestamp": "0",
            "annotations": annotations,
            "labels": labels,
        },
        "spec": {
            "health": {
                "disabled": false,
                "period_seconds": 3,
                "failure_threshold": 5,
                "initial_delay_seconds": 10,
            },
        },
        "status": {
            "state": state.shown(),
            "address": "127.0.0.1",
            "addresses": [],
            "ports": [{ "name": "default", "port": 7777 }],
            "players": null,
            "counters": counters(state, state.fleet.keys().chain(state.counters.keys())),
            "lists": lists,
        },
    })
}

fn counters<'a>(state: &State, names: impl Iterator<Item = &'a String>) -> Map<String, Value> {
    names
        .filter_map(|name| {
            let (count, capacity) = state.counter(name)?;
            let figures = json!({
                "count": count.to_string(),
                "capacity": capacity.to_string(),
            });
            Some((name.clone(), figures))
        })
        .collect()
}

/// What is current, in text. Of backfills only the latest has room there.
fn annotations(state: &State) -> BTreeMap<String, String> {
    let mut annotations = state.annotations.clone();
    let mut note = |key: &str, value: String| {
        annotations.insert(format!("pingcore.io/{key}"), value);
    };
    if let Some(allocation) = state.allocation() {
        note("allocation-id", allocation.id.clone());
        if let Some(context) = &allocation.context {
            note("allocation-context", context.clone());
        }
    }
    if let Some(backfill) = state.backfills.last() {
        note("backfill-id", backfill.allocation_id.clone());
        note("backfill-context", backfill.context.to_string());
    }
    annotations
}
