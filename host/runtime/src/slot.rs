//! A slot: a place for a module, and the generations that were loaded in it.

use crate::config::Source;
use crate::generation::Generation;
use crate::hex::hex;
use crate::load::{self, LoadError};
use crate::status::{GenerationInfo, LoadFailure, Reload, RollbackError, SlotState, SlotStatus};
use crate::told::Told;
use crate::translate::description::Description;
use sha2::{Digest as _, Sha256};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use usher_core::Moment;

/// How many older generations are kept to go back to.
const KEPT: usize = 4;

type Sha = [u8; 32];

/// What loading gave.
pub(crate) struct Loaded<M> {
    /// The module, ready to be called.
    pub(crate) module: M,
    /// What it says of itself.
    pub(crate) description: Description,
    /// How long compiling took.
    pub(crate) compile: Duration,
}

/// A slot for modules of one world.
pub(crate) struct Slot<M> {
    name: Arc<str>,
    source: Source,
    /// One load at a time; whoever asks waits for the one before.
    loading: Mutex<()>,
    generations: Mutex<Generations<M>>,
    calls: AtomicU64,
    faults: AtomicU64,
    last_error: Mutex<Option<String>>,
    told: Mutex<Told>,
}

struct Generations<M> {
    current: Arc<Generation<M>>,
    current_sha: Sha,
    /// The newest last.
    older: Vec<(Sha, Arc<Generation<M>>)>,
    /// The number of the next one.
    next: u64,
    /// What was refused last, or rolled back from.
    refused: Option<Sha>,
    state: SlotState,
    before: Before<M>,
}

/// What serves on if the current generation turns out to be unfit.
enum Before<M> {
    /// The current one itself: whoever uses it has taken it up.
    Itself,
    /// The newest of the older ones: the current one was loaded after it.
    Older,
    /// The one that was rolled back from, with what was so before.
    RolledBack {
        from: (Sha, Arc<Generation<M>>),
        refused: Option<Sha>,
        state: SlotState,
    },
}

impl<M> Slot<M> {
    /// Loads the first generation.
    pub(crate) fn open(
        name: &Arc<str>,
        source: Source,
        now: Moment,
        load: impl FnOnce(&[u8], u64) -> Result<Loaded<M>, LoadError>,
    ) -> Result<Slot<M>, LoadFailure> {
        let begun = Instant::now();
        let first = load::read(&source).and_then(|bytes| {
            let sha: Sha = Sha256::digest(&bytes).into();
            Ok((sha, generation(&sha, 1, now, load(&bytes, 1)?)))
        });
        let (current_sha, current) = first.map_err(|error| LoadFailure {
            slot: Arc::clone(name),
            error,
            took: begun.elapsed(),
        })?;
        Ok(Slot {
            name: Arc::clone(name),
            source,
            loading: Mutex::new(()),
            generations: Mutex::new(Generations {
                current,
                current_sha,
                older: Vec::new(),
                next: 2,
                refused: None,
                state: SlotState::Ok,
                before: Before::Itself,
            }),
            calls: AtomicU64::new(0),
            faults: AtomicU64::new(0),
            last_error: Mutex::new(None),
            told: Mutex::new(Told::default()),
        })
    }

    /// The name.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The generation that serves.
    pub(crate) fn current(&self) -> Arc<Generation<M>> {
        Arc::clone(&self.generations().current)
    }

    /// The newest kept generation before this one: of those that have answered well, if there are any.
    pub(crate) fn last_good(&self, before: u64) -> Option<Arc<Generation<M>>> {
        let generations = self.generations();
        let older = generations.older.iter().map(|(_, older)| older);
        let before: Vec<_> = older
            .chain([&generations.current])
            .filter(|generation| generation.info.number < before)
            .collect();
        let proven = before.iter().rfind(|generation| generation.answered_well());
        proven.or(before.last()).map(|&good| Arc::clone(good))
    }

    /// Reads the source again, and loads it if that is worth it.
    pub(crate) fn reload(
        &self,
        force: bool,
        now: Moment,
        load: impl FnOnce(&[u8], u64) -> Result<Loaded<M>, LoadError>,
    ) -> Result<Reload, LoadFailure> {
        let begun = Instant::now();
        let _one_at_a_time = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        self.try_reload(force, now, load).map_err(|error| {
            *self.last_error() = Some(error.to_string());
            self.generations().state = SlotState::FailedToLoad;
            LoadFailure {
                slot: Arc::clone(&self.name),
                error,
                took: begun.elapsed(),
            }
        })
    }

    fn try_reload(
        &self,
        force: bool,
        now: Moment,
        load: impl FnOnce(&[u8], u64) -> Result<Loaded<M>, LoadError>,
    ) -> Result<Reload, LoadError> {
        let bytes = load::read(&self.source)?;
        let sha: Sha = Sha256::digest(&bytes).into();
        let number = {
            let mut generations = self.generations();
            if !force && sha == generations.current_sha {
                generations.state = SlotState::Ok;
                generations.refused = None;
                return Ok(Reload::Unchanged);
            }
            if !force && generations.refused == Some(sha) {
                return Ok(Reload::Unchanged);
            }
            generations.next
        };
        // Compiling takes its time, and nobody waits for the lock meanwhile.
        let loaded = load(&bytes, number).inspect_err(|_| {
            self.generations().refused = Some(sha);
        })?;
        let new = generation(&sha, number, now, loaded);
        let info = new.info.clone();
        self.generations().swap(sha, new);
        Ok(Reload::Loaded(info))
    }

    /// Goes back to the generation before.
    pub(crate) fn rollback(&self) -> Result<Arc<Generation<M>>, RollbackError> {
        let mut generations = self.generations();
        let Some((sha, older)) = generations.older.pop() else {
            return Err(RollbackError::NothingOlder(Arc::clone(&self.name)));
        };
        let from = generations.replace(sha, Arc::clone(&older));
        let refused = generations.refused.replace(from.0);
        let state = std::mem::replace(&mut generations.state, SlotState::RolledBack);
        generations.before = Before::RolledBack {
            from,
            refused,
            state,
        };
        Ok(older)
    }

    /// This generation, if it is still the current one, turned out to be unfit: back to the one that was
    /// current before it, and plays on.
    pub(crate) fn refuse(&self, number: u64, why: String) {
        let mut generations = self.generations();
        if generations.current.info.number != number {
            return;
        }
        generations.step_back();
        *self.last_error() = Some(why);
    }

    /// The current generation serves: from now on, to refuse it is not to go back behind it.
    pub(crate) fn settle(&self) {
        self.generations().before = Before::Itself;
    }

    /// A call was made.
    pub(crate) fn called(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// A call faulted. If that is to be logged: how many were not, since the last that was.
    pub(crate) fn faulted(&self, message: &str, now: Moment) -> Option<u64> {
        self.faults.fetch_add(1, Ordering::Relaxed);
        *self.last_error() = Some(message.to_owned());
        // Counting does not panic.
        self.told
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .admits(now)
    }

    /// How it does.
    pub(crate) fn status(&self, fail: &'static str) -> SlotStatus {
        let generations = self.generations();
        let older = generations.older.iter().rev();
        SlotStatus {
            name: self.name.to_string(),
            source: match &self.source {
                Source::File(path) => path.display().to_string(),
                Source::Builtin { name, .. } => format!("builtin:{name}"),
            },
            state: if generations.current.backoff.pausing() {
                SlotState::BackingOff
            } else {
                generations.state
            },
            generation: generations.current.info.clone(),
            kept: older.map(|(_, older)| older.info.number).collect(),
            fail,
            last_error: self.last_error().clone(),
            calls: self.calls.load(Ordering::Relaxed),
            faults: self.faults.load(Ordering::Relaxed),
        }
    }

    fn generations(&self) -> MutexGuard<'_, Generations<M>> {
        // Every change is whole before anything that could panic.
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn last_error(&self) -> MutexGuard<'_, Option<String>> {
        self.last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M> Generations<M> {
    fn swap(&mut self, sha: Sha, new: Arc<Generation<M>>) {
        let old = self.replace(sha, new);
        self.older.push(old);
        if self.older.len() > KEPT {
            self.older.remove(0);
        }
        self.next += 1;
        self.refused = None;
        self.state = SlotState::Ok;
        self.before = Before::Older;
    }

    /// Makes another generation the current one, and gives the one that was.
    fn replace(&mut self, sha: Sha, new: Arc<Generation<M>>) -> (Sha, Arc<Generation<M>>) {
        let sha = std::mem::replace(&mut self.current_sha, sha);
        (sha, std::mem::replace(&mut self.current, new))
    }

    fn step_back(&mut self) {
        match std::mem::replace(&mut self.before, Before::Itself) {
            Before::Itself => {}
            Before::Older => {
                if let Some((sha, older)) = self.older.pop() {
                    let (unfit, _) = self.replace(sha, older);
                    self.refused = Some(unfit);
                    self.state = SlotState::FailedToLoad;
                }
            }
            // As if nobody had rolled back: what serves is what is on disk, or was held to be right.
            Before::RolledBack {
                from: (sha, from),
                refused,
                state,
            } => {
                let unfit = self.replace(sha, from);
                self.older.push(unfit);
                self.refused = refused;
                self.state = state;
            }
        }
    }
}

fn generation<M>(sha: &Sha, number: u64, now: Moment, loaded: Loaded<M>) -> Arc<Generation<M>> {
    let description = loaded.description;
    let info = GenerationInfo {
        number,
        sha256: hex(sha),
        module: description.name.to_string(),
        version: description.version.to_string(),
        max_players: description.max_players,
        loaded_at: now,
        compile_ms: crate::translate::duration::millis(loaded.compile),
    };
    Arc::new(Generation::new(info, loaded.module))
}

#[cfg(test)]
mod tests;
