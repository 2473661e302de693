//! How many sockets the host needs while a run lasts. Looked at often, since what is in flight is so for some
//! 200 ms.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::super::super::meter;

/// How often it is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// The most there ever were.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sockets {
    /// Open files of the host; but for a few dozen, they are its sockets.
    pub(super) most: u64,
    /// Connections of the whole machine that are closed and keep their ports for a minute.
    pub(super) most_time_wait: u64,
}

impl Sockets {
    /// For people.
    pub(super) fn sentence(&self) -> String {
        format!(
            "the host had {} sockets and files open at most; {} closed connections of this machine waited out \
             their time",
            self.most, self.most_time_wait
        )
    }
}

/// Somebody who looks.
pub(super) struct Watching {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Sockets>,
}

/// Begins to look at a process.
pub(super) fn watch(process: u32) -> Watching {
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    let thread = thread::spawn(move || {
        let mut sockets = Sockets::default();
        while !told.load(Ordering::Relaxed) {
            // A process that has ended is found out elsewhere.
            let open = meter::open_files(process).unwrap_or(0);
            sockets.most = sockets.most.max(open);
            sockets.most_time_wait = sockets.most_time_wait.max(meter::time_wait());
            thread::sleep(PAUSE);
        }
        sockets
    });
    Watching { stop, thread }
}

impl Watching {
    /// The most there ever were until now.
    pub(super) fn end(self) -> Sockets {
        self.stop.store(true, Ordering::Relaxed);
        // It does nothing that could panic.
        self.thread.join().unwrap_or_default()
    }
}
