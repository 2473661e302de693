//! What `usher check` is told.

use super::bench::{engine, module};
use crate::*;

#[test]
fn a_policy_is_described() {
    let bytes = module("rtyp");
    let inspection = inspect(&engine(), &bytes).expect("loads");
    assert_eq!(inspection.world, World::AdmissionPolicy);
    assert_eq!(inspection.module, "rtyp");
    assert_eq!(inspection.max_players, Some(4));
    assert_eq!(inspection.size, bytes.len() as u64);
    assert_eq!(inspection.sha256.len(), 64);
    assert!(inspection.componentized);
    assert_eq!(inspection.sample, "accept with 2 claims");
    let params = "usher:policy/params@0.1.0".to_owned();
    assert!(inspection.imports.contains(&params), "{inspection:?}");
}

#[test]
fn questions_and_samples_are_told() {
    let inspection = inspect(&engine(), &module("asker")).expect("loads");
    assert_eq!(inspection.questions, ["verify", "hold", "claim-session"]);
    assert_eq!(inspection.sample, "ask verify");
    let inspection = inspect(&engine(), &module("waiter")).expect("loads");
    assert_eq!(inspection.sample, "wait in lane main");
}

#[test]
fn rules_are_described() {
    let inspection = inspect(&engine(), &module("arena")).expect("loads");
    assert_eq!(inspection.world, World::GameRules);
    assert_eq!(inspection.module, "arena");
    assert_eq!(inspection.sample, "starts an empty room with 2 effects");
}

#[test]
fn a_component_loads_as_well_as_a_core_module() {
    let component = wit_component::ComponentEncoder::default()
        .module(&module("open"))
        .and_then(|encoder| encoder.encode())
        .expect("a component");
    let inspection = inspect(&engine(), &component).expect("loads");
    assert!(!inspection.componentized);
    assert_eq!(inspection.sample, "accept with 0 claims");
}
