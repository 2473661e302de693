//! Says when to look at a file again.
//!
//! The system's events only say that something happened somewhere near; what counts is a file's stamp.
//! So a lost event costs two seconds, and an event too many costs a few calls of the system.

mod links;
mod settle;
mod stamp;

use settle::Settle;
use stamp::Stamp;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

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
    wake: SyncSender<()>,
    thread: Option<JoinHandle<()>>,
}

/// Calls `on_change` with a path of `files` when it is worth a look: its bytes may have changed, or not,
/// or it is gone. What was there when this returns is not told, so watch first and load then.
///
/// Survives a rename over the file, a slow write in place, a symbolic link that turns (`..data` too),
/// and deletion and creation, of the file or of a directory on the way. It looks by itself every two
/// seconds, so that a lost event only costs time. `on_change` is called on the watcher's own thread.
pub fn watch(
    files: Vec<PathBuf>,
    on_change: impl Fn(&Path) + Send + 'static,
) -> Result<Watcher, WatchError> {
    watch_with(files, on_change, Eyes::open)
}

fn watch_with(
    files: Vec<PathBuf>,
    on_change: impl Fn(&Path) + Send + 'static,
    open: fn(SyncSender<()>) -> Eyes,
) -> Result<Watcher, WatchError> {
    let stop = Arc::new(AtomicBool::new(false));
    // Room for one: that something happened is all that is told.
    let (wake, woken) = sync_channel(1);
    let mut eyes = open(wake.clone());
    let begun = Instant::now();
    let mut watched: Vec<_> = files
        .into_iter()
        .map(|path| {
            let stamp = Stamp::of(&path);
            (path, Settle::new(stamp, begun))
        })
        .collect();
    eyes.turn_to(watched.iter().map(|(path, _)| &**path));
    let stopped = Arc::clone(&stop);
    let run = move || {
        while let Some(timeout) = next_look(&watched, &stopped) {
            if !wait(&woken, timeout) {
                return;
            }
            eyes.turn_to(watched.iter().map(|(path, _)| &**path));
            for (path, settle) in &mut watched {
                if settle.look(Stamp::of(path), Instant::now()) {
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
        wake,
        thread: Some(thread.map_err(WatchError)?),
    })
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // If there is no room it is awake already.
        let _ = self.wake.try_send(());
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

/// Waits for events, and then a little for more of them. `false` if nothing can come any more.
fn wait(woken: &Receiver<()>, timeout: Duration) -> bool {
    match woken.recv_timeout(timeout) {
        Ok(()) => {
            thread::sleep(GATHER);
            let _ = woken.try_recv();
            true
        }
        Err(RecvTimeoutError::Timeout) => true,
        Err(RecvTimeoutError::Disconnected) => false,
    }
}

/// The system's events, for the directories that matter at the moment.
struct Eyes {
    events: Option<RecommendedWatcher>,
    /// Directories that are watched, as they were then: one that was made anew must be watched anew.
    on: HashMap<PathBuf, Stamp>,
}

impl Eyes {
    fn open(wake: SyncSender<()>) -> Eyes {
        let opened = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading tells of itself too, and what looks must not wake itself.
            if !matches!(&event, Ok(event) if matches!(event.kind, EventKind::Access(_))) {
                let _ = wake.try_send(());
            }
        });
        Eyes {
            events: opened.inspect_err(blind).ok(),
            on: HashMap::new(),
        }
    }

    /// Watches every directory on the way to these files, and no other.
    fn turn_to<'a>(&mut self, files: impl Iterator<Item = &'a Path>) {
        let Some(events) = &mut self.events else {
            return;
        };
        let wanted: HashMap<PathBuf, Stamp> = files
            .flat_map(links::directories)
            .map(|directory| {
                let stamp = Stamp::identity(&directory);
                (directory, stamp)
            })
            .collect();
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
    fn no_events(_: SyncSender<()>) -> Eyes {
        Eyes {
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
