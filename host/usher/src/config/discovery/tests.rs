use crate::config::Config;
use serde_json::{Value, json};
use std::path::Path;

const REST: &str = "[[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n";

const GOOD: &str = "[discovery]\nname = \"Mine\"\nport = 27015\ntoken-file = \"token\"\n";

fn read(folder: &Path, text: &str) -> Result<Config, String> {
    let config = Config::parse(&format!("{text}\n{REST}"), &folder.join("usher.toml"));
    config.map_err(|error| error.to_string().replace(&*folder.to_string_lossy(), "."))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("token"), "dsc_abcdef\n").expect("written");
    folder
}

#[test]
fn what_is_left_out_has_its_default() {
    let folder = folder();
    let config = read(folder.path(), GOOD).unwrap_or_else(|error| panic!("{error}"));
    let found = config.discovery.as_ref().expect("it is there");
    assert_eq!(&*found.url, "https://discovery.pingcore.io");
    assert_eq!(found.token.secret.expose(), "dsc_abcdef");
    assert_eq!(
        (found.port, found.query_port, found.max_players),
        (27015, 27016, 4)
    );
    assert_eq!(
        (&found.server_id, &found.ip, &found.version),
        (&None, &None, &None)
    );
    assert!(found.meta.is_empty());
    assert!(!format!("{config:?}").contains("dsc_"));
}

#[test]
fn everything_can_be_said() {
    let folder = folder();
    let more = "url = \"http://127.0.0.1:8080/\"\nserver-id = \"[::1]:27015\"\nip = \"203.0.113.10\"\nquery-port = 1\nversion = \"1.4\"\nmeta = { map = \"harbour\", round = 3, ranked = true }\n[limits]\nmax-players = 64";
    let config = read(folder.path(), &format!("{GOOD}{more}"));
    let found = config.expect("good").discovery.expect("it is there");
    assert_eq!(&*found.url, "http://127.0.0.1:8080");
    assert_eq!(found.server_id.as_deref(), Some("[::1]:27015"));
    assert_eq!(found.ip.as_deref(), Some("203.0.113.10"));
    assert_eq!((found.query_port, found.max_players), (1, 64));
    let meta = json!({ "map": "harbour", "ranked": true, "round": 3 });
    assert_eq!(Value::Object(found.meta), meta);
}

#[test]
fn each_mistake_is_named_with_what_would_be_right() {
    let folder = folder();
    std::fs::write(folder.path().join("empty"), "\n").expect("written");
    let without = |line: &str| GOOD.replace(&format!("{line}\n"), "");
    let long = "x".repeat(5000);
    for (text, line) in [
        (
            without("token-file = \"token\""),
            "./usher.toml:1: discovery.token-file: this is missing; for example: token-file = \"discovery.token\"",
        ),
        (
            without("name = \"Mine\""),
            "./usher.toml:1: discovery.name: this is missing; for example: name = \"My server\"",
        ),
        (
            without("port = 27015"),
            "./usher.toml:1: discovery.port: this is missing; for example: port = 27015",
        ),
        (
            GOOD.replace("\"token\"", "\"dsc_abcdef\""),
            "./usher.toml:4: discovery.token-file: the file that this names cannot be read: No such file or directory (os error 2); it must hold the token that the directory gave; for example: token-file = \"discovery.token\"",
        ),
        (
            GOOD.replace("\"token\"", "\"empty\""),
            "./usher.toml:4: discovery.token-file: the file must hold the token that the directory gave: 1 to 4096 printable ASCII characters, in one line; for example: token-file = \"discovery.token\"",
        ),
        (
            GOOD.replace("27015", "65535"),
            "./usher.toml:1: discovery.query-port: this is missing, and no port comes after the port; for example: query-port = 27016",
        ),
        (
            format!("{GOOD}token = \"dsc_abcdef\""),
            "./usher.toml:5: discovery.token: there is no such key; here are: url, token-file, server-id, name, ip, port, query-port, version, meta",
        ),
        (
            format!("{GOOD}url = \"http://example.org\""),
            "./usher.toml:5: discovery.url = \"http://example.org\": it must be https, unless it is on this machine; for example: url = \"https://discovery.example.org\"",
        ),
        (
            format!("{GOOD}server-id = \"a b\""),
            "./usher.toml:5: discovery.server-id = \"a b\": it must be 1 to 128 letters, digits and any of . _ : [ ] -, in quotes; for example: server-id = \"203.0.113.10:27015\"",
        ),
        (
            format!("{GOOD}ip = \"here\""),
            "./usher.toml:5: discovery.ip = \"here\": it must be an IP address in quotes; for example: ip = \"203.0.113.10\"",
        ),
        (
            format!("{GOOD}meta = {{ maps = [\"a\"] }}"),
            "./usher.toml:5: discovery.meta.maps = [\"a\"]: it must be text, a whole number, true or false",
        ),
        (
            format!("{GOOD}meta = {{ a = \"{long}\" }}"),
            "./usher.toml:1: discovery.meta: it must not have more than 4096 bytes as JSON; for example: meta = { map = \"harbour\" }",
        ),
        (
            format!("{GOOD}version = \" \""),
            "./usher.toml:5: discovery.version = \" \": it must be text in quotes, in one line; for example: version = \"1.4.2\"",
        ),
    ] {
        assert_eq!(read(folder.path(), &text).expect_err(line), line);
    }
}
