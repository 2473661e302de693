//! Compiled code that is kept.

use super::bench::{Place, module};
use crate::*;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

fn engine(place: &Place) -> Arc<Engine> {
    let config = EngineConfig {
        cache: Some(place.at("cache")),
        ..EngineConfig::default()
    };
    Engine::new(config).expect("an engine")
}

fn entries(place: &Place) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.at("cache")).expect("a directory");
    entries
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

#[test]
fn an_entry_is_used_by_the_next_engine() {
    let place = Place::new();
    let bytes = module("open");
    let first = inspect(&engine(&place), &bytes).expect("loads");
    let written = entries(&place);
    assert_eq!(written.len(), 1);
    let before = fs::metadata(&written[0]).expect("an entry").modified().ok();
    let second = inspect(&engine(&place), &bytes).expect("loads");
    assert_eq!(first.sample, second.sample);
    let after = fs::metadata(&written[0]).expect("an entry").modified().ok();
    assert_eq!(before, after, "it was not written again");
}

#[test]
fn a_bad_entry_is_ignored_and_written_again() {
    let place = Place::new();
    let bytes = module("open");
    inspect(&engine(&place), &bytes).expect("loads");
    let entry = entries(&place).remove(0);
    let good = fs::read(&entry).expect("an entry");
    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    for bad in [&b""[..], b"rubbish", &good[..good.len() - 1], &flipped] {
        fs::write(&entry, bad).expect("a file");
        inspect(&engine(&place), &bytes).expect("loads all the same");
        assert_eq!(fs::read(&entry).expect("an entry"), good);
    }
}

#[cfg(unix)]
#[test]
fn an_entry_that_leads_elsewhere_is_not_followed_and_written_anew() {
    let place = Place::new();
    let bytes = module("open");
    inspect(&engine(&place), &bytes).expect("loads");
    let entry = entries(&place).remove(0);
    fs::remove_file(&entry).expect("an entry");
    std::os::unix::fs::symlink("/dev/zero", &entry).expect("a link");
    inspect(&engine(&place), &bytes).expect("loads all the same");
    let metadata = fs::symlink_metadata(&entry).expect("an entry");
    assert!(metadata.is_file());
}

#[test]
fn what_does_not_compile_is_not_kept() {
    let place = Place::new();
    assert!(inspect(&engine(&place), &module("bare-module")).is_err());
    assert!(entries(&place).is_empty());
}
