//! `[relay]`: the game server that players' messages are carried to.

use super::door::Door;
use super::error::ConfigError;
use super::reader::Section;
use std::net::SocketAddr;
use std::path::Path;
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
        _ => {
            Err("it must be \"unreliable\", \"sequenced\", \"reliable\" or \"ordered\"".to_owned())
        }
    }
}

impl Relay {
    /// A room has rules or is relayed, and a host does not relay to itself.
    pub(super) fn check(
        &self,
        has_rules: bool,
        doors: &[Door],
        file: &Path,
    ) -> Result<(), ConfigError> {
        let wrong = |key: &str, value: Option<String>, problem: String| ConfigError {
            file: Some(file.to_owned()),
            line: None,
            key: key.to_owned(),
            value,
            problem,
            example: None,
        };
        if has_rules {
            let problem = "what players send goes to the [rules] already: leave out one of the two";
            return Err(wrong("relay", None, problem.to_owned()));
        }
        let own = doors.iter().position(|door| {
            let mut listens = door.protocol.listens().into_iter();
            listens.any(|(kind, address)| kind == "udp" && meets(address, self.server))
        });
        match own {
            Some(index) => Err(wrong(
                "relay.server",
                Some(format!("\"{}\"", self.server)),
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
mod tests;
