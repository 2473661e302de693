//! A host with an endpoint that does what a test says.

use super::super::endpoint::{Answer, Call, Calling, Chunk, Endpoint, Watch, Watching};
use super::super::state::Gate;
use super::super::{Host, Sdk};
use crate::config::{self, Lifecycle};
use crate::evidence::http::HttpError;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use usher_core::FactAnswer;

/// The wall clock of every test, in milliseconds.
pub(super) const NOW: u64 = 1_790_938_500_000;

/// What a call comes to.
pub(super) enum Reply {
    Status(u16, String),
    After(Duration, Box<Reply>),
    Error(HttpError),
    Never,
}

/// An answer that says nothing and means that it went well.
pub(super) fn ok() -> Reply {
    Reply::Status(200, "{}".to_owned())
}

impl Reply {
    pub(super) fn after(self, millis: u64) -> Reply {
        Reply::After(Duration::from_millis(millis), Box::new(self))
    }
}

type Answers = Box<dyn FnMut(&Call, usize) -> Reply + Send>;
type Piece = Result<Vec<u8>, HttpError>;

/// The endpoint.
pub(super) struct Script {
    start: Instant,
    inner: Mutex<Inner>,
}

struct Inner {
    calls: Vec<(u64, Call)>,
    /// When the watch stream was opened, or was tried to be.
    watches: Vec<u64>,
    answers: Answers,
    /// What the game server is shown as; nothing where it is not shown.
    view: Option<Value>,
    /// Whether reading it comes to what a test says, as other calls do.
    reads_are_scripted: bool,
    /// What opening the watch stream comes to.
    watchable: Result<u16, HttpError>,
    stream: Option<mpsc::UnboundedSender<Piece>>,
}

/// A game server in this state, with this allocation if the id is not empty.
pub(super) fn view(state: &str, id: &str) -> Value {
    let mut annotations = json!({});
    if !id.is_empty() {
        annotations["pingcore.io/allocation-id"] = json!(id);
        annotations["pingcore.io/allocation-context"] = json!("{}");
    }
    json!({"object_meta": {"annotations": annotations}, "status": {"state": state}})
}

impl Script {
    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    fn now(&self) -> u64 {
        millis(self.start.elapsed())
    }

    /// What calls come to from now on. A call's number counts those like it, from 0.
    pub(super) fn answer(&self, answers: impl FnMut(&Call, usize) -> Reply + Send + 'static) {
        self.lock().answers = Box::new(answers);
    }

    /// Shows the game server from now on, on the stream too.
    pub(super) fn show(&self, state: &str, id: &str) {
        let view = view(state, id);
        self.say(&format!("{}\n", json!({ "result": view })));
        self.lock().view = Some(view);
    }

    /// Says something on the watch stream.
    pub(super) fn say(&self, text: &str) {
        if let Some(stream) = &self.lock().stream {
            let _ = stream.send(Ok(text.as_bytes().to_vec()));
        }
    }

    /// Ends the watch stream. Opening it comes to this from now on.
    pub(super) fn hang_up(&self, watchable: Result<u16, HttpError>) {
        let mut inner = self.lock();
        inner.stream = None;
        inner.watchable = watchable;
    }

    /// Has reads of the game server answered as other calls are. The stream shows it all the same.
    pub(super) fn script_reads(&self) {
        self.lock().reads_are_scripted = true;
    }

    /// Shows nothing any more to who opens the stream or reads the game server.
    pub(super) fn show_nothing(&self) {
        self.lock().view = None;
    }

    /// The moments in milliseconds of calls like this one, by its word.
    pub(super) fn times(&self, word: &str) -> Vec<u64> {
        let inner = self.lock();
        let like = inner.calls.iter().filter(|(_, call)| call.word() == word);
        like.map(|(at, _)| *at).collect()
    }

    /// The calls that write.
    pub(super) fn writes(&self) -> Vec<Call> {
        let inner = self.lock();
        let calls = inner.calls.iter().map(|(_, call)| call.clone());
        calls.filter(|call| call.method() != "GET").collect()
    }

    /// The moments at which the watch stream was opened.
    pub(super) fn watches(&self) -> Vec<u64> {
        self.lock().watches.clone()
    }

    fn reply(&self, call: Call) -> Reply {
        let at = self.now();
        let mut inner = self.lock();
        let like = inner
            .calls
            .iter()
            .filter(|(_, before)| before.word() == call.word());
        let number = like.count();
        let reply = match (&call, &inner.view) {
            _ if inner.reads_are_scripted => (inner.answers)(&call, number),
            (Call::GameServer, Some(view)) => Reply::Status(200, view.to_string()),
            (Call::GameServer, None) => Reply::Error(HttpError::Unreachable),
            _ => (inner.answers)(&call, number),
        };
        inner.calls.push((at, call));
        reply
    }
}

struct Scripted(Arc<Script>);

impl Endpoint for Scripted {
    fn call(&self, call: Call) -> Calling {
        let script = self.0.clone();
        Box::pin(async move {
            let mut reply = script.reply(call);
            loop {
                match reply {
                    Reply::Status(status, body) => {
                        let body = body.into_bytes();
                        return Ok(Answer { status, body });
                    }
                    Reply::After(wait, then) => {
                        sleep(wait).await;
                        reply = *then;
                    }
                    Reply::Error(error) => return Err(error),
                    Reply::Never => {
                        // As the real one does.
                        sleep(Duration::from_secs(5)).await;
                        return Err(HttpError::TimedOut);
                    }
                }
            }
        })
    }

    fn watch(&self) -> Watching {
        let script = self.0.clone();
        Box::pin(async move {
            let at = script.now();
            let mut inner = script.lock();
            inner.watches.push(at);
            let status = inner.watchable?;
            let (to, from) = mpsc::unbounded_channel();
            if let Some(view) = &inner.view {
                let line = format!("{}\n", json!({ "result": view }));
                let _ = to.send(Ok(line.into_bytes()));
            }
            inner.stream = Some(to);
            Ok(Box::new(Scroll { status, from }) as Box<dyn Watch>)
        })
    }
}

struct Scroll {
    status: u16,
    from: mpsc::UnboundedReceiver<Piece>,
}

impl Watch for Scroll {
    fn status(&self) -> u16 {
        self.status
    }

    fn chunk(&mut self) -> Chunk<'_> {
        Box::pin(async { self.from.recv().await.transpose() })
    }
}

/// Notes what is done to the door.
#[derive(Clone, Default)]
pub(super) struct Noted(Arc<Mutex<Vec<&'static str>>>);

impl Noted {
    /// All that was done.
    pub(super) fn all(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

impl Gate for Noted {
    fn close(&self) {
        self.0.lock().unwrap().push("close");
    }

    fn open(&self) {
        self.0.lock().unwrap().push("open");
    }
}

/// A host, and its endpoint.
pub(super) struct Stage {
    pub(super) script: Arc<Script>,
    pub(super) sdk: Arc<Sdk>,
    pub(super) players: watch::Sender<u32>,
    gate: Noted,
    _parts: JoinSet<()>,
}

impl Stage {
    /// A host that has just started, with an endpoint that shows nothing yet.
    pub(super) fn starting(lifecycle: Lifecycle) -> Stage {
        let start = Instant::now();
        let script = Arc::new(Script {
            start,
            inner: Mutex::new(Inner {
                calls: Vec::new(),
                watches: Vec::new(),
                answers: Box::new(|_, _| ok()),
                view: None,
                reads_are_scripted: false,
                watchable: Ok(200),
                stream: None,
            }),
        });
        let players = watch::Sender::new(0);
        let gate = Noted::default();
        let mut parts = JoinSet::new();
        let settings = config::Sdk {
            lifecycle,
            ..config::Sdk::default()
        };
        let host = Host {
            endpoint: Box::new(Scripted(script.clone())),
            gate: Box::new(gate.clone()),
            players: players.subscribe(),
            claims: false,
            wall: || NOW,
        };
        let sdk = Sdk::begin(&settings, host, &mut parts);
        Stage {
            script,
            sdk,
            players,
            gate,
            _parts: parts,
        }
    }

    /// A host that only reads, and knows the game server.
    pub(super) async fn new(state: &str, id: &str) -> Stage {
        Stage::with(Lifecycle::Game, state, id).await
    }

    pub(super) async fn with(lifecycle: Lifecycle, state: &str, id: &str) -> Stage {
        let stage = Stage::starting(lifecycle);
        stage.script.show(state, id);
        let shared = &stage.sdk.shared;
        let watching = shared.until(Duration::from_secs(1), |state| state.watching);
        assert!(watching.await, "the game server was shown");
        assert_eq!(stage.now(), 0, "nothing waits where everything is there");
        stage
    }

    /// Milliseconds since the start.
    pub(super) fn now(&self) -> u64 {
        self.script.now()
    }

    /// Lets time pass, to this many milliseconds after the start.
    pub(super) async fn at(&self, millis: u64) {
        let wait = Duration::from_millis(millis.saturating_sub(self.now()));
        sleep(wait).await;
        // Those that wake at the same moment come before this one.
        self.settle().await;
    }

    /// Lets everyone do what can be done without time.
    pub(super) async fn settle(&self) {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }

    /// Shows the game server, and waits until that is known.
    pub(super) async fn show(&self, state: &str, id: &str) {
        self.script.show(state, id);
        self.settle().await;
    }

    pub(super) fn state(&self) -> &'static str {
        self.sdk.status().state
    }

    /// What was done to the door.
    pub(super) fn gate(&self) -> Vec<&'static str> {
        self.gate.all()
    }

    /// The current allocation, as policies are told; nothing where they are told that nothing is known.
    pub(super) fn allocation(&self) -> Option<Value> {
        found(&self.sdk.allocation())
    }
}

/// What was found, if anything was.
pub(super) fn found(answer: &FactAnswer) -> Option<Value> {
    match answer {
        FactAnswer::Found(json) => Some(serde_json::from_slice(json).unwrap()),
        FactAnswer::Missing | FactAnswer::Unavailable(_) => None,
    }
}

pub(super) fn is_unavailable(answer: &FactAnswer) -> bool {
    matches!(answer, FactAnswer::Unavailable(_))
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap()
}
