//! The thread that writes the audit file.

use super::line;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use usher_core::Decided;

/// Records that wait for the disk. At 100 decisions a second, 40 s of a disk that stands still.
const WAITING: usize = 4096;

/// Lines are written together up to this many bytes.
const TOGETHER: usize = 64 * 1024;

/// Writes the audit file. Cheap to clone; never blocks. The thread ends, everything written, when the
/// last clone is dropped.
#[derive(Clone)]
pub struct Audit {
    to: SyncSender<Box<Decided>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    lost: AtomicU64,
    reopen: AtomicBool,
}

/// Becomes ready when the writer has ended.
pub struct Finished(Receiver<()>);

impl Audit {
    /// Opens the file, to append to it, and starts the thread. `doors` are the doors' names, by
    /// `DoorId`.
    ///
    /// # Errors
    ///
    /// What the system says of the file, or of a new thread.
    pub fn start(file: &Path, doors: Vec<Arc<str>>) -> io::Result<(Audit, Finished)> {
        let (to, from) = sync_channel(WAITING);
        let (ended, finished) = sync_channel(0);
        let shared = Arc::new(Shared::default());
        let mut writer = Writer {
            path: file.to_owned(),
            file: Some(open(file)?),
            doors,
            shared: shared.clone(),
            torn: ends_within_a_line(file),
            failing: false,
        };
        std::thread::Builder::new()
            .name("usher-audit".to_owned())
            .spawn(move || {
                writer.run(&from);
                drop(ended);
            })?;
        Ok((Audit { to, shared }, Finished(finished)))
    }

    /// Writes a record, or counts it as lost when too many wait.
    pub fn write(&self, record: Box<Decided>) {
        if self.to.try_send(record).is_err() {
            self.shared.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Opens the file again before the next line, because it was moved away.
    pub fn reopen(&self) {
        self.shared.reopen.store(true, Ordering::Relaxed);
    }

    /// How many records were lost so far.
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }
}

impl Finished {
    /// Waits until everything is written, but no longer than this. Blocks. False if time was up.
    pub fn wait(self, within: Duration) -> bool {
        !matches!(self.0.recv_timeout(within), Err(RecvTimeoutError::Timeout))
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // It names players and their addresses.
    options.append(true).create(true).mode(0o600);
    options.open(path)
}

/// Whether a host that was killed left half a line. A file that cannot be read is taken to be whole.
fn ends_within_a_line(path: &Path) -> bool {
    let last = || -> io::Result<u8> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        Ok(last[0])
    };
    // Opening a pipe would wait for whoever writes to it.
    path.is_file() && last().is_ok_and(|last| last != b'\n')
}

/// Takes away what is behind the whole lines.
fn cut(file: &File, whole: u64) -> io::Result<()> {
    match file.metadata()?.len() > whole {
        true => file.set_len(whole),
        false => Ok(()),
    }
}

struct Writer {
    path: PathBuf,
    /// None after a failure: it is opened again for the next lines.
    file: Option<File>,
    doors: Vec<Arc<str>>,
    shared: Arc<Shared>,
    /// Whether half a line may be at the end of the file.
    torn: bool,
    failing: bool,
}

impl Writer {
    fn run(&mut self, from: &Receiver<Box<Decided>>) {
        let mut text = String::new();
        while let Ok(first) = from.recv() {
            text.clear();
            if self.torn {
                text.push('\n');
            }
            let mut lines = 1;
            line::append(&first, &self.doors, &mut text);
            while text.len() < TOGETHER {
                let Ok(next) = from.try_recv() else { break };
                line::append(&next, &self.doors, &mut text);
                lines += 1;
            }
            match self.put(text.as_bytes()) {
                Ok(()) => self.succeeded(),
                Err(error) => self.failed(lines, &error),
            }
        }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.shared.reopen.swap(false, Ordering::Relaxed) {
            self.file = None;
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(open(&self.path)?),
        };
        let whole = file.metadata().map(|found| found.len());
        let written = file.write_all(bytes);
        if written.is_err() {
            // Half a line would stop whoever reads the file at this place.
            self.torn |= whole.and_then(|whole| cut(file, whole)).is_err();
        }
        written
    }

    fn succeeded(&mut self) {
        self.torn = false;
        if std::mem::take(&mut self.failing) {
            tracing::info!(
                file = %self.path.display(),
                lost = self.shared.lost.load(Ordering::Relaxed),
                "the audit is written again"
            );
        }
    }

    fn failed(&mut self, lines: u64, error: &io::Error) {
        self.shared.lost.fetch_add(lines, Ordering::Relaxed);
        self.file = None;
        if !std::mem::replace(&mut self.failing, true) {
            tracing::error!(
                file = %self.path.display(),
                "the audit cannot be written: {error}; lines are lost until it can"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::tests::decided;
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use usher_core::{Outcome, SessionId};

    fn record() -> Box<Decided> {
        Box::new(decided(Outcome::Accepted(SessionId(7))))
    }

    fn lines(path: &Path) -> usize {
        let text = std::fs::read_to_string(path).expect("readable");
        let lines = text.lines().filter(|line| !line.is_empty());
        lines
            .inspect(|line| {
                serde_json::from_str::<serde_json::Value>(line).expect("JSON");
            })
            .count()
    }

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn lines_are_appended_to_a_file_of_ones_own() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("audit.jsonl");
        for expected in [3, 6] {
            let (audit, finished) = Audit::start(&path, vec!["main".into()]).expect("started");
            for _ in 0..3 {
                audit.write(record());
            }
            drop(audit);
            assert!(finished.wait(LONG));
            assert_eq!(lines(&path), expected);
        }
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_was_moved_away_is_begun_anew() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("audit.jsonl");
        let old = dir.path().join("audit.jsonl.1");
        let (audit, finished) = Audit::start(&path, Vec::new()).expect("started");
        std::fs::rename(&path, &old).expect("moved");
        audit.reopen();
        audit.write(record());
        drop(audit);
        assert!(finished.wait(LONG));
        assert_eq!((lines(&old), lines(&path)), (0, 1));
    }

    #[test]
    fn a_full_disk_loses_lines_and_nothing_else() {
        // Every write to it fails as on a full disk.
        let (audit, finished) = Audit::start(Path::new("/dev/full"), Vec::new()).expect("started");
        for _ in 0..5 {
            audit.write(record());
        }
        let shared = audit.shared.clone();
        drop(audit);
        assert!(finished.wait(LONG));
        assert_eq!(shared.lost.load(Ordering::Relaxed), 5);
    }

    #[test]
    fn a_line_that_was_left_half_does_not_spoil_the_next() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("audit.jsonl");
        std::fs::write(&path, "{\"time\":\"20").expect("written");
        let (audit, finished) = Audit::start(&path, Vec::new()).expect("started");
        audit.write(record());
        drop(audit);
        assert!(finished.wait(LONG));
        let text = std::fs::read_to_string(&path).expect("readable");
        let (_, rest) = text.split_once('\n').expect("the half line ends");
        serde_json::from_str::<serde_json::Value>(rest).expect("JSON");
    }

    #[test]
    fn what_a_full_disk_took_of_a_line_is_taken_back() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("audit.jsonl");
        std::fs::write(&path, "{}\n{\"half").expect("written");
        let file = open(&path).expect("opened");
        cut(&file, 3).expect("cut");
        cut(&file, 100).expect("nothing to cut");
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), "{}\n");
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_told_at_the_start() {
        assert!(Audit::start(Path::new("/no/such/audit.jsonl"), Vec::new()).is_err());
    }
}
