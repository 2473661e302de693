use super::{Lifecycle, Mode, Sdk};
use crate::config::Config;
use std::path::Path;
use std::time::Duration;

const REST: &str = "[[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n";

fn read(text: &str) -> Result<Config, String> {
    let config = Config::parse(&format!("{text}\n{REST}"), Path::new("usher.toml"));
    config.map_err(|error| error.to_string())
}

#[test]
fn settings_mean_what_they_say() {
    let config = read("").expect("good");
    assert_eq!((config.mode, config.sdk), (None, Sdk::default()));
    let text = "[evidence]\nmode = \"listen-lan\"\n[sdk]\nport = 1\nlifecycle = \"usher\"\nclaim-lobby = \"5s\"";
    let config = read(text).expect("good");
    let sdk = Sdk {
        port: Some(1),
        lifecycle: Lifecycle::Usher,
        claim_lobby: Duration::from_secs(5),
    };
    assert_eq!((config.mode, config.sdk), (Some(Mode::ListenLan), sdk));
    assert_eq!(
        read("[evidence]\nmode = \"auto\"").expect("good").mode,
        None
    );
}

#[test]
fn each_mistake_is_named_with_what_would_be_right() {
    for (text, line) in [
        (
            "[evidence]\nmode = \"host\"",
            "usher.toml:2: evidence.mode = \"host\": it must be \"auto\" or one of \"hosted\", \"self-hosted\", \"listen-online\", \"listen-lan\", \"none\"; for example: mode = \"auto\"",
        ),
        (
            "[evidence]\nmod = \"auto\"",
            "usher.toml:2: evidence.mod: there is no such key; did you mean mode?",
        ),
        (
            "[evidence]\nmode = \"listen-online\"",
            "usher.toml: discovery: this is missing, and the mode needs a directory to ask; for example: [discovery] token-file = \"discovery.token\" …",
        ),
        (
            "[sdk]\nport = 0",
            "usher.toml:2: sdk.port = 0: it must be a whole number from 1 to 65535; for example: port = 9358",
        ),
        (
            "[sdk]\nlifecycle = \"fleet\"",
            "usher.toml:2: sdk.lifecycle = \"fleet\": it must be \"game\" or \"usher\"; for example: lifecycle = \"game\"",
        ),
        (
            "[sdk]\nclaim-lobby = \"0s\"",
            "usher.toml:2: sdk.claim-lobby = \"0s\": it must be a duration in quotes, from 1s to 1h; for example: claim-lobby = \"30s\"",
        ),
    ] {
        assert_eq!(read(text).expect_err(line), line);
    }
}
