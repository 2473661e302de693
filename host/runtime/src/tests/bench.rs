//! What the tests stand on: modules, an engine, and policies whose replies come through a channel.

use crate::*;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use usher_core::*;

/// How long a test waits for what must come.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// How long calls may run in tests: far longer than an innocent one takes on a busy machine.
pub(super) const DEADLINE: Duration = Duration::from_millis(500);
/// The moment at which benches begin.
pub(super) const BEGIN: u64 = 1_700_000_000_000;

/// The file of a compiled module.
pub(super) fn module_file(name: &str) -> PathBuf {
    let root = std::env::var_os("USHER_MODULES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/modules"),
        PathBuf::from,
    );
    let file = format!("{name}.wasm");
    let mut places = [root.join("test").join(&file), root.join(&file)].into_iter();
    places
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{file} is not in {root:?}: run `cargo xtask wasm` first"))
}

/// The bytes of a compiled module.
pub(super) fn module(name: &str) -> Vec<u8> {
    std::fs::read(module_file(name)).expect("a readable module")
}

/// One engine for all tests, as in a host.
pub(super) fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Engine::new(EngineConfig::default()).expect("an engine"));
    Arc::clone(engine)
}

/// Time that only moves when it is told to.
#[derive(Clone)]
pub(super) struct TestClock(Arc<AtomicU64>);

impl TestClock {
    pub(super) fn new() -> TestClock {
        TestClock(Arc::new(AtomicU64::new(BEGIN)))
    }

    pub(super) fn advance(&self, by: Duration) {
        let millis = u64::try_from(by.as_millis()).expect("a short time");
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    pub(super) fn clock(&self) -> Clock {
        let millis = Arc::clone(&self.0);
        Arc::new(move || Moment::from_millis(millis.load(Ordering::SeqCst)))
    }
}

/// Settings without params.
pub(super) fn settings() -> SlotSettings {
    SlotSettings {
        deadline: DEADLINE,
        ..SlotSettings::default()
    }
}

/// Policies under test.
pub(super) struct Bench {
    pub(super) policies: Policies,
    pub(super) replies: Receiver<Reply>,
    pub(super) clock: TestClock,
}

impl Bench {
    /// One slot `p` with a module, and two workers.
    pub(super) fn new(source: Source) -> Bench {
        Bench::with(source, settings(), 2)
    }

    /// One slot `p` with a module that was built.
    pub(super) fn of(name: &str) -> Bench {
        Bench::new(Source::File(module_file(name)))
    }

    pub(super) fn with(source: Source, settings: SlotSettings, workers: usize) -> Bench {
        Bench::on(engine(), source, settings, workers)
    }

    /// The same, with a ledger to see.
    pub(super) fn seeing(taken: TakenView, name: &str) -> Bench {
        let source = Source::File(module_file(name));
        let sees = (taken, LiveBuckets::default());
        Bench::all(engine(), source, settings(), 2, sees)
    }

    /// The same, with buckets to look into.
    pub(super) fn listing(buckets: LiveBuckets, name: &str, settings: SlotSettings) -> Bench {
        let source = Source::File(module_file(name));
        let sees = (TakenView::default(), buckets);
        Bench::all(engine(), source, settings, 2, sees)
    }

    pub(super) fn on(
        engine: Arc<Engine>,
        source: Source,
        settings: SlotSettings,
        workers: usize,
    ) -> Bench {
        let sees = (TakenView::default(), LiveBuckets::default());
        Bench::all(engine, source, settings, workers, sees)
    }

    fn all(
        engine: Arc<Engine>,
        source: Source,
        settings: SlotSettings,
        workers: usize,
        (taken, buckets): (TakenView, LiveBuckets),
    ) -> Bench {
        let slot = SlotConfig {
            name: "p".into(),
            source,
            settings,
        };
        let clock = TestClock::new();
        let (reply, replies) = channel();
        let policies = Policies::start(
            engine,
            vec![slot],
            taken,
            buckets,
            NonZeroUsize::new(workers).expect("a worker"),
            clock.clock(),
            move |given| drop(reply.send(given)),
        );
        Bench {
            policies: policies.unwrap_or_else(|failure| panic!("{failure}")),
            replies,
            clock,
        }
    }

    /// The rules of now.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::new(Snapshot {
            pin: self.policies.pin(),
            ..Snapshot::none()
        })
    }

    /// An ask about a player of this name, by the rules of now.
    pub(super) fn ask(&self, name: &str) -> Ask {
        Ask {
            snapshot: self.snapshot(),
            now: Moment::from_millis(BEGIN),
            ..sample::ask(name)
        }
    }

    pub(super) fn reply(&self) -> Reply {
        self.replies.recv_timeout(PATIENCE).expect("a reply")
    }

    pub(super) fn answer_to(&self, ask: Ask) -> Answer {
        self.policies.submit(Job::Ask(Box::new(ask)));
        match self.reply() {
            Reply::Answer(answer) => answer,
            other => panic!("no answer: {other:?}"),
        }
    }

    /// What comes of asking about a player of this name.
    pub(super) fn answer(&self, name: &str) -> Answer {
        self.answer_to(self.ask(name))
    }

    pub(super) fn fault(&self, name: &str) -> Fault {
        let answer = self.answer(name);
        answer.result.expect_err("a fault")
    }

    /// The only option of an acceptance.
    pub(super) fn accepted(&self, name: &str) -> Admission {
        accepted(self.answer(name))
    }

    pub(super) fn status(&self) -> SlotStatus {
        self.policies.status().remove(0)
    }
}

/// The first option of an acceptance.
pub(super) fn accepted(answer: Answer) -> Admission {
    match answer.result.map(|verdict| verdict.decision) {
        Ok(Decision::Accept(mut acceptance)) => acceptance.options.remove(0),
        other => panic!("not accepted: {other:?}"),
    }
}

/// A directory of a test's own, with a module in it.
pub(super) struct Place {
    pub(super) directory: tempfile::TempDir,
}

impl Place {
    pub(super) fn new() -> Place {
        Place {
            directory: tempfile::tempdir().expect("a directory"),
        }
    }

    /// A path in it.
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Puts bytes at a path by renaming over it.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let (path, beside) = (self.at(name), self.at("unfinished"));
        std::fs::write(&beside, bytes).expect("a file");
        std::fs::rename(&beside, &path).expect("a rename");
        path
    }
}
