//! A running host: the real binary, with a directory of its own.

use crate::admin::Admin;
use crate::asked::Desk;
use crate::keep;
use crate::setup::{Ports, Setup};
use serde_json::Value;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where the environment says that a fleet started the host, and where its endpoint is.
const SDK_PORT: &str = "AGONES_SDK_HTTP_PORT";

/// The binary under test.
///
/// # Panics
///
/// If it was not built.
pub fn binary() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/debug/usher");
    let path = std::env::var_os("USHER_BIN").map_or(here, PathBuf::from);
    assert!(
        path.is_file(),
        "{path:?} is missing: run `cargo xtask test`, or `cargo build` first"
    );
    path
}

/// A host under test. Dropping it kills it and, if the test failed, shows its log.
pub struct Usher {
    child: Child,
    /// Where players log in.
    pub tcp: SocketAddr,
    /// Where they play.
    pub udp: SocketAddr,
    /// Where operators look.
    pub admin: Admin,
    /// Where a game server asks, if there is such a door.
    pub desk: Desk,
    /// Where pages come, if there is such a door.
    pub web: SocketAddr,
    dir: TempDir,
}

impl Usher {
    /// Starts a host in a directory of its own, and waits until it is ready.
    pub fn start(setup: &Setup) -> Usher {
        let dir = TempDir::new().expect("there is room for a directory");
        Usher::start_in(dir, setup)
    }

    /// Starts a host in this directory, where modules may lie already.
    ///
    /// # Panics
    ///
    /// If it does not become ready.
    pub fn start_in(dir: TempDir, setup: &Setup) -> Usher {
        let log = File::create(dir.path().join("log")).expect("the log can be written");
        let output = log.try_clone().expect("a file can be shared");
        Usher::spawn(dir, setup, output.into(), log.into())
    }

    /// Starts a host whose log goes elsewhere.
    pub fn start_logging_to(log: Stdio, setup: &Setup) -> Usher {
        let dir = TempDir::new().expect("there is room for a directory");
        Usher::spawn(dir, setup, Stdio::null(), log)
    }

    fn spawn(dir: TempDir, setup: &Setup, output: Stdio, log: Stdio) -> Usher {
        let ports = Ports::free();
        let config = dir.path().join("usher.toml");
        let text = setup.text(&ports);
        std::fs::write(&config, &text).expect("the configuration can be written");
        for (name, text) in &setup.files {
            std::fs::write(dir.path().join(name), text).expect("the directory takes a file");
        }
        register_secrets(dir.path(), &text);
        let child = Command::new(binary())
            .args(["serve", "--config"])
            .arg(&config)
            .env_remove("RUST_LOG")
            .env_remove(SDK_PORT)
            .envs(setup.env.iter().map(|(name, value)| (name, value)))
            .env("XDG_CACHE_HOME", dir.path().join("cache"))
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(log)
            .spawn()
            .expect("the binary starts");
        let mut host = Usher {
            child,
            tcp: ports.tcp,
            udp: ports.udp,
            admin: Admin(ports.admin),
            desk: Desk {
                at: ports.desk,
                token: setup.file_text("desk.token").unwrap_or_default(),
            },
            web: ports.web,
            dir,
        };
        let end = Instant::now() + PATIENCE;
        while host
            .admin
            .try_get("/healthz")
            .is_none_or(|(code, _)| code != 200)
        {
            let gone = host.child.try_wait().expect("the child is ours");
            assert!(gone.is_none(), "the host ended with {gone:?}");
            assert!(Instant::now() < end, "the host does not become ready");
            std::thread::sleep(Duration::from_millis(10));
        }
        host
    }

    /// The host's directory: `usher.toml`, `audit.jsonl`, `log`.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// What the host has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir().join("log")).unwrap_or_default()
    }

    /// Waits until the host says what is expected of its status, and returns that status.
    ///
    /// # Panics
    ///
    /// If it never does.
    #[track_caller]
    pub fn wait_for(&self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let status = self.admin.status();
            if is(&status) {
                return status;
            }
            assert!(Instant::now() < end, "never {what}: {status:#}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the generation of a policy to be at least this.
    #[track_caller]
    pub fn wait_for_generation(&self, policy: &str, generation: u64) {
        self.wait_for("loaded", |status| {
            policy_field(status, policy, "generation").as_u64() >= Some(generation)
        });
    }

    /// What the status says of a policy.
    pub fn policy(&self, name: &str, field: &str) -> Value {
        policy_field(&self.admin.status(), name, field)
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How many files it has open: sockets, too.
    ///
    /// # Panics
    ///
    /// If the kernel does not say.
    pub fn files(&self) -> usize {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id()));
        open.expect("the host runs").count()
    }

    /// Waits until it has no more files open than this.
    ///
    /// # Panics
    ///
    /// If that never comes.
    #[track_caller]
    pub fn wait_for_files(&self, most: usize) {
        let end = Instant::now() + PATIENCE;
        while self.files() > most {
            assert!(Instant::now() < end, "{} files are open", self.files());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until it has logged this.
    ///
    /// # Panics
    ///
    /// If it never does.
    #[track_caller]
    pub fn wait_for_line(&self, said: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.log().contains(said) {
            assert!(Instant::now() < end, "never said: {said}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Memory that the host occupies, in bytes.
    ///
    /// # Panics
    ///
    /// If the kernel does not say.
    pub fn memory(&self) -> u64 {
        let file = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(file).expect("the host runs");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.expect("the kernel states it in KiB") * 1024
    }

    /// Asserts that nobody and nothing is left: no player, request, claim, endpoint, peer of a door.
    #[track_caller]
    pub fn assert_empty(&self) {
        self.wait_for("empty", |status| {
            let zero = |pointer| status.pointer(pointer).and_then(Value::as_u64) == Some(0);
            let none = |pointer| {
                status
                    .pointer(pointer)
                    .and_then(Value::as_array)
                    .is_some_and(Vec::is_empty)
            };
            let figures = [
                "/players/connected",
                "/pending/total",
                "/ledger/claims",
                "/endpoints",
            ];
            let core = figures.into_iter().all(zero) && none("/requests") && none("/sessions");
            let doors = status["doors"].as_array().expect("there are doors");
            core && doors.iter().all(holds_nothing)
        });
    }

    /// Sends the host a signal, such as `-TERM`.
    ///
    /// # Panics
    ///
    /// If there is no `kill`.
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill")
            .arg(signal)
            .arg(self.child.id().to_string())
            .status();
        assert!(sent.expect("there is a `kill`").success());
    }

    /// Waits for the end of the host: its exit status.
    ///
    /// # Panics
    ///
    /// If it goes on for longer than a stop may take.
    #[track_caller]
    pub fn wait_for_exit(&mut self) -> Option<i32> {
        let end = Instant::now() + Duration::from_secs(12);
        loop {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                return status.code();
            }
            assert!(Instant::now() < end, "the host does not stop");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Keeps what it says of itself now, for the search for secrets.
    pub fn keep_figures(&self) {
        for (name, path) in [("metrics", "/metrics"), ("status", "/v1/status")] {
            if let Some((_, text)) = self.admin.try_get(path) {
                keep::output(name, text.as_bytes());
            }
        }
    }

    /// Ends the test: nothing may be left, and the host must stop in good order.
    #[track_caller]
    pub fn stop(mut self) {
        self.finish();
    }

    /// The same, where the host's directory is still looked at.
    ///
    /// # Panics
    ///
    /// If something is left, or the host does not stop in good order.
    #[track_caller]
    pub fn finish(&mut self) {
        self.assert_empty();
        self.keep_figures();
        self.signal("-TERM");
        assert_eq!(
            self.wait_for_exit(),
            Some(0),
            "the host stops in good order"
        );
        let log = self.log();
        assert!(!log.contains("panicked at"), "the host panicked:\n{log}");
    }
}

/// What is in the files that a configuration names for passwords and tokens.
fn register_secrets(dir: &Path, text: &str) {
    for key in ["token-file = \"", "password-file = \""] {
        for rest in text.split(key).skip(1) {
            let file = rest.split('"').next().unwrap_or_default();
            let lines = std::fs::read_to_string(dir.join(file)).unwrap_or_default();
            let long = |line: &&str| line.len() >= keep::SHORTEST;
            lines.lines().filter(long).for_each(keep::secret);
        }
    }
}

/// Whether a door has no peers, and nothing of theirs.
fn holds_nothing(door: &Value) -> bool {
    let peers = door["peers"].as_object().expect("a door counts its peers");
    door["held_bytes"] == 0 && peers.values().all(|count| *count == 0)
}

fn policy_field(status: &Value, name: &str, field: &str) -> Value {
    let policies = status["policies"].as_array().into_iter().flatten();
    let mut named = policies.filter(|policy| policy["name"] == name);
    named
        .next()
        .map(|policy| policy[field].clone())
        .unwrap_or_default()
}

impl Drop for Usher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        for (name, file) in [("log", "log"), ("audit", "audit.jsonl")] {
            keep::output(
                name,
                &std::fs::read(self.dir().join(file)).unwrap_or_default(),
            );
        }
        if std::thread::panicking() {
            let log = self.log();
            let tail: Vec<_> = log.lines().rev().take(40).collect();
            let tail: Vec<_> = tail.into_iter().rev().collect();
            eprintln!("the end of the host's log:\n{}", tail.join("\n"));
        }
    }
}
