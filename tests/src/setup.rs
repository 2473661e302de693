//! The configuration of a host under test.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// A configuration in the making: one door on ports of its own, policies to be named.
pub struct Setup {
    protocol: &'static str,
    limits: Vec<(String, String)>,
    door: Vec<(String, String)>,
    policies: String,
    rules: Option<String>,
    more: String,
    /// Doors beside the one named `main`, with no settings of their own.
    beside: Vec<(&'static str, &'static str, &'static str)>,
    /// The whole text, where a test does not make it up, with the ports of the documentation.
    whole: Option<String>,
    /// Files beside the configuration, by name.
    pub(crate) files: Vec<(String, String)>,
    /// Variables of the host's environment.
    pub(crate) env: Vec<(String, String)>,
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
            beside: Vec::new(),
            whole: None,
            files: Vec::new(),
            env: Vec::new(),
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

    /// An example of the documentation as it is, but for the ports and for what is replaced.
    ///
    /// # Panics
    ///
    /// If there is no such example, or nothing of that to be replaced in it.
    pub fn example(name: &str, replaced: &[(&str, &str)]) -> Setup {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples");
        let mut text =
            std::fs::read_to_string(folder.join(name)).expect("there is such an example");
        for (old, new) in replaced {
            assert!(text.contains(old), "{name} has no {old}");
            text = text.replace(old, new);
        }
        Setup {
            whole: Some(text),
            ..Setup::default()
        }
    }

    /// The same with a door of `http` at which no token is needed.
    pub fn http() -> Setup {
        let setup = Setup {
            protocol: "http",
            ..Setup::default()
        };
        setup.door("without-token", "true")
    }

    /// Sets a key of `[limits]` to a TOML value.
    pub fn limit(mut self, key: &str, value: &str) -> Setup {
        self.limits.retain(|(known, _)| known != key);
        self.limits.push((key.into(), value.into()));
        self
    }

    /// Sets a key of the door to a TOML value.
    pub fn door(mut self, key: &str, value: &str) -> Setup {
        self.door.retain(|(known, _)| known != key);
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

    /// Adds a door named `desk` of `http`, for a game server that shows this token.
    pub fn desk(mut self, token: &str) -> Setup {
        let lines = "token-file = \"desk.token\"\nlease = \"60s\"\n";
        self.beside.push(("desk", "http", lines));
        self.file("desk.token", token)
    }

    /// Adds a door named `web` of `websocket`.
    pub fn web(mut self) -> Setup {
        self.beside.push(("web", "websocket", ""));
        self
    }

    /// Puts a file beside the configuration.
    pub fn file(mut self, name: &str, text: &str) -> Setup {
        self.files.push((name.into(), text.into()));
        self
    }

    /// What is in a file beside the configuration.
    pub(crate) fn file_text(&self, name: &str) -> Option<String> {
        let file = self.files.iter().find(|(known, _)| known == name);
        file.map(|(_, text)| text.clone())
    }

    /// Sets a variable of the host's environment.
    pub fn env(mut self, name: &str, value: &str) -> Setup {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The text of the configuration, with an audit file beside it.
    pub(crate) fn text(&self, ports: &Ports) -> String {
        if let Some(text) = &self.whole {
            return text
                .replace("127.0.0.1:4243", &ports.udp.to_string())
                .replace("127.0.0.1:4280", &ports.admin.to_string());
        }
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
        let beside: String = self
            .beside
            .iter()
            .map(|(name, protocol, lines)| {
                let tcp = match *name {
                    "desk" => ports.desk,
                    _ => ports.web,
                };
                format!(
                    "[[door]]\nname = {name:?}\nprotocol = {protocol:?}\ntcp = \"{tcp}\"\n{lines}"
                )
            })
            .collect();
        format!(
            "[limits]\n{}\n[[door]]\nname = \"main\"\nprotocol = {protocol:?}\n{listens}{}{beside}{}\n{}\n\
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
    pub(crate) desk: SocketAddr,
    pub(crate) web: SocketAddr,
}

impl Ports {
    /// Ports that were free a moment ago, and that no outgoing connection is given: those come from 32768 up, and
    /// tests make thousands.
    pub(crate) fn free() -> Ports {
        Ports {
            tcp: free(),
            udp: free(),
            admin: free(),
            desk: free(),
            web: free(),
        }
    }
}

/// A port that was free a moment ago, for TCP and for UDP, and that this process did not have before.
fn free() -> SocketAddr {
    const FIRST: u32 = 12_000;
    const COUNT: u32 = 20_000;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Processes that run at once begin at different places.
    let begin = std::process::id().wrapping_mul(7919);
    for _ in 0..COUNT {
        let next = begin.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(FIRST + next % COUNT).expect("it is below 32,768");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        if TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok() {
            return address;
        }
    }
    panic!("loopback has no free port");
}
