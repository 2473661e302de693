//! Says when to look at a file again.
//!
//! The system's events only say that something happened somewhere near; what counts is a file's stamp.
//! So a lost event costs two seconds, and an event too many costs a few calls of the system.

mod bell;
mod links;
mod settle;
mod stamp;

use bell::Bell;
use settle::Settle;
use stamp::Stamp;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use notify::event::{ModifyKind, RenameMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// How often it looks when nothing seems to happen.
const POLL: Duration = Duration::from_secs(2);
/// How often it looks while a file is changing.
const CLOSE_LOOK: Duration = Duration::from_millis(25);
/// How long events are gathered before it looks.
const GATHER: Duration = Duration::from_millis(10);

/// Why files can't be watched.
#[derive(thiserror::Error, Debug)]
#[error("no thread to watch files: {0}")]
pub struct WatchError(std::io::Error);

/// Watches until it is dropped.
pub struct Watcher {
    stop: Arc<AtomicBool>,
    bell: Arc<Bell>,
    thread: Option<JoinHandle<()>>,
}

/// Calls `on_change` with a path of `files` when it is worth a look: its bytes may have changed, or not,
/// or it is gone. What was there when this returns is not told, so watch first and load then.
///
/// Survives a rename over the file, a slow write in place, a symbolic link that turns (`..data` too),
/// and deletion and creation, of the file or of a directory on the way. What a rename puts in its place, the
/// file or a link on the way, is told at once, and all else when it has been quiet for a moment. It looks by
/// itself every two seconds, so that a lost event only costs time. `on_change` is called on the watcher's
/// own thread.
pub fn watch(
    files: Vec<PathBuf>,
    on_change: impl Fn(&Path) + Send + 'static,
) -> Result<Watcher, WatchError> {
    watch_with(files, on_change, Eyes::open)
}

fn watch_with(
    files: Vec<PathBuf>,
    on_change: impl Fn(&Path) + Send + 'static,
    open: fn(Arc<Bell>) -> Eyes,
) -> Result<Watcher, WatchError> {
    let stop = Arc::new(AtomicBool::new(false));
    let bell = Arc::<Bell>::default();
    let mut eyes = open(Arc::clone(&bell));
    let begun = Instant::now();
    let mut watched: Vec<_> = files
        .into_iter()
        .map(|path| {
            let stamp = Stamp::of(&path);
            (path, Settle::new(stamp, begun))
        })
        .collect();
    eyes.turn_to(watched.iter().map(|(path, _)| &**path));
    let (stopped, rung) = (Arc::clone(&stop), Arc::clone(&bell));
    let run = move || {
        while let Some(timeout) = next_look(&watched, &stopped) {
            let placed = rung.wait(timeout, GATHER);
            eyes.turn_to(watched.iter().map(|(path, _)| &**path));
            for (path, settle) in &mut watched {
                let whole =
                    !placed.is_empty() && links::entries(path).iter().any(|it| placed.contains(it));
                if settle.look(Stamp::of(path), whole, Instant::now()) {
                    on_change(path);
                }
            }
        }
    };
    let thread = thread::Builder::new()
        .name("usher-watch".to_owned())
        .spawn(run);
    Ok(Watcher {
        stop,
        bell,
        thread: Some(thread.map_err(WatchError)?),
    })
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.bell.ring();
        if let Some(thread) = self.thread.take()
            // `on_change` may hold the watcher, and a thread can't wait for itself.
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

/// How long to wait for events; `None` to stop.
fn next_look(watched: &[(PathBuf, Settle)], stop: &AtomicBool) -> Option<Duration> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let changing = watched.iter().any(|(_, settle)| settle.is_changing());
    Some(if changing { CLOSE_LOOK } else { POLL })
}

/// The system's events, for the directories that matter at the moment.
struct Eyes {
    bell: Arc<Bell>,
    events: Option<RecommendedWatcher>,
    /// Directories that are watched, as they were then: one that was made anew must be watched anew.
    on: HashMap<PathBuf, Stamp>,
}

impl Eyes {
    fn open(bell: Arc<Bell>) -> Eyes {
        let rung = Arc::clone(&bell);
        let opened = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            match &event {
                // Reading tells of itself too, and what looks must not wake itself.
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
                Ok(event) => match (event.kind, event.paths.last()) {
                    (
                        EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Both)),
                        Some(path),
                    ) => rung.put_in_place(path),
                    _ => rung.ring(),
                },
                Err(_) => rung.ring(),
            }
        });
        Eyes {
            bell,
            events: opened.inspect_err(blind).ok(),
            on: HashMap::new(),
        }
    }

    /// Watches every directory on the way to these files, and no other.
    fn turn_to<'a>(&mut self, files: impl Iterator<Item = &'a Path>) {
        let Some(events) = &mut self.events else {
            return;
        };
        let on_the_way: HashSet<PathBuf> = files.flat_map(links::entries).collect();
        let directories = on_the_way.iter().filter_map(|entry| entry.parent());
        let wanted: HashMap<PathBuf, Stamp> = directories
            .map(|directory| (directory.to_owned(), Stamp::identity(directory)))
            .collect();
        self.bell.listen_for(on_the_way);
        self.on.retain(|directory, stamp| {
            let stays = wanted.get(directory) == Some(stamp);
            if !stays {
                // It may be gone, and its watch with it.
                let _ = events.unwatch(directory);
            }
            stays
        });
        for (directory, stamp) in wanted {
            if self.on.contains_key(&directory) {
                continue;
            }
            match events.watch(&directory, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.on.insert(directory, stamp)),
                // Tried again at the next look.
                Err(error) => tracing::debug!("can't watch {}: {error}", directory.display()),
            }
        }
    }
}

fn blind(error: &notify::Error) {
    let seconds = POLL.as_secs();
    tracing::warn!("changed files are noticed within {seconds} s only: {error}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::mpsc::channel;

    /// A system that tells nothing.
    fn no_events(bell: Arc<Bell>) -> Eyes {
        Eyes {
            bell,
            events: None,
            on: HashMap::new(),
        }
    }

    #[test]
    fn a_lost_event_only_costs_time() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("m.wasm");
        fs::write(&path, "one").expect("a file");
        let (tell, told) = channel();
        let tell = move |path: &Path| drop(tell.send(path.to_owned()));
        let _watcher = watch_with(vec![path.clone()], tell, no_events).expect("a watcher");
        fs::write(&path, "two, longer").expect("a file");
        let told = told.recv_timeout(Duration::from_secs(30));
        assert_eq!(told.as_deref(), Ok(&*path));
    }
}
