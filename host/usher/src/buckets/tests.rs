//! Buckets in virtual time, with files of a test's own.

use super::keeper::{Keeper, News};
use super::list::List;
use crate::admin::BucketStatus;
use crate::config;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use usher_core::Moment;
use usher_runtime::{Bucket, Buckets};

/// A keeper with a bucket `bans` from a file and a bucket `seen` that only policies fill.
struct Kept {
    keeper: Keeper,
    dir: TempDir,
    now: Moment,
    /// What others have.
    buckets: Buckets,
}

impl Kept {
    fn with(text: &str) -> Kept {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("bans.txt"), text).expect("a file");
        let now = Moment::from_millis(1_767_225_600_000);
        let keeper = Keeper::open(&configs(&dir), now).unwrap_or_else(|error| panic!("{error}"));
        Kept {
            buckets: keeper.told(),
            keeper,
            dir,
            now,
        }
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("bans.txt")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).expect("there")
    }

    /// The file has this in it and its change is told.
    fn write(&mut self, text: &str) {
        fs::write(self.file(), text).expect("written");
        self.look();
    }

    fn look(&mut self) {
        let file = self.file();
        self.keeper.hear(News::Look(file), self.now);
        self.tick();
    }

    fn put(&mut self, bucket: &str, entry: &str, lasts: Option<u64>) {
        let put = News::Put {
            bucket: bucket.into(),
            entry: entry.into(),
            lasts: lasts.map(Duration::from_millis),
        };
        self.keeper.hear(put, self.now);
    }

    /// Whether others hear of something.
    fn tick(&mut self) -> bool {
        let told = self.keeper.tick(self.now);
        self.keeper.write(self.now);
        let any = told.is_some();
        self.buckets = told.unwrap_or_else(|| self.buckets.clone());
        any
    }

    /// Time passes; whether others hear of something when it has.
    fn pass(&mut self, millis: u64) -> bool {
        self.now = self.now.after(Duration::from_millis(millis));
        self.tick()
    }

    /// As the thread does: to the next moment at which something is due.
    fn pass_to_due(&mut self) -> u64 {
        let due = self.keeper.due().expect("something is due");
        let millis = due.since(self.now).as_millis();
        self.now = self.now.max(due);
        self.tick();
        u64::try_from(millis).expect("soon")
    }

    fn has(&self, bucket: &str, text: &str) -> bool {
        let bucket = self.buckets.named(bucket).expect("there");
        bucket.get(text).is_some()
    }

    fn status(&self) -> BucketStatus {
        self.keeper.status().remove(0)
    }
}

fn configs(dir: &TempDir) -> [config::Bucket; 2] {
    let bucket = |name: &str, file: Option<&str>| config::Bucket {
        name: name.into(),
        file: file.map(|file| dir.path().join(file)),
        max_entries: 8,
    };
    [bucket("bans", Some("bans.txt")), bucket("seen", None)]
}

#[test]
fn what_a_file_says_is_there_from_the_start() {
    let kept = Kept::with("R9 # cheats\n192.0.2.0/24\n");
    assert!(kept.has("bans", "R9"));
    let bans = kept.buckets.named("bans").expect("there");
    let address = "192.0.2.1".parse().expect("an address");
    assert!(bans.matching(address).is_some());
    assert!(kept.buckets.named("seen").is_some_and(Bucket::is_empty));
    assert_eq!(kept.keeper.due(), None);
    let status = kept.status();
    assert_eq!((status.entries, status.state), (2, "ok"));
}

#[test]
fn a_file_that_is_no_good_keeps_the_host_from_starting() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("bans.txt");
    let error = |dir| {
        let error = Keeper::open(&configs(dir), Moment::ZERO).map(|_| ());
        error.expect_err("no good").to_string()
    };
    let shown = path.display();
    let missing = format!("bucket bans: {shown} is not there: an empty file is an empty list");
    assert_eq!(error(&dir), missing);
    fs::write(&path, "R9\n192.0.2.0/33\n").expect("a file");
    let says = format!("bucket bans: {shown}:2: \"192.0.2.0/33\" looks like an IP address");
    assert!(error(&dir).starts_with(&says));
}

#[test]
fn a_change_is_in_force_at_once_and_a_mistake_never() {
    let mut kept = Kept::with("R9\n");
    kept.write("R9\nD2\n");
    assert!(kept.has("bans", "R9") && kept.has("bans", "D2"));
    kept.pass(1_000);
    kept.write("R9\nD2\n1.2.3.*\n");
    assert!(kept.has("bans", "D2"));
    let status = kept.status();
    assert_eq!((status.entries, status.state), (2, "failed-to-load"));
    let problem = status.last_error.expect("a problem");
    assert!(
        problem.contains("bans.txt:3: \"1.2.3.*\" looks like"),
        "{problem}"
    );
    kept.write("D2\n");
    assert!(!kept.has("bans", "R9") && kept.has("bans", "D2"));
    assert_eq!(
        (kept.status().state, kept.status().last_error),
        ("ok", None)
    );
}

#[test]
fn a_file_that_is_gone_leaves_what_it_said() {
    let mut kept = Kept::with("R9\n");
    fs::remove_file(kept.file()).expect("there");
    kept.look();
    assert!(kept.has("bans", "R9"));
    assert_eq!(kept.status().state, "failed-to-load");
    kept.write("D2\n");
    assert!(kept.has("bans", "D2") && !kept.has("bans", "R9"));
}

#[test]
fn what_says_the_same_is_no_change() {
    let mut kept = Kept::with("R9\n");
    fs::write(kept.file(), "# who\nR9\n").expect("written");
    let file = kept.file();
    kept.keeper.hear(News::Look(file), kept.now);
    assert!(!kept.tick());
    assert_eq!(kept.keeper.due(), None);
}

/// A list of which only the first half is there yet lets those in who stand in the second.
#[test]
fn half_a_line_waits_for_the_rest_of_it() {
    let mut kept = Kept::with("R9\nD2\n");
    for slow in ["", "R", "R9\nD"] {
        kept.write(slow);
        assert!(kept.has("bans", "D2"), "{slow:?}");
        kept.pass(400);
        assert!(kept.has("bans", "D2"), "{slow:?}");
    }
    kept.write("R9\nZed\n");
    assert!(kept.has("bans", "Zed") && !kept.has("bans", "D2"));
    assert_eq!(kept.keeper.due(), None);
}

#[test]
fn half_a_line_that_stays_is_a_line() {
    let mut kept = Kept::with("R9\nD2\n");
    kept.write("Zed");
    assert!(kept.has("bans", "R9"));
    assert_eq!(kept.pass_to_due(), 500);
    assert!(kept.has("bans", "Zed") && !kept.has("bans", "R9"));
    kept.pass(1_000);
    kept.write("");
    assert_eq!(kept.pass_to_due(), 500);
    assert!(!kept.has("bans", "Zed"));
    assert_eq!(kept.keeper.due(), None);
    // An operator who says "now" means it.
    kept.pass(1_000);
    fs::write(kept.file(), "Kim").expect("written");
    kept.keeper.hear(News::Reread, kept.now);
    assert!(kept.tick() && kept.has("bans", "Kim"));
}

#[test]
fn what_is_put_in_for_a_while_goes_by_itself() {
    let mut kept = Kept::with("R9\n");
    kept.put("bans", "D2", Some(5_000));
    assert!(kept.tick() && kept.has("bans", "D2"));
    assert_eq!((kept.status().entries, kept.status().put), (2, 1));
    assert_eq!(kept.text(), "R9\n", "what goes is not written");
    assert!(!kept.pass(4_999));
    assert_eq!(kept.pass_to_due(), 1);
    assert!(!kept.has("bans", "D2"));
    assert_eq!((kept.status().entries, kept.keeper.due()), (1, None));
}

#[test]
fn the_longer_of_two_times_counts() {
    let mut kept = Kept::with("");
    kept.put("seen", "D2", Some(5_000));
    kept.put("seen", "D2", Some(1_000));
    kept.put("seen", "D2", Some(9_000));
    kept.tick();
    kept.pass(8_999);
    assert!(kept.has("seen", "D2"));
    kept.put("seen", "D2", None);
    kept.put("seen", "D2", Some(1));
    kept.pass(100_000);
    assert!(kept.has("seen", "D2"), "for good is longest");
    assert_eq!(kept.keeper.due(), None);
}

#[test]
fn what_is_put_in_for_good_stands_in_the_file() {
    let mut kept = Kept::with("R9 # cheats");
    kept.put("bans", " D2 ", None);
    kept.put("bans", "#1 #", None);
    kept.put("bans", "192.0.2.7/24", None);
    assert!(kept.tick() && kept.has("bans", "D2"));
    let expected =
        "R9 # cheats\n# put in by a policy, 2026-01-01T00:00:00Z\n192.0.2.0/24\nD2\n\\#1 \\#\n";
    let mut lines: Vec<_> = expected.lines().collect();
    let text = kept.text();
    let mut written: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    written.sort_unstable();
    assert_eq!(written, lines);
    assert!(text.starts_with("R9 # cheats\n# put in") && text.ends_with('\n'));

    // The file is the truth from now on: reading it changes nothing, taking a line out does.
    kept.pass(1_000);
    let file = kept.file();
    kept.keeper.hear(News::Look(file), kept.now);
    assert!(!kept.tick(), "nobody is decided anew for it");
    assert!(kept.has("bans", "D2") && kept.has("bans", "#1 #"));
    assert_eq!((kept.status().entries, kept.status().put), (4, 0));
    kept.pass(1_000);
    kept.write("R9\n");
    assert!(!kept.has("bans", "D2"));
    // And a host that starts reads it.
    fs::write(kept.file(), text).expect("written");
    let again = Keeper::open(&configs(&kept.dir), kept.now).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.status()[0].entries, 4);
}

#[test]
fn what_cannot_be_written_is_kept_and_tried_again_with_the_next() {
    let mut kept = Kept::with("R9\n");
    fs::remove_file(kept.file()).expect("there");
    kept.put("bans", "D2", None);
    assert!(kept.tick() && kept.has("bans", "D2"));
    kept.pass(1_000);
    kept.write("R9\n");
    assert!(kept.has("bans", "D2"), "it is nowhere else");
    kept.put("bans", "Zed", None);
    kept.pass(1_000);
    let text = kept.text();
    assert!(
        text.contains("\nD2\n") && text.contains("\nZed\n"),
        "{text}"
    );
}

#[test]
fn many_that_are_put_in_are_few_changes() {
    let mut kept = Kept::with("");
    kept.put("seen", "0", None);
    assert!(kept.tick(), "the first is in force at once");
    let mut told = Vec::new();
    for number in 1..500 {
        kept.put(
            "seen",
            &format!("n{}", number % 5),
            Some(10_000 + 10 * number),
        );
        if kept.pass(10) {
            told.push(10 * number);
        }
    }
    assert_eq!(told, [100, 300, 700, 1_500, 2_500, 3_500, 4_500]);
    assert_eq!(
        kept.pass_to_due(),
        510,
        "and what came last is not forgotten"
    );
    assert!((0..5).all(|number| kept.has("seen", &format!("n{number}"))));
    kept.pass(2_001);
    kept.put("seen", "late", None);
    assert!(
        kept.tick(),
        "after a rest the first is in force at once again"
    );
    kept.put("seen", "later", None);
    assert_eq!(kept.pass_to_due(), 100);
}

#[test]
fn what_is_known_already_is_no_change() {
    let mut kept = Kept::with("R9\n");
    kept.put("bans", "R9", None);
    kept.put("bans", "R9", Some(5_000));
    assert!(!kept.tick());
    assert_eq!((kept.text().as_str(), kept.keeper.due()), ("R9\n", None));
}

#[test]
fn what_cannot_be_taken_is_left_out() {
    let mut kept = Kept::with("R9\n");
    kept.put("nowhere", "D2", None);
    kept.put("bans", "192.0.2.*", None);
    kept.put("bans", "a\nb", None);
    kept.put("bans", "", None);
    assert!(!kept.tick());
    for number in 0..20 {
        kept.put("bans", &format!("n{number}"), None);
    }
    kept.tick();
    let bans = kept.buckets.named("bans").expect("there");
    assert_eq!((bans.len(), kept.status().entries), (8, 8), "max-entries");
    assert!(kept.text().lines().count() == 9, "{}", kept.text());
}

#[test]
fn a_note_of_the_operators_stays_whatever_is_put_in() {
    let mut kept = Kept::with("");
    kept.put("bans", "R9", Some(60_000));
    kept.tick();
    kept.pass(1_000);
    kept.write("R9 # cheats\n");
    let note = |kept: &Kept| {
        let bans = kept.buckets.named("bans").expect("there");
        bans.get("R9").map(|note| note.to_string())
    };
    assert_eq!(note(&kept).as_deref(), Some("cheats"));
    assert_eq!(kept.status().entries, 1);
    kept.pass(60_000);
    assert_eq!(
        note(&kept).as_deref(),
        Some("cheats"),
        "the file has the say"
    );
}

#[test]
fn a_list_of_the_largest_size_is_merged_in_good_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let lines: String = (0..100_000)
        .map(|n| format!("player-{n} # a note\n"))
        .collect();
    fs::write(dir.path().join("bans.txt"), lines).expect("a file");
    let [mut config, _] = configs(&dir);
    config.max_entries = 100_001;
    let mut list = List::open(&config, Moment::ZERO).unwrap_or_else(|error| panic!("{error}"));
    let entry = usher_runtime::Entry::parse("D2").expect("an entry");
    assert_eq!(list.put(entry, Some(Moment::from_millis(1))), Ok(()));
    let begun = std::time::Instant::now();
    assert_eq!(list.merged().len(), 100_001);
    println!("100,001 entries merged in {:?}", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(1));
}
