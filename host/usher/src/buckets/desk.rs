//! How everyone else reaches the buckets, and the thread that keeps them.

use super::keeper::{Keeper, News, OpenError};
use crate::admin::BucketStatus;
use crate::clock::Clock;
use crate::config;
use crate::metrics;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use std::{io, mem};
use usher_runtime::LiveBuckets;

/// How much may wait to be taken up. A policy that puts in more than that at once has some left out.
const WAITING: usize = 4_096;

/// Reaches the buckets from anywhere. Cheap to clone; ends the thread when the last one is gone.
#[derive(Clone)]
pub struct Desk {
    news: SyncSender<News>,
    live: LiveBuckets,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    status: Mutex<Vec<BucketStatus>>,
    /// Until the thread has it.
    kept: Mutex<Option<(Keeper, Receiver<News>)>>,
}

/// Reads every file, and makes what is in them be seen. Nothing is followed before [`keep`].
///
/// # Errors
///
/// Which file is no good.
pub fn open(configs: &[config::Bucket], clock: Clock) -> Result<Desk, OpenError> {
    let keeper = Keeper::open(configs, clock.now())?;
    let (news, heard) = sync_channel(WAITING);
    let live = LiveBuckets::default();
    live.replace(keeper.told());
    let shared = Shared {
        status: Mutex::new(keeper.status()),
        kept: Mutex::new(Some((keeper, heard))),
    };
    Ok(Desk {
        news,
        live,
        shared: Arc::new(shared),
    })
}

/// Starts the thread, unless it runs. Whenever buckets have changed and can be seen, `tell` is called.
///
/// # Errors
///
/// When the system has no thread.
pub fn keep(desk: &Desk, clock: Clock, tell: impl Fn() + Send + 'static) -> io::Result<()> {
    let Some((keeper, heard)) = mem::take(&mut *lock(&desk.shared.kept)) else {
        return Ok(());
    };
    let (live, shared) = (desk.live.clone(), desk.shared.clone());
    let run = move || run(keeper, &heard, clock, &live, &shared, tell);
    thread::Builder::new()
        .name("usher-buckets".to_owned())
        .spawn(run)?;
    Ok(())
}

impl Desk {
    /// The buckets as they can be seen at any moment.
    pub fn live(&self) -> LiveBuckets {
        self.live.clone()
    }

    /// The files that there are.
    pub fn files(&self) -> Vec<PathBuf> {
        let status = lock(&self.shared.status);
        let files = status.iter().filter_map(|bucket| bucket.file.as_ref());
        files.map(PathBuf::from).collect()
    }

    /// A file may have changed.
    pub fn look(&self, file: &Path) {
        // An error means that the thread is gone, and the host stops.
        let _ = self.news.send(News::Look(file.to_owned()));
    }

    /// Reads every file again, soon.
    pub fn reread(&self) {
        let _ = self.news.send(News::Reread);
    }

    /// Puts something in, for a while or for good. Never blocks: when too much waits it is left out, and
    /// counted.
    pub fn put(&self, bucket: Arc<str>, entry: Arc<str>, lasts: Option<Duration>) {
        let put = News::Put {
            bucket,
            entry,
            lasts,
        };
        if let Err(TrySendError::Full(_)) = self.news.try_send(put) {
            metrics::bucket_put("too-many");
        }
    }

    /// For operators.
    pub fn status(&self) -> Vec<BucketStatus> {
        lock(&self.shared.status).clone()
    }
}

fn run(
    mut keeper: Keeper,
    heard: &Receiver<News>,
    clock: Clock,
    live: &LiveBuckets,
    shared: &Shared,
    tell: impl Fn(),
) {
    /// Where nothing is due.
    const LONG: Duration = Duration::from_secs(24 * 60 * 60);
    loop {
        let due = keeper.due().map(|due| due.since(clock.now()));
        match heard.recv_timeout(due.unwrap_or(LONG).min(LONG)) {
            Ok(news) => keeper.hear(news, clock.now()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        // What came at once is one change.
        for news in heard.try_iter().take(WAITING) {
            keeper.hear(news, clock.now());
        }
        if let Some(buckets) = keeper.tick(clock.now()) {
            live.replace(buckets);
            tell();
        }
        keeper.write(clock.now());
        *lock(&shared.status) = keeper.status();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in them is replaced whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
