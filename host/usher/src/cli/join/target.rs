//! Whom to join as, and where: the command line as something that can be done.

use crate::cli::address::Address;
use crate::cli::args::Join;
use std::fs;
use std::path::Path;
use std::time::Duration;
use usher_client::rtyp::PlayerName;
use usher_client::ticket::JoinTicket;

/// What is to be joined. No `Debug`: it may hold a password.
pub(super) enum Target {
    Rtyp {
        address: String,
        name: PlayerName,
    },
    MafiaNet {
        address: String,
        payload: Vec<u8>,
        password: Vec<u8>,
        session_timeout: Duration,
    },
    WebSocket {
        address: String,
        name: Option<String>,
        payload: Vec<u8>,
        session_timeout: Duration,
    },
}

/// How long to wait for a decision where nothing is said about it.
const SESSION_TIMEOUT: Duration = Duration::from_secs(10);

impl Target {
    /// Takes the command line at its word.
    ///
    /// # Errors
    ///
    /// What it says that cannot be meant, in a sentence.
    pub(super) fn new(said: &Join) -> Result<Target, String> {
        let Join {
            address,
            name,
            payload,
            payload_file,
            ticket,
            password,
            password_file,
            session_timeout,
        } = said;
        let has_payload = payload.is_some() || payload_file.is_some() || ticket.is_some();
        let passwords = [
            ("--password", password.is_some()),
            ("--password-file", password_file.is_some()),
        ];
        match address {
            Address::Rtyp(address) => {
                let only = [
                    ("--payload", payload.is_some()),
                    ("--payload-file", payload_file.is_some()),
                    ("--ticket", ticket.is_some()),
                    ("--session-timeout", session_timeout.is_some()),
                ];
                refuse(&only, "mafianet:// and ws://")?;
                refuse(&passwords, "mafianet://")?;
                let name = name.as_ref().ok_or("a tcp:// door needs --name")?;
                Ok(Target::Rtyp {
                    address: address.clone(),
                    name: name.parse().map_err(|error| format!("--name: {error}"))?,
                })
            }
            Address::MafiaNet(address) => {
                let payload = match (name, has_payload) {
                    (Some(_), true) => {
                        return Err(
                            "at mafianet:// --name is the payload: say one of both".to_owned()
                        );
                    }
                    (Some(name), false) => name.clone().into_bytes(),
                    (None, _) => self::payload(said)?,
                };
                let password = match password_file {
                    Some(file) => first_line(read(file)?),
                    None => password.clone().unwrap_or_default().into_bytes(),
                };
                Ok(Target::MafiaNet {
                    address: address.clone(),
                    payload,
                    password,
                    session_timeout: session_timeout.unwrap_or(SESSION_TIMEOUT),
                })
            }
            Address::WebSocket(address) => {
                refuse(&passwords, "mafianet://")?;
                Ok(Target::WebSocket {
                    address: address.clone(),
                    name: name.clone(),
                    payload: self::payload(said)?,
                    session_timeout: session_timeout.unwrap_or(SESSION_TIMEOUT),
                })
            }
        }
    }
}

/// Refuses what other doors have a place for.
fn refuse(options: &[(&str, bool)], doors: &str) -> Result<(), String> {
    match options.iter().find(|(_, said)| *said) {
        Some((option, _)) => Err(format!("{option} is for {doors} doors")),
        None => Ok(()),
    }
}

/// What the policies are to decide by.
fn payload(said: &Join) -> Result<Vec<u8>, String> {
    match (&said.payload_file, &said.ticket, &said.payload) {
        (Some(file), ..) => read(file),
        (None, Some(file), _) => checked(file),
        (None, None, Some(text)) => Ok(text.clone().into_bytes()),
        (None, None, None) => Ok(Vec::new()),
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// A join ticket as it is written, if a server would take it for one. What is wrong with it is said without
/// quoting it: its ids are secrets.
fn checked(file: &Path) -> Result<Vec<u8>, String> {
    let payload = read(file)?;
    match JoinTicket::decode(&payload) {
        Ok(_) => Ok(payload),
        Err(refusal) => Err(format!(
            "{} is no join ticket: {} ({})",
            file.display(),
            refusal.detail(),
            refusal.reason()
        )),
    }
}

/// Whatever an editor or `echo` puts behind a password is no part of it.
fn first_line(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    bytes.truncate(end.unwrap_or(bytes.len()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Cli, Command};
    use clap::Parser as _;

    fn target(line: &str) -> Result<Target, String> {
        let line = format!("usher join {line}");
        match Cli::try_parse_from(line.split_whitespace()) {
            Ok(Cli {
                command: Command::Join(join),
            }) => Target::new(&join),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_door_has_no_place_for_is_refused() {
        for line in [
            "",
            "tcp://127.0.0.1:1",
            "--name 12345678901234567",
            "--payload x",
            "--name R9 --password x",
            "--name R9 --session-timeout 5s",
            "--ticket /no/such/file",
            "mafianet://127.0.0.1:1 --payload-file /no/such/file",
            "mafianet://127.0.0.1:1 --ticket /no/such/file",
            "mafianet://127.0.0.1:1 --name R9 --payload x",
            "--name R9 --ticket /dev/null",
            "ws://127.0.0.1:1 --password x",
            "ws://127.0.0.1:1 --ticket /dev/null",
        ] {
            assert!(target(line).is_err(), "{line}");
        }
        assert!(target("--name R9").is_ok());
    }

    #[test]
    fn a_mafianet_door_is_given_a_payload_a_password_and_time() {
        let door = "mafianet://127.0.0.1:4243";
        for (options, wanted) in [
            ("", (&b""[..], &b""[..], 10)),
            ("--name R9", (b"R9", b"", 10)),
            ("--payload ticket=abc", (b"ticket=abc", b"", 10)),
            (
                "--password sesame --session-timeout 2m",
                (b"", b"sesame", 120),
            ),
        ] {
            let Ok(Target::MafiaNet {
                payload,
                password,
                session_timeout,
                ..
            }) = target(&format!("{door} {options}"))
            else {
                panic!("{options}");
            };
            let got = (&payload[..], &password[..], session_timeout.as_secs());
            assert_eq!(got, wanted, "{options}");
        }
    }

    #[test]
    fn a_ticket_is_sent_as_it_is_written_and_only_if_it_is_one() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("ticket.json");
        let line = format!("mafianet://127.0.0.1:4243 --ticket {}", file.display());
        let good =
            "{ \"v\": 1, \"kind\": \"lan\", \"protocolVersion\": 3, \"playerId\": \"p-1\" }\n";
        fs::write(&file, good).expect("written");
        let Ok(Target::MafiaNet { payload, .. }) = target(&line) else {
            panic!("it is a ticket");
        };
        assert_eq!(payload, good.as_bytes());

        fs::write(&file, good.replace("\"p-1\"", "[\"p-1\"]")).expect("written");
        let wrong = target(&line).err().expect("it is none");
        let end = "is no join ticket: playerId is not text (payload_invalid)";
        assert!(wrong.ends_with(end), "{wrong}");
    }

    #[test]
    fn a_websocket_door_is_given_a_name_and_a_payload() {
        let Ok(Target::WebSocket {
            address,
            name,
            payload,
            ..
        }) = target("ws://127.0.0.1:4245/play --name R9 --payload x")
        else {
            panic!("it is a target");
        };
        assert_eq!(address, "127.0.0.1:4245/play");
        assert_eq!((name.as_deref(), &payload[..]), (Some("R9"), &b"x"[..]));
    }

    #[test]
    fn a_password_file_holds_one_line() {
        assert_eq!(first_line(b"sesame\r\n".to_vec()), b"sesame");
        assert_eq!(first_line(b"sesame".to_vec()), b"sesame");
    }
}
