//! Bad settings of the door, each with the exact line that the operator reads, and what good ones mean.

use super::super::{Config, Protocol};
use super::*;
use std::path::Path;
use usher_core::{Binding, Secret};

const GOOD: &str = r#"
[[door]]
name = "main"
protocol = "mafianet"
udp = "127.0.0.1:4243"
[[policy]]
name = "open"
module = "builtin:open"
[[bucket]]
name = "bans"
"#;

/// The door of this text with these lines added to it, in a directory with a password.
fn door(lines: &str) -> Result<(Mafianet, usher_core::DoorConfig), String> {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, content) in [
        ("door.password", "hunter2\n"),
        ("empty", "\n"),
        ("long", &*"x".repeat(256)),
        ("two", "hunter2\nhunter3\n"),
        ("marked", "\u{feff}hunter2\r\n"),
    ] {
        std::fs::write(dir.path().join(name), content).expect("written");
    }
    let text = GOOD.replacen("[[policy]]", &format!("{lines}\n[[policy]]"), 1);
    let config = Config::parse(&text, &dir.path().join("usher.toml")).map_err(|mut error| {
        error.file = Some("usher.toml".into());
        error.to_string()
    })?;
    let core = config.to_core().doors.remove(0);
    match config.doors.into_iter().next().map(|door| door.protocol) {
        Some(Protocol::Mafianet(door)) => Ok((door, core)),
        other => panic!("{other:?} is no such door"),
    }
}

#[test]
fn bad_settings_are_told_with_what_would_be_right() {
    for (line, expected) in [
        (
            "connection-timeuot = \"10s\"",
            "connection-timeuot: there is no such key; did you mean connection-timeout?",
        ),
        (
            "cookies = true",
            "cookies: there is no such key; did you mean cookie?",
        ),
        (
            "cookie = \"yes\"",
            "cookie = \"yes\": it must be true or false; for example: cookie = true",
        ),
        (
            "protocols = []",
            "protocols = []: it must be a list of 7 (MafiaNet) and 6 (RakNet 4, SLikeNet); for example: protocols = [7]",
        ),
        (
            "protocols = [7, 8]",
            "protocols = [7, 8]: it must be a list of 7 (MafiaNet) and 6 (RakNet 4, SLikeNet); for example: protocols = [7]",
        ),
        (
            "protocols = [7, 7]",
            "protocols = [7, 7]: 7 is named twice; for example: protocols = [7]",
        ),
        (
            "protocols = [7, 6]\ncookie = false",
            "protocols = [7, 6]: without a cookie only one protocol can be told from others; for example: protocols = [7]",
        ),
        (
            "ban-bucket = \"ban\"",
            "ban-bucket = \"ban\": there is no [[bucket]] named \"ban\"; did you mean bans?; for example: ban-bucket = \"bans\"",
        ),
        (
            "advertise = \"{player} of {max-players}\"",
            "advertise = \"{player} of {max-players}\": there is no {player}; there are: {players}, {max-players}; for example: advertise = \"My server, {players} of {max-players}\"",
        ),
        (
            "connection-timeout = \"0s\"",
            "connection-timeout = \"0s\": it must be a duration in quotes, from 1s to 1h; for example: connection-timeout = \"10s\"",
        ),
        (
            "max-message = 0",
            "max-message = 0: it must be a whole number from 1 to 65536; for example: max-message = 65536",
        ),
        // None of these shows what may be a password.
        (
            "password-file = \"none\"",
            "password-file: the file that this names cannot be read: No such file or directory (os error 2); it must hold the password; for example: password-file = \"door.password\"",
        ),
        (
            "password-file = \"empty\"",
            "password-file: the file must hold one password of 1 to 255 bytes, in one line; for example: password-file = \"door.password\"",
        ),
        (
            "password-file = \"long\"",
            "password-file: the file must hold one password of 1 to 255 bytes, in one line; for example: password-file = \"door.password\"",
        ),
        (
            "password-file = \"two\"",
            "password-file: the file must hold one password of 1 to 255 bytes, in one line; for example: password-file = \"door.password\"",
        ),
    ] {
        let expected = format!("usher.toml:6: door[0].{expected}");
        assert_eq!(door(line).expect_err(line), expected);
    }
}

#[test]
fn a_password_file_of_any_editor_holds_the_password_alone() {
    let (door, _) = door("password-file = \"marked\"").expect("a good file");
    let password = door.password.expect("it has one").password;
    assert_eq!(password, Secret::new("hunter2"));
}

#[test]
fn it_listens_on_ipv4_and_on_a_port_of_its_own() {
    let text = GOOD.replace("127.0.0.1:4243", "[::1]:4243");
    let error = Config::parse(&text, Path::new("usher.toml")).expect_err("no IPv4");
    assert_eq!(
        error.to_string(),
        "usher.toml:5: door[0].udp = \"[::1]:4243\": it must be an IPv4 address and a port in quotes (port 0: any free port); the protocol has no IPv6; for example: udp = \"127.0.0.1:4243\""
    );
    let second = "[[door]]\nname = \"b\"\nprotocol = \"mafianet\"\nudp = \"127.0.0.1:4243\"";
    assert_eq!(
        door(second).expect_err("taken"),
        "usher.toml: door[1].udp = \"127.0.0.1:4243\": door[0].udp listens there already"
    );
}

#[test]
fn a_text_that_would_be_too_long_with_its_figures_is_refused() {
    let fits = format!("advertise = \"{}{{players}}\"", "x".repeat(394));
    assert!(door(&fits).is_ok());
    let too_long = format!("advertise = \"{}{{players}}\"", "x".repeat(395));
    let error = door(&too_long).expect_err("399 bytes is the most");
    assert!(error.contains("more than 399 bytes"), "{error}");
    // Braces that are no figure are the text's own.
    assert!(door("advertise = '{\"name\":\"x\",\"on\":{players}} {} {'").is_ok());
}

#[test]
fn settings_mean_what_they_say() {
    let (door, core) = door(
        r#"
cookie = false
protocols = [6]
password-file = "door.password"
ban-bucket = "bans"
advertise = "{players}"
pongs-per-second = 7
pongs-per-address = 0
timeout-reason = "Too late."
full-reason = "Full."
connection-timeout = "3s"
max-message = 1000
"#,
    )
    .expect("good");
    assert_eq!((door.cookie, &door.protocols[..]), (false, &[6][..]));
    let password = door.password.expect("it has one");
    assert_eq!(password.password, Secret::new("hunter2"));
    assert!(!format!("{password:?}").contains("hunter"));
    assert_eq!(door.ban_bucket.as_deref(), Some("bans"));
    assert_eq!((door.pongs, door.pongs_each), (7, 0));
    assert_eq!(door.max_message, 1000);
    assert_eq!(core.binding, Binding::None);
    assert_eq!(core.player_number, None);
    assert_eq!(core.connection_timeout, Duration::from_secs(3));
    assert_eq!(
        (&*core.timeout_text, &*core.full_text),
        ("Too late.", "Full.")
    );
}

#[test]
fn the_reference_on_the_protocol_s_page_is_true() {
    let page = include_str!("../../../../../docs/protocols/mafianet.md");
    let (_, rest) = page.split_once("```toml\n").expect("it has a reference");
    let (reference, _) = rest.split_once("```").expect("which ends");
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("door.password"), "hunter2").expect("written");
    let more =
        "[[policy]]\nname = \"queue\"\nmodule = \"builtin:queue\"\n[[bucket]]\nname = \"bans\"\n";
    let text = format!("{reference}\n{more}");
    let read = Config::parse(&text, &dir.path().join("usher.toml")).expect("good");
    let Some(Protocol::Mafianet(read)) = read.doors.first().map(|door| &door.protocol) else {
        panic!("it has a door of the protocol");
    };
    let (default, _) = door("").expect("good");
    let expected = Mafianet {
        udp: read.udp,
        password: read.password.clone(),
        ban_bucket: read.ban_bucket.clone(),
        ..default
    };
    assert_eq!(*read, expected);
}
