//! `[[door]]`: where players come in, by which protocol, and which policies are asked about them.

use super::bucket::Bucket;
use super::error::ConfigError;
use super::http::Http;
use super::mafianet::Mafianet;
use super::policy::Policy;
use super::reader::{Section, nearest};
use super::rtyp::Rtyp;
use super::value::{flag, list, name};
use super::websocket::WebSocket;
use std::net::SocketAddr;
use std::sync::Arc;
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
    /// Whether players come to it with join tickets, where the file says so; see
    /// [`super::Config::carries_tickets`].
    pub tickets: Option<bool>,
}

/// How players speak to a door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Login over TCP, play over UDP.
    Rtyp(Rtyp),
    /// RakNet over UDP, with a session exchange.
    Mafianet(Mafianet),
    /// WebSocket, for web pages and any engine.
    WebSocket(WebSocket),
    /// A game server keeps the players' connections, and asks over HTTP.
    Http(Http),
}

/// A protocol, as the file names it, and what reads the rest of its door.
struct Known {
    word: &'static str,
    read: fn(&mut Section<'_>, &[Bucket]) -> Result<Protocol, ConfigError>,
}

/// Every protocol that Usher speaks.
const KNOWN: &[Known] = &[
    Known {
        word: "rtyp",
        read: |section, _| Rtyp::read(section).map(Protocol::Rtyp),
    },
    Known {
        word: "mafianet",
        read: |section, buckets| Mafianet::read(section, buckets).map(Protocol::Mafianet),
    },
    Known {
        word: "websocket",
        read: |section, _| WebSocket::read(section).map(Protocol::WebSocket),
    },
    Known {
        word: "http",
        read: |section, _| Http::read(section).map(Protocol::Http),
    },
];

impl Protocol {
    /// The protocol's name, in the file and for policies.
    pub fn word(&self) -> &'static str {
        match self {
            Protocol::Rtyp(_) => "rtyp",
            Protocol::Mafianet(_) => "mafianet",
            Protocol::WebSocket(_) => "websocket",
            Protocol::Http(_) => "http",
        }
    }

    /// What an address begins with that `usher join` takes; `None` where it cannot join.
    pub fn scheme(&self) -> Option<&'static str> {
        match self {
            Protocol::Rtyp(_) => Some("tcp"),
            Protocol::Mafianet(_) => Some("mafianet"),
            Protocol::WebSocket(_) => Some("ws"),
            Protocol::Http(_) => None,
        }
    }

    /// Whether all that it can tell of a refusal is a text.
    pub fn refuses_by_text_alone(&self) -> bool {
        matches!(self, Protocol::Mafianet(_))
    }

    /// Where it listens, by the key in the file, which says whether that is a TCP or a UDP port.
    pub(super) fn listens(&self) -> Vec<(&'static str, SocketAddr)> {
        match self {
            Protocol::Rtyp(rtyp) => vec![("tcp", rtyp.tcp), ("udp", rtyp.udp)],
            Protocol::Mafianet(mafianet) => vec![("udp", mafianet.udp.into())],
            Protocol::WebSocket(websocket) => vec![("tcp", websocket.tcp)],
            Protocol::Http(http) => vec![("tcp", http.tcp)],
        }
    }

    /// Reads what the file says of it.
    fn read(section: &mut Section<'_>, buckets: &[Bucket]) -> Result<Protocol, ConfigError> {
        let known = section.required("protocol", "protocol = \"rtyp\"", |value| {
            let said = value.as_str();
            let mut known = KNOWN.iter();
            known.find(|it| said == Some(it.word)).ok_or_else(|| {
                let words: Vec<String> = KNOWN.iter().map(|it| format!("{:?}", it.word)).collect();
                format!(
                    "it must be a protocol that Usher speaks: {}",
                    words.join(" or ")
                )
            })
        })?;
        (known.read)(section, buckets)
    }
}

impl Door {
    /// Reads one door; `policies` and `buckets` are those of the file.
    pub(super) fn read(
        mut section: Section<'_>,
        policies: &[Policy],
        buckets: &[Bucket],
    ) -> Result<Door, ConfigError> {
        let name = section.required("name", "name = \"main\"", name)?;
        let protocol = Protocol::read(&mut section, buckets)?;
        let policies = read_chain(&mut section, policies)?;
        let tickets = section.optional("tickets", "tickets = true", flag)?;
        section.finish()?;
        Ok(Door {
            name,
            protocol,
            policies,
            tickets,
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
                closed_room: None,
            },
            Protocol::Mafianet(mafianet) => DoorConfig {
                name: self.name.clone(),
                binding: Binding::None,
                player_number: None,
                connection_timeout: mafianet.connection_timeout,
                timeout_text: mafianet.timeout_reason.clone(),
                full_text: mafianet.full_reason.clone(),
                closed_room: None,
            },
            Protocol::WebSocket(websocket) => DoorConfig {
                name: self.name.clone(),
                binding: Binding::None,
                player_number: None,
                connection_timeout: WebSocket::CONNECTION_TIMEOUT,
                // Whoever waits here is told so, and never without a word for too long.
                timeout_text: "".into(),
                full_text: websocket.full_reason.clone(),
                closed_room: None,
            },
            Protocol::Http(http) => DoorConfig {
                name: self.name.clone(),
                binding: Binding::Confirmation {
                    confirm_timeout: http.confirm_timeout,
                    lease: http.lease,
                },
                player_number: None,
                connection_timeout: Http::CONNECTION_TIMEOUT,
                timeout_text: "".into(),
                full_text: DoorConfig::FULL_TEXT.into(),
                closed_room: None,
            },
        }
    }
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
