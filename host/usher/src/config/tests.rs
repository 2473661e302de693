//! Bad configurations, each with the exact line that the operator reads.

use super::*;
use std::time::Duration;
use usher_core::FailMode;

const GOOD: &str = r#"
[[door]]
name = "main"
protocol = "rtyp"
tcp = "127.0.0.1:4241"
udp = "127.0.0.1:4242"
[[policy]]
name = "rtyp"
module = "builtin:rtyp"
"#;

fn error(text: &str) -> String {
    match Config::parse(text, Path::new("usher.toml")) {
        Ok(config) => panic!("this is no error: {text}\n{config:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_bad_configuration_names_the_key_the_value_and_what_would_be_right() {
    let cases: &[(&str, &str, &str)] = &[
        // (what is replaced, by what, the line)
        (
            "[[door]]",
            "[limits]\nmax-players = 0\n[[door]]",
            "usher.toml:3: limits.max-players = 0: it must be a whole number from 1 to 65536; for example: max-players = 4",
        ),
        (
            "[[door]]",
            "[limits]\nmax-players = 99_999_999_999\n[[door]]",
            "usher.toml:3: limits.max-players = 99_999_999_999: it must be a whole number from 1 to 65536; for example: max-players = 4",
        ),
        (
            "[[door]]",
            "[limits]\nmax-players = \"4\"\n[[door]]",
            "usher.toml:3: limits.max-players = \"4\": it must be a whole number from 1 to 65536; for example: max-players = 4",
        ),
        (
            "[[door]]",
            "[limits]\nmax-player = 4\n[[door]]",
            "usher.toml:3: limits.max-player: there is no such key; did you mean max-players?",
        ),
        (
            "[[door]]",
            "[limits]\nmax_pending = 4\n[[door]]",
            "usher.toml:3: limits.max_pending: there is no such key; did you mean max-pending?",
        ),
        (
            "[[door]]",
            "[limits]\nseats = 4\n[[door]]",
            "usher.toml:3: limits.seats: there is no such key; here are: max-players, max-pending, max-pending-per-address, session-timeout, decision-timeout, queue-grace, queue-max-wait, duplicate-identity, status-interval",
        ),
        (
            "[[door]]",
            "limits = 4\n[[door]]",
            "usher.toml:2: limits = 4: a table must start with [limits]",
        ),
        (
            "[[door]]",
            "[limits]\nsession-timeout = 45\n[[door]]",
            "usher.toml:3: limits.session-timeout = 45: it must be a duration in quotes, from 0s to 1h; for example: session-timeout = \"45s\"",
        ),
        (
            "[[door]]",
            "[limits]\ndecision-timeout = \"0s\"\n[[door]]",
            "usher.toml:3: limits.decision-timeout = \"0s\": it must be a duration in quotes, from 100ms to 1h; for example: decision-timeout = \"10s\"",
        ),
        (
            "[[door]]",
            "[rule]\n[[door]]",
            "usher.toml:2: rule: there is no such key; did you mean rules?",
        ),
        (
            "[[door]]",
            "[[doors]]",
            "usher.toml: door: at least one door must be open, and there is none; for example: [[door]] name = \"main\" protocol = \"rtyp\" …",
        ),
        (
            "[[door]]",
            "[door]",
            "usher.toml:2: door = [door]: each must start with [[door]]",
        ),
        (
            "name = \"main\"\n",
            "",
            "usher.toml:2: door[0].name: this is missing; for example: name = \"main\"",
        ),
        (
            "\"main\"",
            "\"Main Hall\"",
            "usher.toml:3: door[0].name = \"Main Hall\": it must be 1 to 64 lower-case letters, digits, - and _, and begin with a letter; for example: name = \"main\"",
        ),
        (
            "protocol = \"rtyp\"",
            "protocol = \"quic\"",
            "usher.toml:4: door[0].protocol = \"quic\": it must be a protocol that Usher speaks: \"rtyp\" or \"mafianet\" or \"websocket\" or \"http\"; for example: protocol = \"rtyp\"",
        ),
        (
            "\"127.0.0.1:4241\"",
            "\"localhost:4241\"",
            "usher.toml:5: door[0].tcp = \"localhost:4241\": it must be an IP address and a port in quotes (port 0: any free port); for example: tcp = \"127.0.0.1:4241\"",
        ),
        (
            "\"127.0.0.1:4242\"",
            "\"127.0.0.1:70000\"",
            "usher.toml:6: door[0].udp = \"127.0.0.1:70000\": it must be an IP address and a port in quotes (port 0: any free port); for example: udp = \"127.0.0.1:4242\"",
        ),
        (
            "[[policy]]",
            "policies = []\n[[policy]]",
            "usher.toml:7: door[0].policies = []: a door asks at least one policy; for example: policies = [\"rtyp\"]",
        ),
        (
            "[[policy]]",
            "policies = [\"rtpy\"]\n[[policy]]",
            "usher.toml:7: door[0].policies = [\"rtpy\"]: there is no [[policy]] named \"rtpy\"; did you mean rtyp?; for example: policies = [\"rtyp\"]",
        ),
        (
            "[[policy]]",
            "policies = [\"rtyp\", \"rtyp\"]\n[[policy]]",
            "usher.toml:7: door[0].policies = [\"rtyp\", \"rtyp\"]: \"rtyp\" is named twice; for example: policies = [\"rtyp\"]",
        ),
        (
            "[[policy]]",
            "[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:1\"\nudp = \"127.0.0.1:2\"\n[[policy]]",
            "usher.toml:7: door[1].name = \"main\": another [[door]] has this name; for example: name = \"second\"",
        ),
        (
            "[[policy]]",
            "[[door]]\nname = \"b\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:4241\"\nudp = \"127.0.0.1:2\"\n[[policy]]",
            "usher.toml: door[1].tcp = \"127.0.0.1:4241\": door[0].tcp listens there already",
        ),
        (
            "[[policy]]\nname = \"rtyp\"\nmodule = \"builtin:rtyp\"\n",
            "",
            "usher.toml: policy: at least one policy must decide, and there is none; for example: [[policy]] name = \"rtyp\" module = \"builtin:rtyp\"",
        ),
        (
            "builtin:rtyp",
            "builtin:rtp",
            "usher.toml:9: policy[0].module = \"builtin:rtp\": there is no built-in policy of this name; did you mean builtin:rtyp?; for example: module = \"builtin:rtyp\"",
        ),
        (
            "builtin:rtyp",
            "builtin:arena",
            "usher.toml:9: policy[0].module = \"builtin:arena\": builtin:arena is not a policy; there are: builtin:allowlist, builtin:denylist, builtin:join-ticket, builtin:open, builtin:queue, builtin:rtyp, builtin:session-open; for example: module = \"builtin:rtyp\"",
        ),
        (
            "builtin:rtyp",
            "no/such.wasm",
            "usher.toml:9: policy[0].module = \"no/such.wasm\": no/such.wasm cannot be read: No such file or directory (os error 2); for example: module = \"builtin:rtyp\"",
        ),
        (
            "name = \"rtyp\"\nmodule",
            "name = \"rules\"\nmodule",
            "usher.toml:8: policy[0].name = \"rules\": this name means the [rules]; choose another; for example: name = \"rtyp\"",
        ),
        (
            "module = \"builtin:rtyp\"",
            "module = \"builtin:rtyp\"\nfail = \"shut\"",
            "usher.toml:10: policy[0].fail = \"shut\": it must be \"closed\", \"open\" or \"last-good\"; for example: fail = \"closed\"",
        ),
        (
            "module = \"builtin:rtyp\"",
            "module = \"builtin:rtyp\"\ndeadline = \"1m\"",
            "usher.toml:10: policy[0].deadline = \"1m\": it must be a duration in quotes, from 1ms to 10s; for example: deadline = \"20ms\"",
        ),
        (
            "module = \"builtin:rtyp\"",
            "module = \"builtin:rtyp\"\ndeadline = \"9s\"\n[limits]\ndecision-timeout = \"8s\"",
            "usher.toml:10: policy[0].deadline = \"9s\": it must not be longer than limits.decision-timeout; for example: deadline = \"20ms\"",
        ),
        (
            "module = \"builtin:rtyp\"",
            "module = \"builtin:rtyp\"\nparams = { key = { pass = \"hunter2\" } }",
            "usher.toml:10: policy[0].params.key: a param must be text, a number, a flag or a list of these",
        ),
        (
            "module = \"builtin:rtyp\"",
            "module = \"builtin:rtyp\"\nparams = \"hunter2\"",
            "usher.toml:10: policy[0].params: it must be a table; for example: params = { greeting = \"hello\" }",
        ),
        (
            "module = \"builtin:rtyp\"\n",
            "module = \"builtin:rtyp\"\n[[policy]]\nname = \"rtyp\"\nmodule = \"builtin:open\"\n",
            "usher.toml:10: policy[1].name = \"rtyp\": another [[policy]] has this name; for example: name = \"second\"",
        ),
        (
            "[[door]]",
            "[rules]\n[[door]]",
            "usher.toml:2: rules.module: this is missing; for example: module = \"builtin:arena\"",
        ),
        (
            "[[door]]",
            "[audit]\nfile = \"no/such/audit.jsonl\"\n[[door]]",
            "usher.toml:3: audit.file = \"no/such/audit.jsonl\": there is no directory no/such; for example: file = \"audit.jsonl\"",
        ),
        (
            "[[door]]",
            "[admin]\nlisten = \"0.0.0.0:4280\"\n[[door]]",
            "usher.toml:2: admin.token-file: this is missing, and other machines can reach the listen address 0.0.0.0:4280; for example: token-file = \"admin.token\"",
        ),
        (
            "[[door]]",
            "[admin]\ntoken-file = \"no.token\"\n[[door]]",
            "usher.toml:3: admin.token-file: the file that this names cannot be read: No such file or directory (os error 2); it must hold a token, such as `openssl rand -hex 32` gives; for example: token-file = \"admin.token\"",
        ),
        (
            "[[door]]",
            "[admin]\nlisten = \"127.0.0.1:4241\"\n[[door]]",
            "usher.toml: admin.listen = \"127.0.0.1:4241\": door[0].tcp listens there already",
        ),
    ];
    for (from, to, expected) in cases {
        assert!(GOOD.contains(from), "{from}");
        let text = GOOD.replacen(from, to, 1);
        assert_eq!(&error(&text), expected, "\n{text}");
    }
}

#[test]
fn what_is_not_toml_is_told_with_its_line() {
    let line = error("[limits]\nmax-players 4\n");
    assert!(
        line.starts_with("usher.toml:2: this is not TOML: "),
        "{line}"
    );
    let twice = error("[limits]\nmax-players = 4\nmax-players = 5\n");
    assert!(
        twice.starts_with("usher.toml:3: this is not TOML: "),
        "{twice}"
    );
    assert!(!line.contains('\n') && !twice.contains('\n'));
}

#[test]
fn a_full_configuration_means_what_it_says() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("mine.wasm"), b"\0asm").expect("written");
    std::fs::write(dir.path().join("admin.token"), "0123456789abcdef0123\n").expect("written");
    let text = r#"
[limits]
max-players = 8
max-pending = 0
max-pending-per-address = 0
session-timeout = "45s"
decision-timeout = "5s"
queue-grace = "1m 30s"
queue-max-wait = "2m"
[[policy]]
name = "bans"
module = "mine.wasm"
fail = "last-good"
deadline = "5ms"
params = { greeting = "hello", most = 12, strict = true, names = ["a", "b"] }
[[policy]]
name = "rtyp"
module = "builtin:rtyp"
[[door]]
name = "main"
protocol = "rtyp"
tcp = "[::1]:0"
udp = "[::1]:0"
udp-timeout = "3s"
bind-timeout = "4s"
[[door]]
name = "friends"
protocol = "rtyp"
tcp = "127.0.0.1:0"
udp = "127.0.0.1:0"
policies = ["rtyp"]
[rules]
module = "builtin:arena"
params = {}
[audit]
file = "audit.jsonl"
[admin]
listen = "0.0.0.0:4280"
token-file = "admin.token"
"#;
    let config = Config::parse(text, &dir.path().join("usher.toml")).expect("good");
    let core = config.to_core();
    assert_eq!((core.max_players, core.max_pending), (8, 0));
    assert_eq!(core.queue_grace, Duration::from_secs(90));
    assert_eq!(core.doors.len(), 2);
    assert_eq!(
        core.doors[0].binding,
        usher_core::Binding::Token {
            bind_timeout: Duration::from_secs(4),
            idle_timeout: Duration::from_secs(3),
        }
    );
    assert_eq!(config.doors[0].policies, [SlotId(0), SlotId(1)]);
    assert_eq!(config.doors[1].policies, [SlotId(1)]);
    let bans = &config.policies[0];
    assert_eq!(bans.module, Module::File(dir.path().join("mine.wasm")));
    assert_eq!(bans.fail, FailMode::LastGood);
    let params: Vec<(&str, &str)> = bans
        .params
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    assert_eq!(
        params,
        [
            ("greeting", "hello"),
            ("most", "12"),
            ("names", "[\"a\", \"b\"]"),
            ("strict", "true"),
        ]
    );
    assert_eq!(
        config.audit.map(|audit| audit.file),
        Some(dir.path().join("audit.jsonl"))
    );
    let shown = format!("{:?}", config.admin);
    assert!(!shown.contains("0123456789abcdef"), "{shown}");
}

#[test]
fn what_a_file_leaves_out_has_its_default() {
    let read = Config::parse(GOOD, Path::new("usher.toml")).expect("good");
    let default = Config::default();
    assert_eq!(read.limits, default.limits);
    assert_eq!(read.doors, default.doors);
    assert_eq!(read.policies, default.policies);
    assert_eq!((read.rules, read.audit, read.admin), (None, None, None));
}

#[test]
fn policies_of_the_command_line_replace_the_chain() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("My Rule.wasm");
    std::fs::write(&path, b"\0asm").expect("written");
    let mut config = Config::default();
    let given = [path.display().to_string(), "builtin:open".to_owned()];
    config.replace_policies(&given).expect("good");
    let names: Vec<&str> = config.policies.iter().map(|policy| &*policy.name).collect();
    assert_eq!(names, ["my_rule", "open"]);
    assert_eq!(config.doors[0].policies, [SlotId(0), SlotId(1)]);

    let wrong = |given: &str| {
        let error = Config::default().replace_policies(&[given.to_owned()]);
        error.expect_err("wrong").to_string()
    };
    assert_eq!(
        wrong("builtin:opne"),
        "--policy = \"builtin:opne\": there is no built-in policy of this name; did you mean builtin:open?; for example: --policy builtin:rtyp"
    );
    assert_eq!(
        wrong("no.wasm"),
        "--policy = \"no.wasm\": no.wasm cannot be read: No such file or directory (os error 2); for example: --policy builtin:rtyp"
    );
}

#[test]
fn more_seats_than_a_policy_can_fill_are_refused() {
    let mut config = Config::default();
    config.limits.max_players = 8;
    assert_eq!(config.check_capacity("open", None), Ok(()));
    assert_eq!(config.check_capacity("big", Some(8)), Ok(()));
    assert_eq!(
        config
            .check_capacity("rtyp", Some(4))
            .expect_err("too many")
            .to_string(),
        "limits.max-players = 8: the policy \"rtyp\" can seat 4 at most; for example: max-players = 4"
    );
}

#[test]
fn the_reference_in_the_readme_is_true() {
    let readme = include_str!("../../../../README.md");
    let (_, rest) = readme.split_once("```toml\n").expect("it has a reference");
    let (reference, _) = rest.split_once("```").expect("which ends");
    let dir = tempfile::tempdir().expect("a directory");
    for secret in "admin.token discovery.token door.token players.authorization".split(' ') {
        std::fs::write(dir.path().join(secret), "0123456789abcdef").expect("written");
    }
    let read = Config::parse(reference, &dir.path().join("usher.toml")).expect("good");
    let default = Config::default();
    assert_eq!(read.limits, default.limits);
    assert_eq!(read.doors.first(), default.doors.first());
    assert_eq!(read.rules, default.rules);
    assert_eq!(read.mode, default.mode);
    let listen = |admin: Option<Admin>| admin.map(|admin| admin.listen);
    assert_eq!(listen(read.admin), listen(default.admin));
    let params = Params::from([("greeting".to_owned(), "hello".to_owned())]);
    let expected = Policy {
        params,
        ..Policy::new("rtyp", Module::Builtin(builtin::default_policy()))
    };
    assert_eq!(read.policies.first(), Some(&expected));
}
