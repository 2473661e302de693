//! Follows the game server: reads it once, then watches it for as long as the host runs.

use super::backoff::Backoff;
use super::endpoint::{Call, Watch};
use super::lines::Lines;
use super::state::{Shared, State};
use super::view;
use crate::evidence::http::HttpError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How often the game server is read before the endpoint is given up for now.
const READS: u32 = 30;

/// How far apart these reads begin.
const APART: Duration = Duration::from_secs(1);

/// How many streams in a row may fail before the endpoint counts as gone.
const FAILURES: u32 = 3;

/// How long a stream may be open without showing the game server.
const FIRST_VIEW: Duration = Duration::from_secs(10);

/// How long a stream says nothing before the game server is read, to see whether anyone is there. Nothing need
/// change for hours, and an endpoint that is frozen does not close its connections.
const SILENCE: Duration = Duration::from_secs(10);

/// How many bytes of a stream are taken up in a second. Far more than any game server has to say; more would
/// only keep this host busy.
const BYTES_A_SECOND: usize = 16 * 1024 * 1024;

/// How many lines of a stream are taken up in a second, at least.
const LINES_A_SECOND: usize = 1000;

/// Follows the game server.
pub(super) async fn follow(shared: Arc<Shared>) {
    // Who shows something on the stream need not be read, so a read that fails holds nothing up.
    let stream = Notify::new();
    let watching = async {
        stream.notified().await;
        watch_on(&shared).await;
    };
    tokio::join!(read_first(&shared, &stream), watching);
}

async fn watch_on(shared: &Shared) {
    let mut backoff = Backoff::default();
    let mut failures = 0_u32;
    loop {
        let mut showed = false;
        let why = watch(shared, &mut showed).await;
        shared.failed(format!("watch: {why}"));
        shared.change(|state| state.watching = false);
        match showed {
            true => (backoff, failures) = (Backoff::default(), 0),
            false => failures = failures.saturating_add(1),
        }
        // Before the first view the reads say when.
        if failures == FAILURES && shared.read(is_known) {
            shared.lost();
        }
        sleep(backoff.next()).await;
        shared.reconnecting();
    }
}

fn is_known(state: &State) -> bool {
    state.tracking.counts().views > 0
}

/// Reads the game server, again and again until it is there. Says when the stream may be opened: once it is, or
/// something else is there.
async fn read_first(shared: &Shared, stream: &Notify) {
    for _ in 0..READS {
        let began = Instant::now();
        let answer = shared.call(Call::GameServer).await;
        if shared.read(is_known) {
            return;
        }
        match answer {
            Ok(answer) if answer.status == 200 => match view::game_server(&answer.body) {
                Ok(view) => {
                    shared.take(&view);
                    return stream.notify_one();
                }
                Err(error) => {
                    shared.failed(format!("gameserver: {error}"));
                    stream.notify_one();
                }
            },
            Err(HttpError::Unreachable) => {}
            Ok(_) | Err(_) => stream.notify_one(),
        }
        sleep_until(began + APART).await;
        if shared.read(is_known) {
            return;
        }
    }
    shared.lost();
    stream.notify_one();
}

/// Watches until the stream ends. Says why it did.
async fn watch(shared: &Shared, showed: &mut bool) -> String {
    let mut watch = match shared.endpoint().watch().await {
        Ok(watch) if watch.status() == 200 => watch,
        Ok(watch) => return format!("status {}", watch.status()),
        Err(error) => return error.to_string(),
    };
    let mut lines = Lines::default();
    let mut pace = Pace::new();
    let first_by = Instant::now() + FIRST_VIEW;
    loop {
        let chunk = match next(shared, &mut *watch, first_by, *showed).await {
            Ok(chunk) => chunk,
            Err(why) => return why.to_owned(),
        };
        let bytes = match chunk {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return "it ended".to_owned(),
            Err(error) => return error.to_string(),
        };
        let mut taken = 0;
        let take = |line: &[u8]| {
            taken += 1;
            // A line that is no view may be of a later version. What it says is nothing to us.
            if let Ok(view) = view::frame(line) {
                *showed = true;
                shared.watched(&view);
            }
        };
        if let Err(error) = lines.push(&bytes, take) {
            return error.to_string();
        }
        pace.took(bytes.len(), taken).await;
    }
}

type Chunk = Result<Option<Vec<u8>>, HttpError>;

/// The next bytes; an error where none are to be expected any more.
async fn next(
    shared: &Shared,
    watch: &mut dyn Watch,
    first_by: Instant,
    showed: bool,
) -> Result<Chunk, &'static str> {
    if !showed {
        let left = first_by.saturating_duration_since(Instant::now());
        let chunk = timeout(left, watch.chunk()).await;
        return chunk.map_err(|_| "nothing was shown in time");
    }
    tokio::select! {
        biased;
        chunk = watch.chunk() => Ok(chunk),
        () = nobody_is_there(shared) => Err("it says nothing, and nobody answers"),
    }
}

/// Ends once the endpoint does not answer.
async fn nobody_is_there(shared: &Shared) {
    loop {
        sleep(SILENCE).await;
        if shared.call(Call::GameServer).await.is_err() {
            return;
        }
    }
}

/// Takes no more of a stream than is sensible, so that one that never stops cannot keep the host busy.
struct Pace {
    since: Instant,
    bytes: usize,
    lines: usize,
}

impl Pace {
    fn new() -> Pace {
        Pace {
            since: Instant::now(),
            bytes: 0,
            lines: 0,
        }
    }

    async fn took(&mut self, bytes: usize, lines: usize) {
        const SECOND: Duration = Duration::from_secs(1);
        if self.since.elapsed() >= SECOND {
            *self = Pace::new();
        }
        self.bytes += bytes;
        self.lines += lines;
        if self.bytes > BYTES_A_SECOND || self.lines > LINES_A_SECOND {
            sleep_until(self.since + SECOND).await;
            *self = Pace::new();
        }
    }
}
