//! What is asked outside of the host: a directory and web services, whatever they do.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use usher_stand_ins::{FakeDiscovery, Fault, What};
use usher_tests::{Answer, Setup, Usher, binary, decisions, knock, module};

const TOKEN: &str = "dsc_s3cret-of-the-test";

fn service(name: &str, url: &str) -> String {
    format!(
        "[[service]]\nname = {name:?}\nurl = \"{url}/{name}\"\ntimeout = \"1s\"\nmax-response = 64\n"
    )
}

/// A host that asks the service whose name a player has.
fn host(fake: &FakeDiscovery, services: &[&str]) -> Usher {
    let lines = "params = { question = \"fetch\" }";
    let mut setup = Setup::new()
        .policy("asker", module("asker"), lines)
        .limit("max-pending", "300");
    for name in services {
        setup = setup.more(&service(name, &fake.url()));
    }
    Usher::start(&setup)
}

/// Comes and goes, and says whether it was let in and how long that took.
async fn visit(host: &Usher, name: &str) -> (bool, Duration) {
    let began = Instant::now();
    let answer = knock(host.tcp, name).await.expect("everyone is told");
    let took = began.elapsed();
    match answer {
        Answer::Accepted(player) => {
            player.leave().await;
            (true, took)
        }
        Answer::Rejected(_) => (false, took),
    }
}

fn reasons(host: &Usher, name: &str) -> Vec<String> {
    let all = decisions(&host.dir().join("audit.jsonl"));
    let of = all.iter().filter(|line| line["name"] == name);
    of.map(|line| line["reason"]["code"].as_str().unwrap_or("").to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_answers_badly_costs_those_who_asked_it_and_nobody_else() {
    let fake = FakeDiscovery::start("another token");
    let bad = [
        ("hang", What::Silence),
        ("drip", What::Drip(Duration::from_millis(100))),
        ("huge", What::Flood(1 << 24)),
        ("page", What::page(503)),
        ("cut", What::Cut(20)),
        ("shut", What::Close),
        ("elsewhere", What::json(302, "no")),
        ("nobody", What::json(404, "no")),
    ];
    for (name, what) in &bad {
        fake.fault(Fault::at(format!("/{name}"), what.clone()));
    }
    fake.fault(Fault::at("/good", What::json(200, "welcome")));
    let names: Vec<&str> = bad.iter().map(|(name, _)| *name).collect();
    let host = host(&fake, &[&names[..], &["good"]].concat());
    // Five of each at once, and meanwhile one after the other of those whose service is well.
    let unlucky = names.iter().flat_map(|name| [*name; 5]);
    let unlucky: Vec<_> = unlucky
        .map(|name| {
            let tcp = host.tcp;
            tokio::spawn(async move { knock(tcp, name).await.expect("everyone is told") })
        })
        .collect();
    let mut slowest = Duration::ZERO;
    for _ in 0..100 {
        let (let_in, took) = visit(&host, "good").await;
        assert!(let_in, "it was refused though its service is well");
        slowest = slowest.max(took);
    }
    for answer in unlucky {
        let answer = answer.await.expect("no panic");
        assert!(matches!(answer, Answer::Rejected(_)));
    }
    assert!(slowest < Duration::from_millis(900), "{slowest:?}");
    let decided = 100 + 5 * names.len();
    let audit = host.dir().join("audit.jsonl");
    host.wait_for("written", |_| decisions(&audit).len() == decided);
    for name in names {
        let code = match name {
            "nobody" => "unknown",
            _ => "unavailable",
        };
        assert_eq!(reasons(&host, name), [code; 5], "{name}");
    }
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_while_a_service_hangs_leaves_nothing_behind() {
    let fake = FakeDiscovery::start("another token");
    fake.fault(Fault::at("/hang", What::Silence));
    let host = host(&fake, &["hang"]);
    for _ in 0..20 {
        let tcp = host.tcp;
        // Looked at before anyone comes, however quickly that one is asked about.
        let came = fake.calls().count("GET", "/hang") + 1;
        let asked = tokio::spawn(async move { knock(tcp, "hang").await.map(drop) });
        while fake.calls().count("GET", "/hang") < came {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        asked.abort();
    }
    host.assert_empty();
    host.stop();
}

fn listed(fake: &FakeDiscovery) -> Usher {
    let dir = TempDir::new().expect("there is room for a directory");
    std::fs::write(dir.path().join("token"), TOKEN).expect("it can be written");
    let listing = format!(
        "[discovery]\nurl = \"{}\"\nname = \"Test\"\nport = 27015\ntoken-file = \"token\"\n",
        fake.url()
    );
    let setup = Setup::new()
        .policy("open", "builtin:open", "")
        .more(&listing);
    Usher::start_in(dir, &setup)
}

fn is_listed(status: &serde_json::Value) -> bool {
    status["evidence"]["discovery"]["state"] == "listed"
}

#[tokio::test(flavor = "multi_thread")]
async fn a_self_hosted_server_is_listed_until_everyone_was_told_that_it_stops() {
    let fake = FakeDiscovery::start(TOKEN);
    let mut host = listed(&fake);
    let status = host.wait_for("listed", is_listed);
    assert_eq!(status["evidence"]["mode"], "self-hosted");
    let id = status["evidence"]["discovery"]["server_id"].as_str();
    assert_eq!(id, Some("203.0.113.10:27015"));
    assert_eq!(fake.listed().as_deref(), id);
    let player = knock(host.tcp, "ada").await.expect("told").accepted();
    host.signal("-TERM");
    assert_eq!(player.ended().await, 1, "Shutdown");
    assert_eq!(host.wait_for_exit(), Some(0));
    assert_eq!(fake.listed(), None);
    let calls = fake.calls().all();
    assert_eq!(calls.last().map(|call| &*call.method), Some("DELETE"));
    let log = host.log();
    assert!(
        log.contains("mode     self-hosted: [discovery] has a token"),
        "{log}"
    );
    assert!(!log.contains(TOKEN), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_hangs_does_not_keep_the_host_from_stopping() {
    let fake = FakeDiscovery::start(TOKEN);
    let mut host = listed(&fake);
    host.wait_for("listed", is_listed);
    fake.fault(Fault::at("", What::Silence));
    let began = Instant::now();
    host.signal("-TERM");
    assert_eq!(host.wait_for_exit(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(6));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_token_is_taken_from_its_file_without_a_restart() {
    let fake = FakeDiscovery::start("dsc_another");
    let host = listed(&fake);
    let refused = |status: &serde_json::Value| {
        let discovery = &status["evidence"]["discovery"];
        discovery["state"] == "refused" && discovery["last_error"] == "it answered 401"
    };
    host.wait_for("refused", refused);
    std::fs::write(host.dir().join("token"), "dsc_another\n").expect("it can be written");
    host.signal("-HUP");
    host.wait_for("read again", |_| {
        host.log()
            .contains("another token of the directory is in force")
    });
    assert!(!host.log().contains("take a restart"), "{}", host.log());
    host.stop();
}

/// What `usher check` says of a configuration, with this in the environment.
fn check(lines: &str, environment: &[(&str, &str)]) -> Output {
    let dir = TempDir::new().expect("there is room for a directory");
    let file = dir.path().join("usher.toml");
    let rest = "[[policy]]\nname = \"open\"\nmodule = \"builtin:open\"\n[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n";
    std::fs::write(&file, format!("{lines}\n{rest}")).expect("it can be written");
    let mut command = Command::new(binary());
    command.arg("check").arg(&file).stdin(Stdio::null());
    command.env_remove("AGONES_SDK_HTTP_PORT");
    command.env("XDG_CACHE_HOME", dir.path().join("cache"));
    command.envs(environment.iter().copied());
    command.output().expect("the binary starts")
}

#[test]
fn a_host_without_certificates_does_not_start_to_ask_by_https() {
    let none = [("SSL_CERT_FILE", "/nowhere"), ("SSL_CERT_DIR", "/nowhere")];
    let service = |url| format!("[[service]]\nname = \"a\"\nurl = {url:?}");
    let output = check(&service("https://example.org/"), &none);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("install ca-certificates"),
        "{said}"
    );
    let output = check(&service("http://127.0.0.1:1/"), &none);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_mode_that_a_host_would_have_can_be_looked_up_before() {
    for (lines, port, line) in [
        (
            "",
            None,
            "mode     none, join tickets are refused: neither a fleet nor [discovery]\n",
        ),
        (
            "",
            Some("9358"),
            "mode     hosted: AGONES_SDK_HTTP_PORT is set\n",
        ),
        (
            "[sdk]\nport = 7\n",
            None,
            "mode     hosted: sdk.port is set\n",
        ),
        (
            "[evidence]\nmode = \"listen-lan\"",
            Some("9358"),
            "mode     listen-lan: evidence.mode says so\n",
        ),
        (
            "",
            Some("+80"),
            "warning  AGONES_SDK_HTTP_PORT is set and is no port",
        ),
    ] {
        let port = port.map(|port| ("AGONES_SDK_HTTP_PORT", port));
        let output = check(lines, port.as_slice());
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(line), "{said}");
    }
}
