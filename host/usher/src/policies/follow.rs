//! Reloads modules and buckets when their files change.

use super::modules::Loader;
use super::slots;
use crate::buckets;
use crate::config::Config;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use usher_runtime::{Watcher, watch};

/// Notes changes of modules' files; nothing is reloaded before [`Changes::follow`]. It must be made
/// before the modules are loaded, so that no change between the two is missed.
pub struct Changes {
    files: Vec<(PathBuf, Arc<str>)>,
    watching: Option<(Watcher, Receiver<PathBuf>)>,
}

/// Follows for as long as it lives.
pub struct Following {
    _modules: Option<Watcher>,
    _buckets: Option<Watcher>,
}

impl Changes {
    /// Begins to watch. Where that cannot be, it is said, and files are read again on request only.
    pub fn watch(config: &Config) -> Changes {
        let files = slots::files(config);
        let mut paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
        paths.sort();
        paths.dedup();
        if paths.is_empty() {
            let watching = None;
            return Changes { files, watching };
        }
        let (to, changed) = channel();
        let watcher = watch(paths, move |path| {
            // Nobody follows any more: the host is stopping.
            let _ = to.send(path.to_owned());
        });
        let watching = match watcher {
            Ok(watcher) => Some((watcher, changed)),
            Err(error) => {
                tracing::warn!("modules are not reloaded by themselves: {error}");
                None
            }
        };
        Changes { files, watching }
    }

    /// Reloads what changes from now on, and what has changed since it was watched. On a thread of its
    /// own, because compiling takes its time.
    pub fn follow(self, loader: Arc<Loader>) -> Following {
        Following {
            _buckets: follow_buckets(&loader),
            _modules: self.follow_modules(loader),
        }
    }

    fn follow_modules(self, loader: Arc<Loader>) -> Option<Watcher> {
        let (watcher, changed) = self.watching?;
        let files = self.files;
        let following = thread::Builder::new()
            .name("usher-reload".to_owned())
            .spawn(move || {
                for path in changed {
                    for (_, name) in files.iter().filter(|(file, _)| *file == path) {
                        // Whatever comes of it is in the log.
                        let _ = loader.reload(name, false);
                    }
                }
            });
        if let Err(error) = following {
            tracing::warn!("modules are not reloaded by themselves: no thread for it: {error}");
        }
        Some(watcher)
    }
}

/// Keeps the buckets from now on. Apart from the modules: a ban must not wait for a compiler.
fn follow_buckets(loader: &Arc<Loader>) -> Option<Watcher> {
    let told = Arc::downgrade(loader);
    let tell = move || {
        // It is gone when the host is.
        if let Some(loader) = told.upgrade() {
            loader.buckets_changed();
        }
    };
    let desk = loader.desk();
    if let Err(error) = buckets::keep(desk, loader.clock(), tell) {
        tracing::warn!("buckets stay as they are: no thread for them: {error}");
        return None;
    }
    let files: Vec<PathBuf> = desk.files();
    if files.is_empty() {
        return None;
    }
    let looking = desk.clone();
    let watcher = watch(files.clone(), move |file| looking.look(file));
    match watcher {
        Ok(watcher) => {
            // They may have changed since they were read.
            for file in &files {
                desk.look(file);
            }
            Some(watcher)
        }
        Err(error) => {
            tracing::warn!("buckets are not read again by themselves: {error}");
            None
        }
    }
}
