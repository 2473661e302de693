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

/// Lines are written together up to about this many bytes.
const TOGETHER: usize = 64 << 10;

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
    Mark(SyncSender<()>),
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
    let mut text = Vec::new();
    while let Ok(first) = from.recv() {
        let mut marks = Vec::new();
        for item in std::iter::once(first).chain(from.try_iter()) {
            match item {
                Item::Line(line) => text.extend_from_slice(&line),
                Item::Mark(mark) => marks.push(mark),
            }
            if text.len() >= TOGETHER {
                break;
            }
        }
        write(&mut out, &text);
        shared.waiting.fetch_sub(text.len(), Ordering::Relaxed);
        let whole = text.len() >= TOGETHER;
        text.clear();
        let lost = shared.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            tell(lost);
        }
        if marks.is_empty() && !whole {
            thread::sleep(GATHER);
        }
    }
}

/// Writes lines. What is left of one that fails is left out.
fn write(out: &mut impl Write, mut lines: &[u8]) {
    while !lines.is_empty() {
        let taken = match out.write(lines) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            // A reader that is gone, a disk that is full: there is no other place to say it.
            Ok(0) | Err(_) => {
                let end = lines.iter().position(|byte| *byte == b'\n');
                end.map_or(lines.len(), |end| end + 1)
            }
            Ok(written) => written,
        };
        lines = lines.get(taken..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    const LONG: Duration = Duration::from_secs(30);

    /// Takes a line at a time, refuses those that begin with `!`, and stands still while it is locked.
    #[derive(Clone, Default)]
    struct Out {
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Out {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            if line.first() == Some(&b'!') {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let end = line.iter().position(|byte| *byte == b'\n');
            let line = &line[..end.map_or(line.len(), |end| end + 1)];
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
    fn what_is_left_of_a_line_that_fails_is_left_out() {
        /// Takes three bytes at a time, and of a line that has a `!` nothing from there on.
        struct Hesitant(Vec<u8>);
        impl Write for Hesitant {
            fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
                if lines.first() == Some(&b'!') {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                let most = lines.iter().take(3).take_while(|byte| **byte != b'!');
                let taken = most.count();
                self.0.extend_from_slice(&lines[..taken]);
                Ok(taken)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut out = Hesitant(Vec::new());
        write(&mut out, b"first\nsec!ond\nthird\n");
        assert_eq!(out.0, b"first\nsecthird\n");
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
