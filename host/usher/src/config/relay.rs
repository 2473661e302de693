//! `[relay]`: the game server that players' messages are carried to.

use super::Config;
use super::error::ConfigError;
use super::reader::Section;
use std::net::SocketAddr;
use toml::de::DeValue;
use usher_runtime::Delivery;

/// The game server behind the doors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relay {
    /// Where it listens for datagrams.
    pub server: SocketAddr,
    /// How what it says travels to players, where their protocol has a choice.
    pub delivery: Delivery,
}

impl Relay {
    /// Reads the table.
    pub(super) fn read(mut section: Section<'_>) -> Result<Relay, ConfigError> {
        let relay = Relay {
            server: section.required("server", "server = \"127.0.0.1:7777\"", server)?,
            delivery: section
                .optional("delivery", "delivery = \"unreliable\"", delivery)?
                .unwrap_or(Delivery::Unreliable),
        };
        section.finish()?;
        Ok(relay)
    }
}

/// Where one machine listens. A host name is not taken: it could mean another machine for each player.
fn server(value: &DeValue<'_>) -> Result<SocketAddr, String> {
    let parsed = value.as_str().and_then(|text| text.parse().ok());
    let reachable = |address: &SocketAddr| {
        let ip = address.ip().to_canonical();
        let one = match ip {
            std::net::IpAddr::V4(ip) => !ip.is_broadcast(),
            std::net::IpAddr::V6(_) => true,
        };
        one && !ip.is_unspecified() && !ip.is_multicast() && address.port() != 0
    };
    parsed.filter(reachable).ok_or_else(|| {
        "it must be the IP address and the port of the game server, in quotes".to_owned()
    })
}

fn delivery(value: &DeValue<'_>) -> Result<Delivery, String> {
    match value.as_str() {
        Some("unreliable") => Ok(Delivery::Unreliable),
        Some("sequenced") => Ok(Delivery::Sequenced),
        Some("reliable") => Ok(Delivery::Reliable),
        Some("ordered") => Ok(Delivery::Ordered),
        _ => Err(
            "it must be \"unreliable\", \"sequenced\", \"reliable\" or \"ordered\"".to_owned(),
        ),
    }
}

impl Config {
    /// A room has rules or is relayed, and a host does not relay to itself.
    pub(super) fn check_relay(&self) -> Result<(), ConfigError> {
        let Some(relay) = &self.relay else {
            return Ok(());
        };
        let wrong = |key: &str, value: Option<String>, problem: String| ConfigError {
            file: self.file.clone(),
            line: None,
            key: key.to_owned(),
            value,
            problem,
            example: None,
        };
        if self.rules.is_some() {
            let problem = "what players send goes to the [rules] already: leave out one of the two";
            return Err(wrong("relay", None, problem.to_owned()));
        }
        let mut doors = self.doors.iter().enumerate();
        let own = doors.find(|(_, door)| {
            let mut listens = door.protocol.listens().into_iter();
            listens.any(|(kind, address)| kind == "udp" && meets(address, relay.server))
        });
        match own {
            Some((index, _)) => Err(wrong(
                "relay.server",
                Some(format!("\"{}\"", relay.server)),
                format!("door[{index}].udp listens there: name the game server behind this host"),
            )),
            None => Ok(()),
        }
    }
}

/// Whether what is sent to an address comes to who listens there.
fn meets(listens: SocketAddr, to: SocketAddr) -> bool {
    let same = listens.ip().to_canonical() == to.ip().to_canonical();
    let all = listens.ip().is_unspecified() && to.ip().to_canonical().is_loopback();
    listens.port() == to.port() && (same || all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn read(rest: &str) -> Result<Config, String> {
        let text = format!(
            "[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:4241\"\n\
             udp = \"0.0.0.0:4242\"\n[[policy]]\nname = \"rtyp\"\nmodule = \"builtin:rtyp\"\n{rest}"
        );
        let config = Config::parse(&text, Path::new("usher.toml"));
        config.map_err(|error| error.to_string())
    }

    #[test]
    fn a_relay_is_an_address_and_what_it_says_may_be_lost_unless_said_otherwise() {
        let relay = |text: &str| read(text).map(|config| config.relay);
        for (server, delivery, expected) in [
            ("127.0.0.1:7777", "", Delivery::Unreliable),
            ("[::1]:7777", "delivery = \"sequenced\"", Delivery::Sequenced),
            ("192.0.2.1:1", "delivery = \"reliable\"", Delivery::Reliable),
            ("[2001:db8::1]:9", "delivery = \"ordered\"", Delivery::Ordered),
        ] {
            let text = format!("[relay]\nserver = {server:?}\n{delivery}\n");
            let expected = Relay {
                server: server.parse().expect("an address"),
                delivery: expected,
            };
            assert_eq!(relay(&text), Ok(Some(expected)));
        }
        assert_eq!(relay(""), Ok(None));
    }

    #[test]
    fn what_is_no_single_game_server_is_refused() {
        for server in [
            "127.0.0.1",
            "localhost:7777",
            "127.0.0.1:0",
            "0.0.0.0:7777",
            "[::]:7777",
            "[::ffff:0.0.0.0]:7777",
            "224.0.0.1:7777",
            "[ff02::1]:7777",
            "255.255.255.255:7777",
        ] {
            let said = format!(
                "usher.toml:10: relay.server = {server:?}: it must be the IP address and the port of the game \
                 server, in quotes; for example: server = \"127.0.0.1:7777\""
            );
            let text = format!("[relay]\nserver = {server:?}\n");
            assert_eq!(read(&text).map(drop), Err(said));
        }
    }

    #[test]
    fn mistakes_have_a_line_with_the_fix() {
        for (text, said) in [
            (
                "[relay]\n",
                "usher.toml:9: relay.server: this is missing; for example: server = \"127.0.0.1:7777\"",
            ),
            (
                "[relay]\nto = 4\nserver = \"127.0.0.1:7777\"",
                "usher.toml:10: relay.to: there is no such key; here are: server, delivery",
            ),
            (
                "[relay]\nserver = \"127.0.0.1:7777\"\ndelivery = \"fast\"",
                "usher.toml:11: relay.delivery = \"fast\": it must be \"unreliable\", \"sequenced\", \
                 \"reliable\" or \"ordered\"; for example: delivery = \"unreliable\"",
            ),
            (
                "[relay]\nserver = \"127.0.0.1:7777\"\n[rules]\nmodule = \"builtin:arena\"",
                "usher.toml: relay: what players send goes to the [rules] already: leave out one of the two",
            ),
            (
                "[relay]\nserver = \"127.0.0.1:4242\"",
                "usher.toml: relay.server = \"127.0.0.1:4242\": door[0].udp listens there: name the game server \
                 behind this host",
            ),
        ] {
            assert_eq!(read(text).map(drop), Err(said.to_owned()), "{text}");
        }
    }
}
