//! The configuration: what the operator sets, as types that cannot be wrong.
//!
//! Everything that can be known before a port is opened is checked here, and every mistake names its
//! key, its value and what would be right. What needs a module to be loaded is checked by
//! [`Config::check_capacity`] afterwards.

mod bucket;
mod changes;
mod discovery;
mod door;
mod error;
mod evidence;
mod http;
mod limits;
mod mafianet;
mod module;
mod operate;
mod order;
mod place;
mod policy;
mod reader;
mod relay;
mod rtyp;
mod secret;
mod service;
mod slots;
mod template;
mod tickets;
mod value;
mod websocket;

#[cfg(test)]
mod tests;

pub use bucket::Bucket;
pub use discovery::{Discovery, is_server_id};
pub use door::{Door, Protocol};
pub use error::ConfigError;
pub use evidence::{Lifecycle, Mode, Sdk};
pub use http::Http;
pub use limits::Limits;
pub use mafianet::{Mafianet, PasswordFile};
pub use module::{Module, Role};
pub use operate::{Admin, Audit};
pub use policy::{Params, Policy, RULES_NAME, Rules, fail_word};
pub use relay::Relay;
pub use rtyp::Rtyp;
pub use secret::SecretFile;
pub use service::{Header, Service};
pub use template::{Template, Unfit};
pub use websocket::{FIRST_MESSAGE, Origins, WebSocket};

use crate::builtin;
use reader::{Section, Source};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use usher_core::SlotId;

/// What the operator set.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The file that it came from; `None` for the defaults.
    pub file: Option<PathBuf>,
    /// How many, and how long.
    pub limits: Limits,
    /// Where players come in; at least one, by [`usher_core::DoorId`].
    pub doors: Vec<Door>,
    /// Who decides; at least one, by [`SlotId`].
    pub policies: Vec<Policy>,
    /// The lists that policies look into.
    pub buckets: Vec<Bucket>,
    /// The rules of the game. Without them, and without a relay, a host drops what players send.
    pub rules: Option<Rules>,
    /// The game server that players' messages are carried to; never beside rules.
    pub relay: Option<Relay>,
    /// How this server came to be; absent for what is found when it starts.
    pub mode: Option<Mode>,
    /// The local SDK endpoint.
    pub sdk: Sdk,
    /// The directory that lists this server.
    pub discovery: Option<Discovery>,
    /// What policies may ask by name.
    pub services: Vec<Service>,
    /// Where decisions are written down.
    pub audit: Option<Audit>,
    /// The operator's endpoint.
    pub admin: Option<Admin>,
}

impl Default for Config {
    /// What `usher serve` runs without arguments: one `rtyp` door on this machine, the built-in
    /// modules, and the operator's endpoint.
    fn default() -> Config {
        Config {
            file: None,
            limits: Limits::default(),
            doors: vec![Door {
                name: "main".into(),
                protocol: Protocol::Rtyp(Rtyp::default()),
                policies: vec![SlotId(0)],
                tickets: None,
            }],
            policies: vec![Policy::new(
                "rtyp",
                Module::Builtin(builtin::default_policy()),
            )],
            buckets: Vec::new(),
            rules: Some(Rules {
                module: Module::Builtin(builtin::default_rules()),
                params: Params::new(),
            }),
            relay: None,
            mode: None,
            sdk: Sdk::default(),
            discovery: None,
            services: Vec::new(),
            audit: None,
            admin: Some(Admin::default()),
        }
    }
}

impl Config {
    /// Reads a file.
    pub fn load(file: &Path) -> Result<Config, ConfigError> {
        let text = crate::files::read_text(file).map_err(|error| ConfigError {
            file: Some(file.to_owned()),
            line: None,
            key: String::new(),
            value: None,
            problem: format!("the configuration cannot be read: {error}"),
            example: Some("usher serve --config usher.toml".into()),
        })?;
        Config::parse(&text, file)
    }

    /// Reads the text of a file; paths in it start from the directory of `file`.
    pub fn parse(text: &str, file: &Path) -> Result<Config, ConfigError> {
        let mut root = Source { file, text }.root()?;
        let limits = root.table("limits")?.map(Limits::read).transpose()?;
        let limits = limits.unwrap_or_default();
        let policies = read_policies(&mut root, &limits)?;
        let buckets = Bucket::read_all(&mut root)?;
        let doors = read_doors(&mut root, &policies, &buckets)?;
        let mode = evidence::read_mode(&mut root)?;
        let listing = root.table("discovery")?;
        let discovery = listing
            .map(|section| Discovery::read(section, &limits))
            .transpose()?;
        if mode.is_some_and(Mode::is_listed) && discovery.is_none() {
            let mut error = root.missing(
                "discovery",
                "[discovery] token-file = \"discovery.token\" …",
            );
            error.problem = "this is missing, and the mode needs a directory to ask".to_owned();
            return Err(error);
        }
        let sdk = root.table("sdk")?.map(Sdk::read).transpose()?;
        let config = Config {
            file: Some(file.to_owned()),
            mode,
            sdk: sdk.unwrap_or_default(),
            discovery,
            services: Service::read_all(&mut root)?,
            limits,
            doors,
            policies,
            buckets,
            rules: root.table("rules")?.map(Rules::read).transpose()?,
            relay: root.table("relay")?.map(Relay::read).transpose()?,
            audit: root.table("audit")?.map(Audit::read).transpose()?,
            admin: root.table("admin")?.map(Admin::read).transpose()?,
        };
        root.finish()?;
        config.check_addresses()?;
        if let Some(relay) = &config.relay {
            relay.check(config.rules.is_some(), &config.doors, file)?;
        }
        config.check_tickets()?;
        Ok(config)
    }

    /// Replaces the policies by those of the command line, each `builtin:NAME` or a path from the
    /// working directory. Every door asks all of them, in the order given.
    pub fn replace_policies(&mut self, given: &[String]) -> Result<(), ConfigError> {
        let wrong = |value: &str, problem: String| ConfigError {
            file: None,
            line: None,
            key: "--policy".to_owned(),
            value: Some(format!("{value:?}")),
            problem,
            example: Some("--policy builtin:rtyp".into()),
        };
        let mut policies: Vec<Policy> = Vec::with_capacity(given.len());
        for text in given {
            let module = Module::parse(text, Path::new(""), Role::Policy)
                .map_err(|problem| wrong(text, problem))?;
            let name = name_of(&module);
            if policies.iter().any(|policy| *policy.name == *name) {
                let problem = format!("there is a policy named {name} already");
                return Err(wrong(text, problem));
            }
            policies.push(Policy::new(&name, module));
        }
        let chain: Vec<SlotId> = (0..).take(policies.len()).map(SlotId).collect();
        for door in &mut self.doors {
            door.policies.clone_from(&chain);
        }
        self.policies = policies;
        self.check_given()?;
        self.check_tickets()
    }

    /// Refuses more seats than a policy says that it can fill: `describes` is its description's
    /// `max-players`.
    pub fn check_capacity(&self, policy: &str, describes: Option<u32>) -> Result<(), ConfigError> {
        match describes {
            Some(most) if self.limits.max_players > most => Err(ConfigError {
                file: self.file.clone(),
                line: None,
                key: "limits.max-players".to_owned(),
                value: Some(self.limits.max_players.to_string()),
                problem: format!("the policy {policy:?} can seat {most} at most"),
                example: Some(format!("max-players = {most}").into()),
            }),
            _ => Ok(()),
        }
    }

    /// The part that the core needs.
    pub fn to_core(&self) -> usher_core::Config {
        usher_core::Config {
            max_players: self.limits.max_players,
            max_pending: self.limits.max_pending,
            max_pending_per_address: self.limits.max_pending_per_address,
            session_timeout: self.limits.session_timeout,
            decision_timeout: self.limits.decision_timeout,
            queue_grace: self.limits.queue_grace,
            queue_max_wait: self.limits.queue_max_wait,
            status_interval: self.limits.status_interval,
            duplicates: self.limits.duplicate_identity,
            doors: self
                .doors
                .iter()
                .map(|door| self.door_to_core(door))
                .collect(),
            ..usher_core::Config::default()
        }
    }

    fn door_to_core(&self, door: &Door) -> usher_core::DoorConfig {
        let mut core = door.to_core();
        self.for_tickets(door, &mut core);
        core
    }

    /// Two listeners on one address: the second would fail to bind, after the first took a port.
    fn check_addresses(&self) -> Result<(), ConfigError> {
        let mut taken: HashMap<(&str, SocketAddr), String> = HashMap::new();
        let doors = self.doors.iter().enumerate().flat_map(|(index, door)| {
            let listens = door.protocol.listens().into_iter();
            listens.map(move |(kind, address)| ((kind, address), format!("door[{index}].{kind}")))
        });
        let admin = self.admin.iter();
        let admin = admin.map(|admin| (("tcp", admin.listen), "admin.listen".to_owned()));
        for (address, key) in doors.chain(admin) {
            if address.1.port() == 0 {
                continue;
            }
            if let Some(first) = taken.insert(address, key.clone()) {
                return Err(ConfigError {
                    file: self.file.clone(),
                    line: None,
                    key,
                    value: Some(format!("\"{}\"", address.1)),
                    problem: format!("{first} listens there already"),
                    example: None,
                });
            }
        }
        Ok(())
    }
}

fn read_policies(root: &mut Section<'_>, limits: &Limits) -> Result<Vec<Policy>, ConfigError> {
    let mut policies: Vec<Policy> = Vec::new();
    for section in root.tables("policy")? {
        let twice = section.missing("name", "name = \"second\"");
        let policy = Policy::read(section, limits.decision_timeout)?;
        if policies.iter().any(|other| other.name == policy.name) {
            return Err(ConfigError {
                value: Some(format!("{:?}", policy.name)),
                problem: "another [[policy]] has this name".to_owned(),
                ..twice
            });
        }
        policies.push(policy);
    }
    if policies.is_empty() {
        let mut error = root.missing(
            "policy",
            "[[policy]] name = \"rtyp\" module = \"builtin:rtyp\"",
        );
        error.problem = "at least one policy must decide, and there is none".to_owned();
        return Err(error);
    }
    Ok(policies)
}

fn read_doors(
    root: &mut Section<'_>,
    policies: &[Policy],
    buckets: &[Bucket],
) -> Result<Vec<Door>, ConfigError> {
    let mut doors: Vec<Door> = Vec::new();
    for section in root.tables("door")? {
        let twice = section.missing("name", "name = \"second\"");
        let door = Door::read(section, policies, buckets)?;
        if doors.iter().any(|other| other.name == door.name) {
            return Err(ConfigError {
                value: Some(format!("{:?}", door.name)),
                problem: "another [[door]] has this name".to_owned(),
                ..twice
            });
        }
        doors.push(door);
    }
    if doors.is_empty() {
        let mut error = root.missing("door", "[[door]] name = \"main\" protocol = \"rtyp\" …");
        error.problem = "at least one door must be open, and there is none".to_owned();
        return Err(error);
    }
    Ok(doors)
}

/// The name of a policy that was given without one: that of the built-in, or the file's, made plain.
fn name_of(module: &Module) -> String {
    let path = match module {
        Module::Builtin(builtin) => return builtin.name.to_owned(),
        Module::File(path) => path,
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut name: String = stem.to_lowercase().replace(
        |letter: char| !letter.is_ascii_alphanumeric() && letter != '-',
        "_",
    );
    name.truncate(50);
    match value::is_name(&name) && name != RULES_NAME {
        true => name,
        false => format!("policy-{name}"),
    }
}
