//! The settings of an `http` door.

use super::error::ConfigError;
use super::operate::token_file;
use super::reader::Section;
use super::value::{HOUR, address, duration, flag};
use std::net::SocketAddr;
use std::time::Duration;
use usher_core::Secret;

/// The settings of an `http` door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Http {
    /// Where the game server calls. Port 0: any free port.
    pub tcp: SocketAddr,
    /// What it must show. Absent only on loopback, where the operator says so.
    pub token: Option<Secret>,
    /// How soon an acceptance must be confirmed.
    pub confirm_timeout: Duration,
    /// How long the game server may be silent.
    pub lease: Duration,
}

impl Http {
    /// What bounds an unanswered request where `session-timeout` is not set: nobody's patience, because the
    /// game server asks again and again; longer than any decision that a ticket needs.
    pub(super) const CONNECTION_TIMEOUT: Duration = Duration::from_secs(15);

    /// Reads what is of this protocol.
    pub(super) fn read(section: &mut Section<'_>) -> Result<Http, ConfigError> {
        const TOKEN_FILE: &str = "token-file = \"door.token\"";
        const WITHOUT: &str = "without-token = true";
        let tcp = section.required("tcp", "tcp = \"127.0.0.1:4244\"", address)?;
        let token = token_file(section, TOKEN_FILE)?;
        let without = section.entry("without-token", WITHOUT);
        let says_without = without
            .as_ref()
            .map(|entry| entry.parse(flag))
            .transpose()?;
        let says_without = says_without.unwrap_or(false);
        let is_loopback = tcp.ip().to_canonical().is_loopback();
        if let (true, Some(entry)) = (says_without, without) {
            if token.is_some() {
                return Err(entry.error("there is a token-file; leave one of the two out"));
            }
            if !is_loopback {
                let problem = format!("other machines can reach {tcp}, so a token-file is needed");
                return Err(entry.error(problem));
            }
        }
        if token.is_none() && !says_without {
            let mut error = section.missing("token-file", TOKEN_FILE);
            error.problem = match is_loopback {
                true => format!(
                    "this is missing; where everyone at this machine may decide who comes in, say \
                     {WITHOUT}"
                ),
                false => format!("this is missing, and other machines can reach {tcp}"),
            };
            return Err(error);
        }
        let time = || duration(Duration::from_secs(1)..=HOUR);
        Ok(Http {
            tcp,
            token,
            confirm_timeout: section
                .optional("confirm-timeout", "confirm-timeout = \"10s\"", time())?
                .unwrap_or(Duration::from_secs(10)),
            lease: section
                .optional("lease", "lease = \"30s\"", time())?
                .unwrap_or(Duration::from_secs(30)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::reader::Source;
    use std::path::Path;

    fn read(text: &str, file: &Path) -> Result<Http, String> {
        let mut section = Source { file, text }.root().expect("TOML");
        let read = Http::read(&mut section).map_err(|error| error.to_string())?;
        section.finish().map_err(|error| error.to_string())?;
        Ok(read)
    }

    #[test]
    fn without_a_token_nobody_decides_who_comes_in_unless_the_operator_says_so() {
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join("usher.toml");
        std::fs::write(folder.path().join("door.token"), "0123456789abcdef\n").expect("written");
        let read = |text: &str| read(text, &file);
        let here = "tcp = \"127.0.0.1:4244\"\n";
        let everywhere = "tcp = \"0.0.0.0:4244\"\n";
        let (with, without) = ("token-file = \"door.token\"\n", "without-token = true\n");
        let token = Some(Secret::new("0123456789abcdef"));
        for address in [here, everywhere] {
            let door = read(&format!("{address}{with}")).expect("a door");
            assert_eq!(door.token, token);
        }
        assert_eq!(
            read(&format!("{here}{without}")).expect("a door").token,
            None
        );
        for (text, says) in [
            (here.to_owned(), "say without-token = true"),
            (format!("{here}without-token = false\n"), "this is missing"),
            (everywhere.to_owned(), "other machines can reach"),
            (format!("{everywhere}{without}"), "a token-file is needed"),
            (format!("{here}{with}{without}"), "leave one of the two out"),
            (format!("{here}token-file = \"none\"\n"), "cannot be read"),
        ] {
            let error = read(&text).expect_err("a mistake");
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_token_that_stands_in_place_of_its_file_is_not_shown() {
        let text = "tcp = \"127.0.0.1:0\"\ntoken-file = \"0123456789abcdef\"";
        let error = read(text, Path::new("usher.toml")).expect_err("there is no such file");
        assert!(!error.contains("0123456789abcdef"), "{error}");
    }

    #[test]
    fn times_have_bounds_and_defaults() {
        let base = "tcp = \"127.0.0.1:0\"\nwithout-token = true\n";
        let read = |text: &str| read(&format!("{base}{text}"), Path::new("usher.toml"));
        let door = read("").expect("a door");
        assert_eq!(
            (door.confirm_timeout.as_secs(), door.lease.as_secs()),
            (10, 30)
        );
        let door = read("confirm-timeout = \"1s\"\nlease = \"1h\"").expect("a door");
        assert_eq!(
            (door.confirm_timeout.as_secs(), door.lease.as_secs()),
            (1, 3600)
        );
        for wrong in [
            "confirm-timeout = \"999ms\"",
            "lease = \"61m\"",
            "lease = 30",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
