//! Reloads modules when their files change.

use super::modules::Loader;
use super::slots;
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
    _watcher: Option<Watcher>,
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
        let Some((watcher, changed)) = self.watching else {
            return Following { _watcher: None };
        };
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
        Following {
            _watcher: Some(watcher),
        }
    }
}
