//! `log`: a few short lines for the operator.

use crate::bindings::log::{self, Level};
use crate::escape::escaped;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use usher_core::Moment;

/// The longest line, in bytes.
const LINE: usize = 1_024;
/// The most lines of a call.
const LINES_PER_CALL: u32 = 16;
/// The most lines of a module in a second, so that a chatty one does not fill a disk.
const LINES_PER_SECOND: u32 = 100;

/// What the instances of a module write together: one that is thrown away after each call must not
/// begin anew each time.
#[derive(Default)]
pub(crate) struct Lines {
    second: AtomicU64,
    counted: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    in_second: u32,
    left_out: u64,
}

/// The log of one instance.
pub(crate) struct Log {
    policy: Arc<str>,
    generation: u64,
    lines: Arc<Lines>,
    muted: bool,
    in_call: u32,
    left_out_in_call: u64,
    /// Lines of a call that may be given up.
    held: Option<Vec<(Level, String)>>,
    last_words: Option<String>,
}

impl Lines {
    /// A call begins at a moment: how many lines were left out, if that is to be told now.
    fn begin(&self, now: Moment) -> u64 {
        let second = now.as_millis() / 1_000;
        // Read before it is written: a line that every worker writes at each call would be dear.
        if self.second.load(Ordering::Relaxed) == second
            || self.second.swap(second, Ordering::Relaxed) == second
        {
            return 0;
        }
        std::mem::take(&mut *self.counted()).left_out
    }

    /// Whether one more line may be written in this second; if not, or if the call had its share, it is
    /// counted.
    fn admits(&self, in_call: u32) -> bool {
        let mut counted = self.counted();
        let admits = in_call < LINES_PER_CALL && counted.in_second < LINES_PER_SECOND;
        if admits {
            counted.in_second += 1;
        } else {
            counted.left_out += 1;
        }
        admits
    }

    /// A call was given up: its lines were never said.
    fn take_back(&self, in_call: u32, left_out: u64) {
        let mut counted = self.counted();
        // Another second may have begun since.
        counted.in_second = counted.in_second.saturating_sub(in_call);
        counted.left_out = counted.left_out.saturating_sub(left_out);
    }

    fn counted(&self) -> std::sync::MutexGuard<'_, Counted> {
        // Counting does not panic.
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    /// Writes under a slot's name and a generation's number, within what its instances may write.
    pub(crate) fn new(policy: Arc<str>, generation: u64, lines: Arc<Lines>) -> Log {
        Log {
            policy,
            generation,
            lines,
            muted: false,
            in_call: 0,
            left_out_in_call: 0,
            held: None,
            last_words: None,
        }
    }

    /// The next call may be given up: what it says is kept until it is known that it was not.
    pub(crate) fn hold(&mut self) {
        self.held = Some(Vec::new());
    }

    /// The call came to its end: what it said is said.
    pub(crate) fn release(&mut self) {
        for (level, line) in self.held.take().unwrap_or_default() {
            self.emit(level, &line);
        }
    }

    /// The call was given up: it has said nothing.
    pub(crate) fn take_back(&mut self) {
        self.held = None;
        self.lines.take_back(self.in_call, self.left_out_in_call);
    }

    /// While muted nothing is written: canned calls are nobody's business. Last words are kept.
    pub(crate) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    /// Before a call.
    pub(crate) fn begin(&mut self, now: Moment) {
        self.in_call = 0;
        self.left_out_in_call = 0;
        self.last_words = None;
        let left_out = self.lines.begin(now);
        if left_out > 0 {
            self.emit(Level::Warn, &format!("left out {left_out} lines"));
        }
    }

    /// What the module said before it trapped, if it said something.
    pub(crate) fn last_words(&mut self) -> Option<String> {
        self.last_words.take()
    }

    /// Whether the call may have one more line written, by itself or as an effect; if not, it is counted.
    pub(crate) fn admits(&mut self) -> bool {
        let admits = self.lines.admits(self.in_call);
        self.in_call += u32::from(admits);
        self.left_out_in_call += u64::from(!admits);
        admits
    }

    fn emit(&self, level: Level, line: &str) {
        let (policy, generation) = (&*self.policy, self.generation);
        match level {
            Level::Debug => tracing::debug!(target: "policy", policy, generation, "{line}"),
            Level::Info => tracing::info!(target: "policy", policy, generation, "{line}"),
            Level::Warn => tracing::warn!(target: "policy", policy, generation, "{line}"),
            Level::Error | Level::Panic => {
                tracing::error!(target: "policy", policy, generation, "{line}");
            }
        }
    }
}

impl log::Host for Log {
    fn write(&mut self, level: Level, text: String) {
        if matches!(level, Level::Panic) {
            // Told once, in the message of the fault that follows.
            self.last_words = Some(escaped(&message_first(&text), LINE));
        } else if !self.muted && self.admits() {
            let line = escaped(&text, LINE);
            match &mut self.held {
                Some(held) => held.push((level, line)),
                None => self.emit(level, &line),
            }
        }
    }
}

/// Rust says where it panicked before it says why; what matters goes first.
fn message_first(text: &str) -> String {
    let told = text.strip_prefix("panicked at ");
    match told.and_then(|told| told.split_once(":\n")) {
        Some((place, message)) => format!("{message} (at {place})"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use log::Host as _;
    use std::sync::Mutex;

    fn log(lines: &Arc<Lines>) -> Log {
        Log::new("p".into(), 1, Arc::clone(lines))
    }

    fn say(log: &mut Log, times: u32) {
        for _ in 0..times {
            log.write(Level::Info, "hello".to_owned());
        }
    }

    fn counted(lines: &Lines) -> (u32, u64) {
        let counted = lines.counted();
        (counted.in_second, counted.left_out)
    }

    #[test]
    fn a_call_has_sixteen_lines() {
        let lines = Arc::default();
        let mut log = log(&lines);
        log.begin(Moment::ZERO);
        say(&mut log, 20);
        assert_eq!(counted(&lines), (16, 4));
        log.begin(Moment::ZERO);
        say(&mut log, 1);
        assert_eq!(counted(&lines), (17, 4));
    }

    #[test]
    fn a_second_has_a_hundred_lines_and_the_next_tells_what_is_missing() {
        let lines = Arc::default();
        for _ in 0..7 {
            // Whether it is one instance or a new one for each call.
            let mut log = log(&lines);
            log.begin(Moment::from_millis(5_000));
            say(&mut log, 16);
        }
        assert_eq!(counted(&lines), (100, 12));
        assert_eq!(lines.begin(Moment::from_millis(6_000)), 12);
        assert_eq!(lines.begin(Moment::from_millis(6_999)), 0);
        assert_eq!(counted(&lines), (0, 0));
    }

    #[test]
    fn a_call_that_was_given_up_has_said_nothing() {
        let lines = Arc::default();
        let mut log = log(&lines);
        log.hold();
        log.begin(Moment::ZERO);
        say(&mut log, 20);
        assert_eq!(log.held.as_ref().map(Vec::len), Some(16));
        log.take_back();
        assert_eq!(counted(&lines), (0, 0));
        log.hold();
        log.begin(Moment::ZERO);
        say(&mut log, 3);
        log.release();
        assert_eq!(counted(&lines), (3, 0));
        assert!(log.held.is_none(), "what comes after is said at once");
    }

    #[test]
    fn last_words_are_kept_for_the_fault_and_for_no_other_call() {
        let mut log = log(&Arc::default());
        log.mute(true);
        log.write(Level::Panic, "told to\n".to_owned());
        assert_eq!(log.last_words().as_deref(), Some("told to\\n"));
        let rust = "panicked at src/lib.rs:9:5:\nno seat";
        log.write(Level::Panic, rust.to_owned());
        let expected = "no seat (at src/lib.rs:9:5)";
        assert_eq!(log.last_words().as_deref(), Some(expected));
        log.write(Level::Panic, "again".to_owned());
        log.begin(Moment::ZERO);
        assert_eq!(log.last_words(), None);
    }

    #[test]
    fn a_line_names_its_module_and_is_escaped() {
        #[derive(Clone, Default)]
        struct Written(Arc<Mutex<Vec<u8>>>);
        impl std::io::Write for Written {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.lock().expect("no panic").write(bytes)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            let mut log = Log::new("queue".into(), 3, Arc::default());
            log.begin(Moment::ZERO);
            log.write(Level::Warn, format!("a\n\u{202e}b{}", "x".repeat(2_000)));
        });
        let line = String::from_utf8(written.0.lock().expect("no panic").clone());
        let line = line.expect("text");
        for part in [
            "WARN policy: ",
            "a\\n\\u{202e}bxxx",
            "policy=\"queue\"",
            "generation=3",
        ] {
            assert!(line.contains(part), "{part}: {line}");
        }
        assert!(line.len() < 1_200 && line.lines().count() == 1, "{line}");
    }
}
