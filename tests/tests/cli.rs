//! The command line, as people and scripts use it.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use usher_tests::{Setup, Usher, binary, knock, module};

fn usher(args: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.args(args).stdin(Stdio::null()).env("NO_COLOR", "1");
    command.output().expect("the binary starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn serve_with(config: &str) -> Output {
    let dir = TempDir::new().expect("there is room for a directory");
    let file = dir.path().join("usher.toml");
    std::fs::write(&file, config).expect("the file can be written");
    usher(&[
        "serve",
        "--config",
        file.to_str().expect("a temporary path is UTF-8"),
    ])
}

#[test]
fn a_mistake_in_the_configuration_names_the_key_and_opens_nothing() {
    let bare = "[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\n";
    let door = format!("{bare}tcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n");
    let policy = "[[policy]]\nname = \"rtyp\"\nmodule = \"builtin:rtyp\"\n";
    for (config, told) in [
        (
            format!("[limits]\nmax-player = 4\n{door}{policy}"),
            "max-players",
        ),
        (
            format!("[limits]\nmax-players = \"many\"\n{door}{policy}"),
            "limits.max-players",
        ),
        (
            format!("[limits]\ndecision-timeout = \"soon\"\n{door}{policy}"),
            "decision-timeout",
        ),
        (format!("{bare}tcp = \"nowhere\"\n{policy}"), "nowhere"),
        (format!("{bare}{policy}"), "tcp"),
        (format!("{door}policies = []\n{policy}"), "policies"),
        (format!("{door}policies = [\"other\"]\n{policy}"), "other"),
        (
            format!("{door}[[policy]]\nname = \"x\"\nmodule = \"builtin:nothing\"\n"),
            "builtin:rtyp",
        ),
        (
            format!("{door}[[policy]]\nname = \"x\"\nmodule = \"missing.wasm\"\n"),
            "missing.wasm",
        ),
        (format!("{door}{policy}fail = \"maybe\"\n"), "closed"),
        (
            format!("{door}{policy}[admin]\nlisten = \"0.0.0.0:4280\"\n"),
            "token-file",
        ),
        ("this is not toml".to_owned(), "usher.toml"),
    ] {
        let output = serve_with(&config);
        assert_eq!(
            output.status.code(),
            Some(64),
            "{config}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(told),
            "{config}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn more_players_than_the_policy_can_seat_is_a_mistake() {
    let output = serve_with(
        "[limits]\nmax-players = 8\n[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \
         \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n[[policy]]\nname = \"rtyp\"\nmodule = \
         \"builtin:rtyp\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
    );
    assert_eq!(output.status.code(), Some(64), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("max-players"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let address = taken.local_addr().expect("it is bound").to_string();
    let output = serve_with(&format!(
        "[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"{address}\"\nudp = \
         \"127.0.0.1:0\"\n[[policy]]\nname = \"rtyp\"\nmodule = \"builtin:rtyp\"\n[admin]\nlisten \
         = \"127.0.0.1:0\"\n"
    ));
    assert!(
        output.status.code().is_some_and(|code| code != 0),
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains(&address), "{}", stderr(&output));
}

#[test]
fn a_wrong_word_ends_with_64() {
    for args in [
        &["serf"][..],
        &["join"],
        &["join", "--name", "x", "udp://h:1"],
        &["check"],
        &[],
    ] {
        assert_eq!(usher(args).status.code(), Some(64), "{args:?}");
    }
    assert_eq!(usher(&["--version"]).status.code(), Some(0));
    assert_eq!(usher(&["--help"]).status.code(), Some(0));
}

#[test]
fn check_tells_what_a_module_is_or_why_it_would_be_refused() {
    let check = |file: &Path| usher(&["check", file.to_str().expect("a path in UTF-8")]);
    for (name, told) in [
        ("rtyp", "admission-policy"),
        ("queue", "queue"),
        ("arena", "game-rules"),
    ] {
        let output = check(&module(name));
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        assert!(shown.contains(told), "{name}: {shown}");
    }
    for (name, told) in [
        ("wrong-import", "import"),
        ("wrong-world", "usher:policy"),
        ("old-contract", "0.0.9"),
        ("new-contract", "0.2.0"),
    ] {
        let output = check(&module(name));
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(
            stderr(&output).contains(told),
            "{name}: {}",
            stderr(&output)
        );
    }
    let dir = TempDir::new().expect("there is room for a directory");
    for (odd, told) in [
        (Path::new("/dev/zero"), "is not a file"),
        (dir.path(), "is not a file"),
    ] {
        let output = check(odd);
        assert_eq!(output.status.code(), Some(1), "{odd:?}");
        assert!(
            stderr(&output).contains(told),
            "{odd:?}: {}",
            stderr(&output)
        );
    }
    assert_eq!(
        check(&dir.path().join("missing.wasm")).status.code(),
        Some(1),
        "no file"
    );
}

#[test]
fn sighup_reloads_and_an_unchanged_module_stays() {
    let host = Usher::start(&Setup::new().policy("rtyp", "builtin:rtyp", ""));
    host.signal("-HUP");
    // The host is still there, and nothing has changed.
    assert_eq!(host.policy("rtyp", "generation"), 1);
    host.stop();
}

#[tokio::test]
async fn sighup_lets_go_of_the_audit_file_also_when_the_configuration_is_wrong() {
    let host = Usher::start(&Setup::new().policy("rtyp", "builtin:rtyp", ""));
    let (audit, old) = (host.dir().join("audit.jsonl"), host.dir().join("old.jsonl"));
    std::fs::rename(&audit, &old).expect("the file can be moved");
    std::fs::write(host.dir().join("usher.toml"), "[[").expect("the file can be written");
    host.signal("-HUP");
    let end = Instant::now() + Duration::from_secs(30);
    while !audit.exists() {
        assert!(Instant::now() < end, "the audit goes on in the old file");
        let player = knock(host.tcp, "R9").await.expect("an answer").accepted();
        player.leave().await;
    }
    host.stop();
}

#[test]
fn a_configuration_that_never_comes_keeps_nobody_from_stopping_the_host() {
    let host = Usher::start(&Setup::new().policy("rtyp", "builtin:rtyp", ""));
    let file = host.dir().join("usher.toml");
    std::fs::remove_file(&file).expect("the file can be removed");
    // Whoever opens it waits for a writer.
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.expect("there is a `mkfifo`").success());
    host.signal("-HUP");
    // It is heard before what comes later, so the host is reading now, or will.
    host.assert_empty();
    host.stop();
}

/// What a policy makes of its params shows when it is loaded; new ones must not show first to players.
#[tokio::test]
async fn params_of_which_the_policy_makes_nothing_are_not_put_in_force() {
    let reserved = |value: &str| format!("params = {{ reserved = {value} }}");
    let host = Usher::start(&Setup::new().policy("queue", "builtin:queue", &reserved("1")));
    let file = host.dir().join("usher.toml");
    let text = std::fs::read_to_string(&file).expect("the file is there");
    let text = text.replace(&reserved("1"), &reserved("\"many\""));
    std::fs::write(&file, text).expect("the file can be written");
    // The second time it is known no better.
    for times in 1..=2 {
        host.signal("-HUP");
        let refused = "it cannot decide with the new params, the old are in force: panicked";
        host.wait_for("refused", |_| host.log().matches(refused).count() == times);
        let player = knock(host.tcp, "R9").await.expect("an answer").accepted();
        player.leave().await;
    }
    host.stop();
}

#[test]
fn a_host_that_still_compiles_stops_when_it_is_told() {
    let dir = TempDir::new().expect("there is room for a directory");
    std::fs::write(dir.path().join("slow.wasm"), slow_to_compile())
        .expect("the module can be written");
    let mut host = Command::new(binary())
        .args(["serve", "--policy", "slow.wasm"])
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", dir.path())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let end = Instant::now() + Duration::from_secs(30);
    while !listens_to_signals(host.id()) {
        assert!(Instant::now() < end, "it never listens");
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill").arg(host.id().to_string()).status();
    assert!(kill.expect("there is a `kill`").success());
    loop {
        if let Some(status) = host.try_wait().expect("the child is ours") {
            assert_eq!(status.code(), Some(0));
            return;
        }
        if Instant::now() > end {
            let _ = host.kill();
            panic!("it goes on compiling");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process has something of its own to do on SIGTERM.
fn listens_to_signals(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mut lines = status.lines();
    let caught = lines.find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask & (1 << 14) != 0)
}

/// A component whose one function is as large as it may be, and nests so deep that compiling it takes long.
fn slow_to_compile() -> Vec<u8> {
    const DEEP: usize = 170_000;
    let counted = |bytes: &[u8]| {
        let mut counted = Vec::new();
        let mut length = bytes.len();
        while length > 0x7f {
            counted.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        counted.push(length as u8);
        counted.extend_from_slice(bytes);
        counted
    };
    let section = |id: u8, body: &[u8]| [&[id], &*counted(body)].concat();
    let blocks = [[0x02, 0x40].repeat(DEEP), vec![0x0B; DEEP]].concat();
    let function = [&[0x00], &*blocks, &[0x0B]].concat();
    let core = [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, b"\x01\x60\0\0"),
        section(3, b"\x01\0"),
        section(10, &[&[0x01], &*counted(&function)].concat()),
    ];
    [b"\0asm\x0d\0\x01\0".to_vec(), section(1, &core.concat())].concat()
}

#[test]
fn the_admin_endpoint_refuses_what_a_web_page_could_send() {
    use std::io::{Read, Write};
    let host = Usher::start(&Setup::new().policy("rtyp", "builtin:rtyp", ""));
    let address = host.admin.address();
    for (header, allowed) in [
        (format!("Host: {address}"), true),
        ("Host: evil.example".to_owned(), false),
        (
            format!("Host: {address}\r\nOrigin: http://evil.example"),
            false,
        ),
        (
            format!("Host: {address}\r\nSec-Fetch-Site: cross-site"),
            false,
        ),
    ] {
        let mut stream = std::net::TcpStream::connect(address).expect("the endpoint listens");
        let request = format!(
            "POST /v1/policies/rtyp/reload HTTP/1.1\r\n{header}\r\nContent-Length: 0\r\n\
             Connection: close\r\n\r\n"
        );
        stream
            .write_all(request.as_bytes())
            .expect("the request is sent");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .expect("the answer is text");
        let ok = answer.starts_with("HTTP/1.1 2");
        assert_eq!(ok, allowed, "{header}: {answer}");
        assert!(
            !answer.to_ascii_lowercase().contains("access-control-allow"),
            "{answer}"
        );
    }
    host.stop();
}
