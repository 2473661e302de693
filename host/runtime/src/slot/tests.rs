//! Generations of a slot, with modules that are made up.

use super::*;
use std::path::{Path, PathBuf};

/// A module is its bytes; those that begin with "bad" are refused.
fn load(bytes: &[u8], _: u64) -> Result<Loaded<Vec<u8>>, LoadError> {
    if bytes.starts_with(b"bad") {
        return Err(LoadError::NotWasm);
    }
    Ok(Loaded {
        module: bytes.to_vec(),
        description: Description {
            name: "m".into(),
            version: "1".into(),
            questions: Vec::new(),
            max_players: None,
        },
        compile: Duration::ZERO,
    })
}

struct Bench {
    _directory: tempfile::TempDir,
    path: PathBuf,
    slot: Slot<Vec<u8>>,
}

fn bench() -> Bench {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("m.wasm");
    write(&path, "one");
    let source = Source::File(path.clone());
    let slot = Slot::open(&"m".into(), source, Moment::ZERO, load).expect("loads");
    Bench {
        _directory: directory,
        path,
        slot,
    }
}

fn write(path: &Path, content: &str) {
    std::fs::write(path, content).expect("a file");
}

impl Bench {
    fn reload(&self, content: &str, force: bool) -> Result<u64, String> {
        write(&self.path, content);
        match self.slot.reload(force, Moment::ZERO, load) {
            Ok(Reload::Loaded(info)) => Ok(info.number),
            Ok(Reload::Unchanged) => Ok(0),
            Err(failure) => Err(failure.to_string()),
        }
    }

    fn current(&self) -> (u64, Vec<u8>) {
        let current = self.slot.current();
        (current.info.number, current.module.clone())
    }
}

#[test]
fn the_same_bytes_are_not_loaded_again_unless_forced() {
    let bench = bench();
    assert_eq!(bench.reload("one", false), Ok(0));
    assert_eq!(bench.reload("two", false), Ok(2));
    assert_eq!(bench.reload("two", true), Ok(3));
    assert_eq!(bench.current(), (3, b"two".to_vec()));
}

#[test]
fn a_bad_module_is_refused_once_and_the_old_one_serves_on() {
    let bench = bench();
    assert!(bench.reload("bad", false).is_err());
    assert_eq!(bench.slot.status("closed").state, SlotState::FailedToLoad);
    assert!(bench.slot.status("closed").last_error.is_some());
    assert_eq!(bench.reload("bad", false), Ok(0));
    assert_eq!(bench.current(), (1, b"one".to_vec()));
    assert!(bench.reload("bad", true).is_err());
    assert!(bench.reload("bad too", false).is_err());
    // The good bytes are back: nothing to load, and all is well.
    assert_eq!(bench.reload("one", false), Ok(0));
    assert_eq!(bench.slot.status("closed").state, SlotState::Ok);
    assert_eq!(bench.reload("two", false), Ok(2));
}

#[test]
fn rollback_works_whatever_became_of_the_file() {
    let bench = bench();
    assert_eq!(bench.reload("two", false), Ok(2));
    std::fs::remove_file(&bench.path).expect("there");
    let back = bench.slot.rollback().expect("an older one");
    assert_eq!(back.info.number, 1);
    assert_eq!(bench.slot.status("closed").state, SlotState::RolledBack);
    assert_eq!(bench.reload("two", false), Ok(0), "not until it changes");
    assert_eq!(bench.current().0, 1);
    assert_eq!(bench.reload("three", false), Ok(3));
    assert!(bench.slot.rollback().is_ok());
    assert!(bench.slot.rollback().is_err(), "nothing older");
}

#[test]
fn a_few_older_generations_are_kept() {
    let bench = bench();
    for number in 2..=9 {
        assert_eq!(bench.reload(&number.to_string(), false), Ok(number));
    }
    assert_eq!(bench.slot.status("closed").kept, [8, 7, 6, 5]);
}

#[test]
fn the_last_good_one_is_the_newest_before_that_answered_well() {
    let bench = bench();
    assert!(bench.slot.last_good(1).is_none());
    let first = bench.slot.current();
    assert_eq!(bench.reload("two", false), Ok(2));
    assert_eq!(bench.reload("three", false), Ok(3));
    let last_good = |before| bench.slot.last_good(before).map(|good| good.info.number);
    assert_eq!(last_good(3), Some(2), "none has: the newest");
    first.succeeded();
    assert_eq!(last_good(3), Some(1));
    assert_eq!(last_good(1), None);
}

#[test]
fn a_generation_that_proves_unfit_is_refused() {
    let bench = bench();
    assert_eq!(bench.reload("two", false), Ok(2));
    bench.slot.refuse(1, "late".to_owned());
    assert_eq!(bench.current().0, 2);
    bench.slot.refuse(2, "can't read the state".to_owned());
    assert_eq!(bench.current().0, 1);
    assert_eq!(bench.slot.status("closed").state, SlotState::FailedToLoad);
    assert_eq!(bench.reload("two", false), Ok(0));
}

#[test]
fn a_rollback_that_is_refused_restores_the_generation_that_plays() {
    let bench = bench();
    assert_eq!(bench.reload("two", false), Ok(2));
    assert_eq!(bench.reload("three", false), Ok(3));
    // Again and again: the operator may try it twice.
    for _ in 0..2 {
        let back = bench.slot.rollback().expect("an older one");
        assert_eq!(back.info.number, 2);
        bench.slot.refuse(2, "can't read the state".to_owned());
        assert_eq!(bench.current(), (3, b"three".to_vec()));
        let status = bench.slot.status("closed");
        assert_eq!(status.generation.number, 3);
        assert_eq!(status.kept, [2, 1]);
        // The bytes that are there are those that serve.
        assert_eq!(status.state, SlotState::Ok);
        assert_eq!(status.last_error.as_deref(), Some("can't read the state"));
    }
    assert_eq!(bench.reload("three", false), Ok(0));
    assert_eq!(bench.reload("four", false), Ok(4));
    bench.slot.refuse(4, "nor can this".to_owned());
    assert_eq!(bench.current().0, 3);
}

#[test]
fn a_refused_rollback_leaves_the_state_of_before() {
    let bench = bench();
    assert_eq!(bench.reload("two", false), Ok(2));
    assert_eq!(bench.reload("three", false), Ok(3));
    bench.slot.rollback().expect("an older one");
    bench.slot.rollback().expect("an older one");
    bench.slot.refuse(1, "can't read the state".to_owned());
    assert_eq!(bench.current().0, 2);
    assert_eq!(bench.slot.status("closed").state, SlotState::RolledBack);
    assert_eq!(bench.reload("three", false), Ok(0), "not until it changes");
}

#[test]
fn a_generation_that_serves_is_not_left_when_its_new_params_are_refused() {
    let bench = bench();
    assert_eq!(bench.reload("two", false), Ok(2));
    bench.slot.settle();
    bench.slot.refuse(2, "no such param".to_owned());
    assert_eq!(bench.current().0, 2);
    let status = bench.slot.status("closed");
    assert_eq!(status.state, SlotState::Ok);
    assert_eq!(status.last_error.as_deref(), Some("no such param"));
    assert_eq!(bench.reload("three", false), Ok(3));
    bench.slot.refuse(3, "can't read the state".to_owned());
    assert_eq!(bench.current().0, 2);
}
