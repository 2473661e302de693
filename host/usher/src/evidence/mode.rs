//! How this server came to be: found out once, when it starts, from what the process finds and never from
//! anything that a client sends.

use crate::config::{Config, Mode};
use std::ffi::OsStr;

/// Where a fleet names the port of the local SDK endpoint.
pub const PORT_VARIABLE: &str = "AGONES_SDK_HTTP_PORT";

/// The port where a fleet names none.
const PORT: u16 = 9358;

/// The mode, and why it is that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// The mode.
    pub mode: Mode,
    /// What it was found by, for people.
    pub why: &'static str,
    /// The port of the local SDK endpoint, when there is one to ask.
    pub sdk_port: Option<u16>,
    /// What an operator should know, in one line.
    pub warning: Option<String>,
}

impl Chosen {
    /// Chooses, with `variable` as the environment has [`PORT_VARIABLE`].
    pub fn choose(config: &Config, variable: Option<&OsStr>) -> Chosen {
        let found = variable.and_then(port);
        let warning = match variable {
            // What it says is not shown: nobody knows what it is.
            Some(_) if found.is_none() => Some(format!(
                "{PORT_VARIABLE} is set and is no port, so no fleet hosts this server: it must be digits that make 1 to 65535"
            )),
            _ => None,
        };
        let named = config.sdk.port.or(found);
        let (mode, why) = match config.mode {
            Some(mode) => (mode, "evidence.mode says so"),
            None if config.sdk.port.is_some() => (Mode::Hosted, "sdk.port is set"),
            None if found.is_some() => (Mode::Hosted, "AGONES_SDK_HTTP_PORT is set"),
            None if config.discovery.is_some() => (Mode::SelfHosted, "[discovery] has a token"),
            None => (Mode::None, "neither a fleet nor [discovery]"),
        };
        Chosen {
            mode,
            why,
            sdk_port: (mode == Mode::Hosted).then_some(named.unwrap_or(PORT)),
            warning,
        }
    }
}

/// Digits that make 1 to 65535, and nothing around them.
fn port(text: &OsStr) -> Option<u16> {
    let text = text.to_str()?;
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let port = text.parse().ok().filter(|port| *port > 0);
    port.filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const REST: &str = "[[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n";

    fn chosen(text: &str, variable: Option<&str>) -> (Mode, Option<u16>, bool) {
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::write(folder.path().join("token"), "dsc_1\n").expect("written");
        let config = Config::parse(
            &format!("{text}\n{REST}"),
            &folder.path().join("usher.toml"),
        );
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let chosen = Chosen::choose(&config, variable.map(OsStr::new));
        (chosen.mode, chosen.sdk_port, chosen.warning.is_some())
    }

    #[test]
    fn only_digits_that_make_a_port_mean_a_fleet() {
        for (text, port) in [("1", 1), ("9358", 9358), ("65535", 65535), ("00080", 80)] {
            assert_eq!(
                chosen("", Some(text)),
                (Mode::Hosted, Some(port), false),
                "{text}"
            );
        }
        for text in [
            "",
            "0",
            "65536",
            "99999",
            "123456",
            "-1",
            "+80",
            " 9358",
            "9358 ",
            "93a8",
            "0x10",
            "abc",
            "\u{ff19}\u{ff13}\u{ff15}\u{ff18}",
        ] {
            assert_eq!(chosen("", Some(text)), (Mode::None, None, true), "{text:?}");
        }
        assert_eq!(chosen("", None), (Mode::None, None, false));
    }

    #[test]
    fn what_the_operator_says_goes_before_what_is_found() {
        const LISTED: &str = "[discovery]\nname = \"a\"\nport = 1\ntoken-file = \"token\"";
        for (text, variable, expected) in [
            (LISTED, None, (Mode::SelfHosted, None, false)),
            (LISTED, Some("80"), (Mode::Hosted, Some(80), false)),
            (LISTED, Some("eighty"), (Mode::SelfHosted, None, true)),
            ("[sdk]\nport = 7", None, (Mode::Hosted, Some(7), false)),
            (
                "[sdk]\nport = 7",
                Some("80"),
                (Mode::Hosted, Some(7), false),
            ),
            (
                "[evidence]\nmode = \"hosted\"",
                None,
                (Mode::Hosted, Some(9358), false),
            ),
            (
                "[evidence]\nmode = \"hosted\"",
                Some("80"),
                (Mode::Hosted, Some(80), false),
            ),
            (
                "[evidence]\nmode = \"auto\"",
                Some("80"),
                (Mode::Hosted, Some(80), false),
            ),
            (
                "[evidence]\nmode = \"listen-lan\"",
                Some("80"),
                (Mode::ListenLan, None, false),
            ),
            (
                "[evidence]\nmode = \"none\"",
                Some("80"),
                (Mode::None, None, false),
            ),
        ] {
            assert_eq!(chosen(text, variable), expected, "{text} {variable:?}");
        }
        let online = format!("[evidence]\nmode = \"listen-online\"\n{LISTED}");
        assert_eq!(
            chosen(&online, Some("80")),
            (Mode::ListenOnline, None, false)
        );
        let nowhere = format!("[evidence]\nmode = \"self-hosted\"\n{REST}");
        let error = Config::parse(&nowhere, Path::new("usher.toml")).expect_err("no directory");
        assert!(
            error.to_string().contains("discovery: this is missing"),
            "{error}"
        );
    }
}
