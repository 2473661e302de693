//! The configuration of a host under test.

use std::fmt::Write as _;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::Path;

/// A configuration in the making: one door on ports of its own, policies to be named.
pub struct Setup {
    protocol: &'static str,
    limits: Vec<(String, String)>,
    door: Vec<(String, String)>,
    policies: String,
    rules: Option<String>,
    more: String,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            protocol: "rtyp",
            limits: vec![("max-pending-per-address".into(), "0".into())],
            door: Vec::new(),
            policies: String::new(),
            rules: Some("builtin:arena".into()),
            more: String::new(),
        }
    }
}

impl Setup {
    /// A setup with a door of `rtyp` and without a policy; one must be named.
    pub fn new() -> Setup {
        Setup::default()
    }

    /// The same with a door of `mafianet`.
    pub fn mafianet() -> Setup {
        Setup {
            protocol: "mafianet",
            ..Setup::default()
        }
    }

    /// The same with a door of `websocket`.
    pub fn websocket() -> Setup {
        Setup {
            protocol: "websocket",
            ..Setup::default()
        }
    }

    /// Sets a key of `[limits]` to a TOML value.
    pub fn limit(mut self, key: &str, value: &str) -> Setup {
        self.limits.retain(|(known, _)| known != key);
        self.limits.push((key.into(), value.into()));
        self
    }

    /// Sets a key of the door to a TOML value.
    pub fn door(mut self, key: &str, value: &str) -> Setup {
        self.door.push((key.into(), value.into()));
        self
    }

    /// Adds a policy whose module is at a path or built in, with further lines of TOML. A call may take
    /// longer than by default unless they say otherwise: a loaded machine may hold it up.
    pub fn policy(mut self, name: &str, module: impl AsRef<Path>, lines: &str) -> Setup {
        let module = module.as_ref();
        let deadline = match lines.contains("deadline") {
            true => "",
            false => "deadline = \"1s\"\n",
        };
        let _ = write!(
            self.policies,
            "\n[[policy]]\nname = {name:?}\nmodule = {module:?}\n{deadline}{lines}\n"
        );
        self
    }

    /// Chooses the rules; `None` for no rules.
    pub fn rules(mut self, module: Option<&str>) -> Setup {
        self.rules = module.map(str::to_owned);
        self
    }

    /// Adds lines of TOML as they are.
    pub fn more(mut self, lines: &str) -> Setup {
        self.more.push_str(lines);
        self
    }

    /// The text of the configuration, with an audit file beside it.
    pub(crate) fn text(&self, ports: &Ports) -> String {
        let lines = |pairs: &[(String, String)]| -> String {
            pairs
                .iter()
                .map(|(key, value)| format!("{key} = {value}\n"))
                .collect()
        };
        let rules = self.rules.as_ref();
        let rules = rules.map(|module| format!("[rules]\nmodule = {module:?}\n"));
        let protocol = self.protocol;
        let listens: &[(&str, SocketAddr)] = match protocol {
            "rtyp" => &[("tcp", ports.tcp), ("udp", ports.udp)],
            "mafianet" => &[("udp", ports.udp)],
            _ => &[("tcp", ports.tcp)],
        };
        let listens: String = listens
            .iter()
            .map(|(key, port)| format!("{key} = \"{port}\"\n"))
            .collect();
        format!(
            "[limits]\n{}\n[[door]]\nname = \"main\"\nprotocol = {protocol:?}\n{listens}{}{}\n{}\n\
             [audit]\nfile = \"audit.jsonl\"\n[admin]\nlisten = \"{}\"\n{}",
            lines(&self.limits),
            lines(&self.door),
            self.policies,
            rules.unwrap_or_default(),
            ports.admin,
            self.more,
        )
    }
}

/// Where a host under test listens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) tcp: SocketAddr,
    pub(crate) udp: SocketAddr,
    pub(crate) admin: SocketAddr,
}

impl Ports {
    /// Ports that were free a moment ago.
    pub(crate) fn free() -> Ports {
        let any = "127.0.0.1:0";
        let tcp = TcpListener::bind(any).expect("loopback has a free TCP port");
        let udp = UdpSocket::bind(any).expect("loopback has a free UDP port");
        let admin = TcpListener::bind(any).expect("loopback has a free TCP port");
        let known = "a bound socket has an address";
        Ports {
            tcp: tcp.local_addr().expect(known),
            udp: udp.local_addr().expect(known),
            admin: admin.local_addr().expect(known),
        }
    }
}
