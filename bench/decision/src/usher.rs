//! Our side: the rule as a module, asked through the whole runtime, by a policy worker.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use usher_bench_rule::{Calls, Side, Verdict, World, requests};
use usher_core::{Core, RequestData, Snapshot};
use usher_runtime::{
    Bucket, Buckets, Engine, EngineConfig, Entry, Job, LiveBuckets, Policies, Reply, SlotConfig,
    SlotSettings, Source,
};

use crate::asks::{self, Shared};
use crate::seated;

/// The ask that comes before a batch: its reply holds the worker up until the batch is there, so that
/// handing over is not measured, and nothing waits for anybody.
const GATE: u64 = 0;

/// The side.
pub(crate) struct Usher {
    policies: Policies,
    snapshot: Arc<Snapshot>,
    shared: Shared,
    /// With how many players each host seats.
    requests: Vec<(Arc<RequestData>, u32)>,
    worker: Arc<Worker>,
    open: Sender<()>,
    done: Receiver<()>,
    /// Its ledger is what the module sees.
    _core: Core,
}

/// What happens on the worker's thread.
struct Worker {
    batch: Mutex<Batch>,
    gate: Mutex<Receiver<()>>,
    done: Mutex<Sender<()>>,
}

#[derive(Default)]
struct Batch {
    calls: Calls,
    left: usize,
    kept: Option<Reply>,
}

impl Usher {
    /// Loads the module; `fresh`: every call has an instance of its own.
    pub(crate) fn start(module: &str, fresh: bool) -> Result<Usher, String> {
        let cases = requests();
        let first = cases.first().ok_or("there are no requests")?;
        let shared = Shared::new(&first.request);
        let data = cases.iter().map(|case| {
            let data = shared.data(&case.request)?;
            Ok((Arc::new(data), case.request.max_players))
        });
        let requests = data.collect::<Result<Vec<_>, String>>()?;
        let core = seated::core(World::seats_taken());
        let (open, gate) = channel();
        let (done_sender, done) = channel();
        let worker = Arc::new(Worker {
            batch: Mutex::default(),
            gate: Mutex::new(gate),
            done: Mutex::new(done_sender),
        });
        let config = EngineConfig {
            fresh_instances: fresh,
            ..EngineConfig::default()
        };
        let engine = Engine::new(config).map_err(|error| error.to_string())?;
        let replies = Arc::clone(&worker);
        let policies = Policies::start(
            engine,
            vec![slot(module)],
            core.taken_view(),
            buckets()?,
            NonZeroUsize::MIN,
            Arc::new(asks::now),
            move |reply| replies.reply(reply),
        );
        let policies = policies.map_err(|failure| failure.to_string())?;
        let snapshot = Arc::new(Snapshot {
            pin: policies.pin(),
            ..Snapshot::none()
        });
        Ok(Usher {
            policies,
            snapshot,
            shared,
            requests,
            worker,
            open,
            done,
            _core: core,
        })
    }

    fn submit(&self, id: u64, index: usize) {
        let (data, max_players) = &self.requests[index];
        let ask = self.shared.ask(id, data, *max_players, &self.snapshot);
        self.policies.submit(Job::Ask(Box::new(ask)));
    }

    /// Has the worker make these decisions in one go.
    fn decide(&self, indices: Range<usize>) {
        self.worker.batch().left = indices.len();
        self.submit(GATE, 0);
        for index in indices {
            self.submit(GATE + 1 + index as u64, index);
        }
        // The worker lives as long as the policies: neither end of either channel is gone.
        let there = "the worker is there";
        self.open.send(()).expect(there);
        self.done.recv().expect(there);
    }
}

impl Side for Usher {
    fn verdict(&mut self, index: usize) -> Verdict {
        self.decide(index..index + 1);
        let decided = match self.worker.batch().kept.take() {
            Some(Reply::Answer(answer)) => match answer.result {
                Ok(verdict) => asks::verdict(verdict.decision),
                Err(fault) => Err(fault.message.to_string()),
            },
            other => Err(format!("no answer: {other:?}")),
        };
        // To be shown beside the right one.
        decided.unwrap_or_else(|problem| Verdict::reject("problem", &problem))
    }

    fn batch(&mut self, when: &mut Calls) {
        self.worker.batch().calls = std::mem::take(when);
        self.decide(0..self.requests.len());
        *when = std::mem::take(&mut self.worker.batch().calls);
    }
}

impl Worker {
    fn reply(&self, reply: Reply) {
        let Reply::Answer(answer) = &reply else {
            return;
        };
        if answer.ask.0 == GATE {
            let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
            // An error is the end: nobody waits any more.
            let _ = gate.recv();
            self.batch().calls.mark(false);
            return;
        }
        let mut batch = self.batch();
        batch.left -= 1;
        let last = batch.left == 0;
        // What it replaces is dropped here, as the core would drop it.
        batch.kept = Some(reply);
        batch.calls.mark(last);
        drop(batch);
        if last {
            let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = done.send(());
        }
    }

    fn batch(&self) -> MutexGuard<'_, Batch> {
        // Whatever panicked has lost the measurement anyway.
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn slot(module: &str) -> SlotConfig {
    SlotConfig {
        name: "rule".into(),
        source: Source::File(module.into()),
        settings: SlotSettings {
            deadline: Duration::from_millis(20),
            ..SlotSettings::default()
        },
    }
}

fn buckets() -> Result<LiveBuckets, String> {
    let mut bans = Bucket::default();
    for (name, note) in World::banned() {
        let entry = Entry::parse(&name).map_err(|error| error.to_string())?;
        bans.insert(entry, note.into());
    }
    let live = LiveBuckets::default();
    live.replace(Buckets::default().with(&"bans".into(), bans.into()));
    Ok(live)
}
