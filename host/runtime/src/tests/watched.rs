//! Files that change in every way in which deployments change them.

use super::bench::{PATIENCE, Place};
use crate::*;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A watcher, and what it says.
struct Watching {
    _watcher: Watcher,
    told: Receiver<PathBuf>,
}

fn watching(path: &Path) -> Watching {
    let (tell, told) = channel();
    let watcher = watch(vec![path.to_owned()], move |path| {
        drop(tell.send(path.to_owned()));
    });
    Watching {
        _watcher: watcher.expect("a watcher"),
        told,
    }
}

impl Watching {
    /// Waits until the file, when it is looked at because of what was told, has this content. Whoever
    /// looks may look too early, and must then be told again.
    fn finds(&self, path: &Path, content: &str) {
        loop {
            let told = self.told.recv_timeout(PATIENCE).expect("a change is told");
            assert_eq!(told, path);
            if fs::read(path).ok().as_deref() == Some(content.as_bytes()) {
                return;
            }
        }
    }

    /// Nothing more is told for a while.
    fn is_quiet(&self) {
        let told = self.told.recv_timeout(Duration::from_millis(300));
        assert!(told.is_err(), "told once more");
    }
}

#[test]
fn a_rename_over_the_file() {
    let place = Place::new();
    let path = place.put("m.wasm", b"one");
    let watching = watching(&path);
    for content in ["two", "three", "four"] {
        place.put("m.wasm", content.as_bytes());
        watching.finds(&path, content);
    }
    watching.is_quiet();
}

#[test]
fn a_slow_write_in_place_is_told_when_it_is_over() {
    let place = Place::new();
    let path = place.put("m.wasm", b"one");
    let watching = watching(&path);
    let mut file = fs::File::create(&path).expect("a file");
    for part in ["a", "b", "c", "d", "e", "f"] {
        file.write_all(part.as_bytes()).expect("written");
        file.sync_all().expect("written");
        // Slow on purpose: this is what is tested.
        std::thread::sleep(Duration::from_millis(30));
    }
    drop(file);
    watching.finds(&path, "abcdef");
}

#[test]
fn deletion_and_creation() {
    let place = Place::new();
    let path = place.put("m.wasm", b"one");
    let watching = watching(&path);
    fs::remove_file(&path).expect("there");
    let told = watching.told.recv_timeout(PATIENCE).expect("told");
    assert!(!told.exists());
    fs::write(&path, "two").expect("a file");
    watching.finds(&path, "two");
}

#[test]
fn a_directory_on_the_way_is_made_anew() {
    let place = Place::new();
    fs::create_dir(place.at("d")).expect("a directory");
    let path = place.put("d/m.wasm", b"one");
    let watching = watching(&path);
    for content in ["two", "three"] {
        fs::remove_dir_all(place.at("d")).expect("there");
        let told = watching.told.recv_timeout(PATIENCE).expect("told");
        assert!(!told.exists());
        fs::create_dir(place.at("d")).expect("a directory");
        fs::write(&path, content).expect("a file");
        watching.finds(&path, content);
    }
}

#[test]
fn a_file_that_comes_later() {
    let place = Place::new();
    let path = place.at("a/b/m.wasm");
    let watching = watching(&path);
    fs::create_dir_all(place.at("a/b")).expect("directories");
    fs::write(&path, "one").expect("a file");
    watching.finds(&path, "one");
}

#[test]
fn a_touch_is_worth_a_look() {
    let place = Place::new();
    let path = place.put("m.wasm", b"one");
    let watching = watching(&path);
    let file = fs::File::options().write(true).open(&path).expect("a file");
    let later = std::time::SystemTime::now() + Duration::from_secs(5);
    file.set_modified(later).expect("touched");
    watching.finds(&path, "one");
    watching.is_quiet();
}

#[test]
fn reading_wakes_nobody() {
    let place = Place::new();
    let path = place.put("m.wasm", b"one");
    let watching = watching(&path);
    for _ in 0..100 {
        fs::read(&path).expect("there");
    }
    watching.is_quiet();
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Turns a link in one step, as deployments do.
    fn turn(place: &Place, link: &str, target: &str) {
        symlink(target, place.at("turning")).expect("a link");
        fs::rename(place.at("turning"), place.at(link)).expect("a rename");
    }

    #[test]
    fn a_link_turns() {
        let place = Place::new();
        for version in ["one", "two", "three"] {
            fs::create_dir(place.at(version)).expect("a directory");
            place.put(&format!("{version}/m.wasm"), version.as_bytes());
        }
        turn(&place, "current", "one");
        let path = place.at("current/m.wasm");
        let watching = watching(&path);
        turn(&place, "current", "two");
        watching.finds(&path, "two");
        turn(&place, "current", "three");
        watching.finds(&path, "three");
        // The file itself, behind the link as it is now.
        place.put("three/m.wasm", b"four");
        watching.finds(&path, "four");
    }

    /// A config map of Kubernetes: the file is a link through `..data`, which is a link that turns.
    #[test]
    fn the_data_link_of_a_config_map_turns() {
        let place = Place::new();
        for version in ["1", "2"] {
            fs::create_dir(place.at(&format!("..v{version}"))).expect("a directory");
            place.put(&format!("..v{version}/m.wasm"), version.as_bytes());
        }
        turn(&place, "..data", "..v1");
        symlink("..data/m.wasm", place.at("m.wasm")).expect("a link");
        let path = place.at("m.wasm");
        let watching = watching(&path);
        turn(&place, "..data", "..v2");
        fs::remove_dir_all(place.at("..v1")).expect("there");
        watching.finds(&path, "2");
        watching.is_quiet();
    }
}
