//! Wakes the one who looks at files, and tells what was put in its place in one step.
//!
//! A file that was renamed to where it is was whole before: it need not be waited for as one that is being
//! written.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the system's events ring.
#[derive(Default)]
pub(super) struct Bell {
    state: Mutex<State>,
    rung: Condvar,
}

#[derive(Default)]
struct State {
    rung: bool,
    /// What leads to the files that are watched: they themselves, and links on the way.
    on_the_way: HashSet<PathBuf>,
    /// Those of them that were put in their place since the last look.
    placed: HashSet<PathBuf>,
}

impl Bell {
    /// Something happened somewhere near.
    pub(super) fn ring(&self) {
        self.state().rung = true;
        self.rung.notify_one();
    }

    /// Something was put here in one step.
    pub(super) fn put_in_place(&self, path: &Path) {
        let mut state = self.state();
        // Whatever else happens in the directory takes no room here.
        if let Some(path) = state.on_the_way.get(path).cloned() {
            state.placed.insert(path);
        }
        state.rung = true;
        drop(state);
        self.rung.notify_one();
    }

    /// What matters from now on.
    pub(super) fn listen_for(&self, on_the_way: HashSet<PathBuf>) {
        let mut state = self.state();
        state.placed.retain(|path| on_the_way.contains(path));
        state.on_the_way = on_the_way;
    }

    /// Waits until something happens, and then a little for more of it, unless something is in its place
    /// already. Returns what is.
    pub(super) fn wait(&self, timeout: Duration, gather: Duration) -> HashSet<PathBuf> {
        let silent = |state: &mut State| !state.rung;
        let state = self.rung.wait_timeout_while(self.state(), timeout, silent);
        let (mut state, _) = state.unwrap_or_else(PoisonError::into_inner);
        if state.rung {
            let going_on = |state: &mut State| state.placed.is_empty();
            let gathered = self.rung.wait_timeout_while(state, gather, going_on);
            (state, _) = gathered.unwrap_or_else(PoisonError::into_inner);
        }
        state.rung = false;
        std::mem::take(&mut state.placed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_its_place_is_told_once_and_only_if_it_matters() {
        let bell = Bell::default();
        let never = Duration::from_secs(3_600);
        bell.listen_for(["/a/m.wasm".into(), "/a/..data".into()].into());
        bell.put_in_place(Path::new("/a/other"));
        bell.put_in_place(Path::new("/a/m.wasm"));
        // Were it waited for more, this would not end.
        assert_eq!(bell.wait(never, never), ["/a/m.wasm".into()].into());
        bell.ring();
        assert!(bell.wait(never, Duration::ZERO).is_empty());
        bell.put_in_place(Path::new("/a/..data"));
        bell.listen_for(["/a/m.wasm".into()].into());
        assert!(bell.wait(never, Duration::ZERO).is_empty());
        assert!(bell.wait(Duration::ZERO, never).is_empty());
    }
}
