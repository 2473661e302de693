//! Log lines on their way out: whoever writes one goes on at once, whatever becomes of it.
//!
//! A pipe that nobody reads blocks who writes to it, a full disk refuses, and whoever logs here is the
//! core or a door, on which everyone's game waits. So a thread of its own writes, lines that find no
//! room are counted, and what cannot be written is lost like the rest of what nobody reads.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// The most that may wait, in bytes: some thousands of lines.
const WAITING: usize = 1 << 20;

/// How long lines are gathered after some were written: to be woken for each costs more than the line.
const GATHER: Duration = Duration::from_millis(5);

/// Where lines are put in. Each `write` is one line.
pub(super) struct Lines {
    to: Sender<Item>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: AtomicUsize,
    lost: AtomicU64,
}

enum Item {
    Line(Box<[u8]>),
    /// Dropped once everything before it is written.
    Mark(#[expect(dead_code, reason = "it is there to be dropped")] SyncSender<()>),
}

impl Lines {
    /// Starts the thread that writes to `out`. It says by `tell` how many lines were lost.
    ///
    /// # Errors
    ///
    /// The system has no thread to give.
    pub(super) fn start(
        out: impl Write + Send + 'static,
        tell: impl Fn(u64) + Send + 'static,
    ) -> io::Result<Arc<Lines>> {
        let (to, from) = channel();
        let shared = Arc::new(Shared::default());
        let lines = Arc::new(Lines {
            to,
            shared: shared.clone(),
        });
        thread::Builder::new()
            .name("usher-log".to_owned())
            .spawn(move || write_all(&from, &shared, out, tell))?;
        Ok(lines)
    }

    /// Waits until everything is written, but no longer than this.
    pub(super) fn flush(&self, within: Duration) {
        let (mark, passed) = sync_channel(0);
        if self.to.send(Item::Mark(mark)).is_ok() {
            let _ = passed.recv_timeout(within);
        }
    }
}

impl Write for &Lines {
    /// Never fails: there is nobody to tell.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let shared = &self.shared;
        let room = |waiting: usize| Some(waiting + line.len()).filter(|sum| *sum <= WAITING);
        let found = shared
            .waiting
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
        if found.is_err() || self.to.send(Item::Line(line.into())).is_err() {
            shared.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_all(from: &Receiver<Item>, shared: &Shared, mut out: impl Write, tell: impl Fn(u64)) {
    while let Ok(first) = from.recv() {
        let mut waited_for = false;
        for item in std::iter::once(first).chain(from.try_iter()) {
            let Item::Line(line) = item else {
                waited_for = true;
                continue;
            };
            // A reader that is gone, a disk that is full: there is no other place to say it.
            let _ = out.write_all(&line);
            shared.waiting.fetch_sub(line.len(), Ordering::Relaxed);
        }
        let lost = shared.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            tell(lost);
        }
        if !waited_for {
            thread::sleep(GATHER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    const LONG: Duration = Duration::from_secs(30);

    /// Refuses lines that begin with `!`, and stands still while it is locked.
    #[derive(Clone, Default)]
    struct Out {
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Out {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            if line.first() == Some(&b'!') {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.written.lock().unwrap().extend_from_slice(line);
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn say(lines: &Lines, line: &str) {
        let mut lines = lines;
        lines.write_all(line.as_bytes()).expect("it never fails");
    }

    #[test]
    fn lines_are_written_in_order_and_one_that_fails_stops_none() {
        let out = Out::default();
        let lines = Lines::start(out.clone(), |_| {}).expect("a thread");
        for line in ["a\n", "!\n", "b\n"] {
            say(&lines, line);
        }
        lines.flush(LONG);
        assert_eq!(*out.written.lock().unwrap(), b"a\nb\n");
    }

    #[test]
    fn who_logs_goes_on_when_nobody_reads_and_hears_later_what_was_lost() {
        let out = Out::default();
        let (tell, told) = channel();
        let lines = Lines::start(out.clone(), move |lost| {
            let _ = tell.send(lost);
        })
        .expect("a thread");
        let blocked = out.written.lock().unwrap();
        let line = "x".repeat(1023) + "\n";
        for _ in 0..WAITING / line.len() + 3 {
            say(&lines, &line);
        }
        drop(blocked);
        assert_eq!(told.recv_timeout(LONG), Ok(3));
        lines.flush(LONG);
        assert_eq!(out.written.lock().unwrap().len(), WAITING);
    }

    #[test]
    fn the_end_waits_for_a_log_that_stands_still_but_not_for_ever() {
        let out = Out::default();
        let lines = Lines::start(out.clone(), |_| {}).expect("a thread");
        let blocked = out.written.lock().unwrap();
        say(&lines, "a\n");
        lines.flush(Duration::from_millis(1));
        drop(blocked);
    }
}
