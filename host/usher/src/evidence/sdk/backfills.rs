//! Waits for a backfill, with one read at a time for all who wait.

use super::backfill::{Backfill, choose, read};
use super::endpoint::Call;
use super::state::Shared;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use usher_core::{FactAnswer, Wanted};

/// How long a backfill may take to arrive.
const WINDOW: Duration = Duration::from_secs(5);

/// How far apart reads begin, at least.
const TICK: Duration = Duration::from_millis(500);

/// How long a read that was under way at the end of the window may take.
const AT_LAST: Duration = Duration::from_secs(1);

/// The reads of the list, shared by all who wait for a backfill.
pub(super) struct Backfills {
    shared: Arc<Shared>,
    reads: watch::Sender<Reads>,
}

#[derive(Default)]
struct Reads {
    waiting: usize,
    /// Whether a task reads.
    running: bool,
    under_way: bool,
    /// When the next read may begin.
    next_at: Option<Instant>,
    /// How many reads there were.
    number: u64,
    /// The last one, for as long as someone may go by it.
    last: Option<Read>,
}

/// What was read.
#[derive(Clone)]
struct Read {
    number: u64,
    began: Instant,
    /// How many views of the game server had come when it began: each change brings one.
    views: u64,
    list: Arc<Result<Vec<Backfill>, &'static str>>,
}

impl Backfills {
    pub(super) fn new(shared: Arc<Shared>) -> Backfills {
        Backfills {
            shared,
            reads: watch::Sender::default(),
        }
    }

    /// Waits for a backfill with this id that joins the current allocation. At the end of the window it is
    /// one that joins another, if there is any.
    pub(super) async fn wait_for(self: &Arc<Self>, id: &str, wanted: &Wanted) -> FactAnswer {
        let began = Instant::now();
        let end = began + WINDOW;
        let _waiting = Waiting::new(self.clone());
        let mut reads = self.reads.subscribe();
        let mut seen: Option<Read> = None;
        while wanted.still() {
            let last = reads.borrow_and_update().last.clone();
            let is_next = |read: &Read| seen.as_ref().is_none_or(|seen| seen.number < read.number);
            if let Some(read) = last.filter(|read| is_next(read) && self.counts_for(read, began)) {
                if let Some(found) = self.joining(&read, id) {
                    return FactAnswer::Found(found.into());
                }
                // One that began before can only help: it says nothing of what came since.
                if read.began >= began {
                    seen = Some(read);
                }
            }
            tokio::select! {
                // The sender is in this value, so it is never gone.
                _ = reads.changed() => {}
                () = sleep_until(end) => break,
            }
        }
        self.at_last(id, reads, seen).await
    }

    /// Whether someone who came then can go by a read: it began later, or nothing has changed since.
    fn counts_for(&self, read: &Read, came: Instant) -> bool {
        let views = self.shared.read(|state| state.tracking.counts().views);
        read.began >= came || (read.views == views && came.duration_since(read.began) < TICK)
    }

    fn joining(&self, read: &Read, id: &str) -> Option<Vec<u8>> {
        let list = (*read.list).as_ref().ok()?;
        self.shared.read(|state| {
            let current = state.tracking.open().map(|it| &*it.id);
            let chosen = choose(list, id, current).filter(|(_, joins)| *joins);
            chosen.map(|(backfill, _)| backfill.to_json())
        })
    }

    /// The end of the window: what the last read says, which may be under way.
    async fn at_last(
        &self,
        id: &str,
        mut reads: watch::Receiver<Reads>,
        seen: Option<Read>,
    ) -> FactAnswer {
        let now = Instant::now();
        let settled = |reads: &Reads| !reads.under_way && reads.next_at.is_none_or(|at| at > now);
        let last = match timeout(AT_LAST, reads.wait_for(settled)).await {
            Ok(Ok(reads)) => reads.last.clone(),
            _ => None,
        };
        let Some(read) = last.or(seen) else {
            let why = "the local SDK endpoint does not answer";
            return FactAnswer::Unavailable(why.into());
        };
        if let Some(found) = self.joining(&read, id) {
            return FactAnswer::Found(found.into());
        }
        match &*read.list {
            Err(why) => FactAnswer::Unavailable((*why).into()),
            Ok(list) => match choose(list, id, None) {
                Some((backfill, _)) => FactAnswer::Found(backfill.to_json().into()),
                None => FactAnswer::Missing,
            },
        }
    }
}

/// Someone who waits. While there is one, the list is read at every tick.
struct Waiting(Arc<Backfills>);

impl Waiting {
    fn new(backfills: Arc<Backfills>) -> Waiting {
        let start = backfills.reads.send_if_modified(|reads| {
            reads.waiting += 1;
            !std::mem::replace(&mut reads.running, true)
        });
        if start {
            tokio::spawn(read_on(backfills.clone()));
        }
        Waiting(backfills)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // A read that is under way goes on: others may wait for it.
        self.0.reads.send_if_modified(|reads| {
            reads.waiting -= 1;
            false
        });
    }
}

/// Reads the list at every tick for as long as someone waits.
async fn read_on(backfills: Arc<Backfills>) {
    let reads = &backfills.reads;
    loop {
        let next_at = reads.borrow().next_at;
        if let Some(next_at) = next_at {
            sleep_until(next_at).await;
        }
        let began = Instant::now();
        let wanted = reads.send_if_modified(|reads| {
            reads.running = reads.waiting > 0;
            reads.under_way = reads.running;
            match reads.running {
                true => reads.next_at = Some(began + TICK),
                // It may be large, and it is too old for anyone.
                false => reads.last = None,
            }
            reads.running
        });
        if !wanted {
            return;
        }
        let views = backfills.shared.read(|state| state.tracking.counts().views);
        let answer = backfills.shared.call(Call::Backfills).await;
        let came = answer.is_ok();
        let list = read(answer);
        if let (true, Err(why)) = (came, &list) {
            backfills.shared.failed(format!("backfills: {why}"));
        }
        let list = Arc::new(list);
        reads.send_modify(|reads| {
            reads.under_way = false;
            reads.number += 1;
            reads.last = Some(Read {
                number: reads.number,
                began,
                views,
                list,
            });
        });
    }
}
