//! `[[door]]`: where players come in, by which protocol, and which policies are asked about them.

use super::error::ConfigError;
use super::policy::Policy;
use super::reader::{Section, nearest};
use super::value::{HOUR, address, duration, list, name};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Binding, DoorConfig, PlayerNumber, SlotId};

/// A door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Door {
    /// Its name.
    pub name: Arc<str>,
    /// How players speak to it, and where.
    pub protocol: Protocol,
    /// The policies that are asked, in this order: places in [`super::Config::policies`]. Never empty.
    pub policies: Vec<SlotId>,
}

/// How players speak to a door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Login over TCP, play over UDP.
    Rtyp(Rtyp),
}

/// The settings of an `rtyp` door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rtyp {
    /// Where logins are taken. Port 0: any free port.
    pub tcp: SocketAddr,
    /// Where players play. Port 0: any free port.
    pub udp: SocketAddr,
    /// A bound session without a valid datagram for this long ends.
    pub udp_timeout: Duration,
    /// A session that is not bound this long after its acceptance ends.
    pub bind_timeout: Duration,
}

impl Rtyp {
    /// What bounds an unanswered login where `session-timeout` is not set. The protocol states none;
    /// this is its other two timeouts' length.
    const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);
    /// A player number travels as one byte.
    const PLAYER_NUMBERS: u32 = 256;
}

impl Default for Rtyp {
    /// On this machine alone.
    fn default() -> Rtyp {
        Rtyp {
            tcp: (Ipv4Addr::LOCALHOST, 4241).into(),
            udp: (Ipv4Addr::LOCALHOST, 4242).into(),
            udp_timeout: Duration::from_secs(10),
            bind_timeout: Duration::from_secs(10),
        }
    }
}

impl Protocol {
    /// The protocol's name, in the file and for policies.
    pub fn word(&self) -> &'static str {
        match self {
            Protocol::Rtyp(_) => "rtyp",
        }
    }
}

impl Door {
    /// Reads one door; `policies` are those of the file.
    pub(super) fn read(mut section: Section<'_>, policies: &[Policy]) -> Result<Door, ConfigError> {
        let name = section.required("name", "name = \"main\"", name)?;
        section.required("protocol", "protocol = \"rtyp\"", |value| {
            match value.as_str() {
                Some("rtyp") => Ok(()),
                _ => Err("it must be a protocol that Usher speaks: \"rtyp\"".to_owned()),
            }
        })?;
        let protocol = Protocol::Rtyp(read_rtyp(&mut section)?);
        let policies = read_chain(&mut section, policies)?;
        section.finish()?;
        Ok(Door {
            name,
            protocol,
            policies,
        })
    }

    /// The door as the core needs it.
    pub(super) fn to_core(&self) -> DoorConfig {
        match &self.protocol {
            Protocol::Rtyp(rtyp) => DoorConfig {
                name: self.name.clone(),
                binding: Binding::Token {
                    bind_timeout: rtyp.bind_timeout,
                    idle_timeout: rtyp.udp_timeout,
                },
                player_number: Some(PlayerNumber {
                    limit: Rtyp::PLAYER_NUMBERS,
                }),
                connection_timeout: Rtyp::CONNECTION_TIMEOUT,
                timeout_text: "".into(),
                full_text: DoorConfig::FULL_TEXT.into(),
            },
        }
    }
}

fn read_rtyp(section: &mut Section<'_>) -> Result<Rtyp, ConfigError> {
    let default = Rtyp::default();
    let timeouts = || duration(Duration::from_millis(100)..=HOUR);
    Ok(Rtyp {
        tcp: section.required("tcp", "tcp = \"127.0.0.1:4241\"", address)?,
        udp: section.required("udp", "udp = \"127.0.0.1:4242\"", address)?,
        udp_timeout: section
            .optional("udp-timeout", "udp-timeout = \"10s\"", timeouts())?
            .unwrap_or(default.udp_timeout),
        bind_timeout: section
            .optional("bind-timeout", "bind-timeout = \"10s\"", timeouts())?
            .unwrap_or(default.bind_timeout),
    })
}

/// The door's chain: as it says, or every policy in the order of the file.
fn read_chain(section: &mut Section<'_>, policies: &[Policy]) -> Result<Vec<SlotId>, ConfigError> {
    const EXAMPLE: &str = "policies = [\"rtyp\"]";
    let names: Vec<&str> = policies.iter().map(|policy| &*policy.name).collect();
    let place = |wanted: &str| {
        let found = names.iter().position(|name| *name == wanted)?;
        u16::try_from(found).ok().map(SlotId)
    };
    let Some(entry) = section.entry("policies", EXAMPLE) else {
        return Ok(names.iter().filter_map(|name| place(name)).collect());
    };
    let wanted = entry.parse(list)?;
    if wanted.is_empty() {
        return Err(entry.error("a door asks at least one policy"));
    }
    let mut chain = Vec::with_capacity(wanted.len());
    for name in &wanted {
        let Some(slot) = place(name) else {
            let hint = match nearest(name, &names) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("there are: {}", names.join(", ")),
            };
            return Err(entry.error(format!("there is no [[policy]] named {name:?}; {hint}")));
        };
        if chain.contains(&slot) {
            return Err(entry.error(format!("{name:?} is named twice")));
        }
        chain.push(slot);
    }
    Ok(chain)
}
