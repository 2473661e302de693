//! Keeps every bucket: takes up what files and policies say, and says when others must hear of it.
//!
//! It reads and appends to files, and knows no thread and no clock.

use super::file::FileError;
use super::list::{List, Looked, NotPut};
use crate::admin::BucketStatus;
use crate::config;
use crate::metrics;
use crate::seldom::Seldom;
use crate::text::Shown;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use usher_core::Moment;
use usher_runtime::{Buckets, Entry};

/// How long others are left alone after they have heard of a change, because each has everyone who waits
/// decided anew: so long after the first, and twice as long after each that follows at once, up to the
/// longest. What takes that long to be decided would begin anew for ever otherwise.
const APART: Duration = Duration::from_millis(100);
const LONGEST_APART: Duration = Duration::from_secs(1);

/// Policies may put in thousands that cannot be taken.
const WARNINGS_APART: Duration = Duration::from_secs(10);

/// Why a host cannot start with a bucket.
#[derive(Debug, thiserror::Error)]
#[error("bucket {name}: {}{error}", file.display())]
pub struct OpenError {
    name: Arc<str>,
    file: PathBuf,
    error: FileError,
}

/// Something to be kept.
#[derive(Debug)]
pub(super) enum News {
    /// A file may have changed.
    Look(PathBuf),
    /// Read every file again.
    Reread,
    /// A policy puts something in.
    Put {
        /// Where.
        bucket: Arc<str>,
        /// What.
        entry: Arc<str>,
        /// How long; `None` for good.
        lasts: Option<Duration>,
    },
}

/// Every bucket.
pub struct Keeper {
    lists: Vec<List>,
    /// What others have.
    told: Buckets,
    told_at: Option<Moment>,
    /// How long others are left alone after that.
    apart: Duration,
    /// Which lists differ from that; as long as `lists`.
    changed: Vec<bool>,
    warnings: Seldom,
}

impl Keeper {
    /// Reads every file.
    pub(super) fn open(configs: &[config::Bucket], now: Moment) -> Result<Keeper, OpenError> {
        let mut lists = Vec::with_capacity(configs.len());
        let mut told = Buckets::default();
        for config in configs {
            let list = List::open(config, now).map_err(|error| OpenError {
                name: config.name.clone(),
                file: config.file.clone().unwrap_or_default(),
                error,
            })?;
            told = told.with(&list.name, list.merged());
            lists.push(list);
        }
        Ok(Keeper {
            changed: vec![false; lists.len()],
            lists,
            told,
            told_at: None,
            apart: APART,
            warnings: Seldom::new(WARNINGS_APART),
        })
    }

    /// What others are to have.
    pub(super) fn told(&self) -> Buckets {
        self.told.clone()
    }

    /// Takes up something.
    pub(super) fn hear(&mut self, news: News, now: Moment) {
        match news {
            News::Look(path) => {
                for place in 0..self.lists.len() {
                    if self.lists[place].file.as_deref() == Some(&*path) {
                        self.look(place, false, now);
                    }
                }
            }
            News::Reread => {
                for place in 0..self.lists.len() {
                    self.look(place, true, now);
                }
            }
            News::Put {
                bucket,
                entry,
                lasts,
            } => self.put(&bucket, &entry, lasts, now),
        }
    }

    /// Does what is due. What others must hear of now, if there is something.
    pub(super) fn tick(&mut self, now: Moment) -> Option<Buckets> {
        for place in 0..self.lists.len() {
            if self.lists[place].is_unfinished(now) {
                self.look(place, false, now);
            }
            self.changed[place] |= self.lists[place].expire(now);
        }
        let silent = self.silent_until().is_some_and(|until| now < until);
        if silent || !self.changed.contains(&true) {
            return None;
        }
        for (list, changed) in self.lists.iter().zip(&mut self.changed) {
            if std::mem::take(changed) {
                self.told = self.told.with(&list.name, list.merged());
            }
        }
        let at_once = self
            .told_at
            .is_some_and(|at| now.since(at) <= 2 * self.apart);
        self.apart = match at_once {
            true => (2 * self.apart).min(LONGEST_APART),
            false => APART,
        };
        self.told_at = Some(now);
        Some(self.told.clone())
    }

    /// When [`Keeper::tick`] has something to do.
    pub(super) fn due(&self) -> Option<Moment> {
        let changed = self.changed.contains(&true);
        let telling = changed.then(|| self.silent_until().unwrap_or(Moment::ZERO));
        let lists = self.lists.iter().filter_map(List::due);
        lists.chain(telling).min()
    }

    fn silent_until(&self) -> Option<Moment> {
        self.told_at.map(|at| at.after(self.apart))
    }

    /// Writes to files what policies put in for good.
    pub(super) fn write(&mut self, now: Moment) {
        for list in &mut self.lists {
            if let Err(error) = list.write(now) {
                let file = list.file.as_deref().unwrap_or(Path::new("")).display();
                tracing::warn!(
                    bucket = &*list.name,
                    "what a policy put in for good cannot be written to {file}, and is kept until the \
                     host stops: {error}"
                );
            }
        }
    }

    /// For operators.
    pub(super) fn status(&self) -> Vec<BucketStatus> {
        self.lists.iter().map(List::status).collect()
    }

    fn look(&mut self, place: usize, insists: bool, now: Moment) {
        let list = &mut self.lists[place];
        if list.file.is_none() {
            return;
        }
        let looked = list.look(insists, now);
        let status = list.status();
        let (bucket, file) = (&*status.name, status.file.as_deref().unwrap_or_default());
        let result = match looked {
            Ok(Looked::Unfinished) => return,
            Ok(Looked::Same) => "unchanged",
            Ok(Looked::Changed) => {
                self.changed[place] = true;
                let entries = status.entries;
                tracing::info!(
                    bucket,
                    entries,
                    "{file} was read again, and is in force from now on"
                );
                "loaded"
            }
            Err(FileError::Missing) => {
                tracing::warn!(bucket, "{file} is gone: what the bucket had stays in force");
                "refused"
            }
            Err(error) => {
                tracing::warn!(
                    bucket,
                    "refused, what the bucket had stays in force: {file}{error}"
                );
                "refused"
            }
        };
        metrics::bucket_read(bucket, result);
    }

    fn put(&mut self, bucket: &str, entry: &str, lasts: Option<Duration>, now: Moment) {
        let place = self.lists.iter().position(|list| *list.name == *bucket);
        let Some(place) = place else {
            let problem = "the configuration has no such bucket";
            return self.left_out(bucket, "unknown-bucket", problem);
        };
        let entry = match Entry::parse(entry) {
            Ok(entry) => entry,
            Err(error) => {
                let problem = format!("\"{}\" {error}", Shown(entry));
                return self.left_out(bucket, "bad-entry", &problem);
            }
        };
        let list = &mut self.lists[place];
        match list.put(entry, lasts.map(|lasts| now.after(lasts))) {
            Ok(()) => {
                self.changed[place] = true;
                metrics::bucket_put("taken");
            }
            Err(NotPut::Known) => metrics::bucket_put("known"),
            Err(NotPut::Full) => {
                let problem = "it has as many entries as its max-entries allows";
                self.left_out(bucket, "full", problem);
            }
        }
    }

    fn left_out(&self, bucket: &str, result: &'static str, problem: &str) {
        metrics::bucket_put(result);
        if let Some(unsaid) = self.warnings.may_say(Instant::now()) {
            let bucket = Shown(bucket);
            tracing::warn!(%bucket, unsaid, "what a policy puts into a bucket is left out: {problem}");
        }
    }
}
