//! `[discovery]`: the directory that lists this server, and knows who may come.

use super::error::ConfigError;
use super::evidence::port;
use super::limits::Limits;
use super::place;
use super::reader::Section;
use super::secret::SecretFile;
use super::value::{line, text};
use serde_json::{Map, Value};
use std::sync::Arc;
use toml::de::DeValue;

/// The most of `meta`, in bytes of JSON.
const MOST_META: usize = 4096;

/// The directory, and what it is told of this server.
#[derive(Clone, PartialEq, Debug)]
pub struct Discovery {
    /// Where it is, without a slash at the end.
    pub url: Arc<str>,
    /// What proves that this server may be listed.
    pub token: SecretFile,
    /// Under which id it wants to be listed; absent for one that the directory gives.
    pub server_id: Option<Arc<str>>,
    /// What players are shown.
    pub name: Arc<str>,
    /// The address that players connect to; absent for the one that the directory sees.
    pub ip: Option<Arc<str>>,
    /// The port that players connect to.
    pub port: u16,
    /// The port that is asked how things stand.
    pub query_port: u16,
    /// Seats in all.
    pub max_players: u32,
    /// The version of the game; absent if it does not matter.
    pub version: Option<Arc<str>>,
    /// What players can choose by.
    pub meta: Map<String, Value>,
}

impl Discovery {
    /// Where the directory is, if nothing else is said.
    pub const URL: &str = "https://discovery.pingcore.io";

    /// Reads the table.
    pub(super) fn read(
        mut section: Section<'_>,
        limits: &Limits,
    ) -> Result<Discovery, ConfigError> {
        const TOKEN: &str = "token-file = \"discovery.token\"";
        let s = &mut section;
        let url = s.optional("url", "url = \"https://discovery.example.org\"", |value| {
            place::base(&text(value)?)
        })?;
        let token = match s.entry("token-file", TOKEN) {
            Some(entry) => SecretFile::read(&entry, "the token that the directory gave")?,
            None => return Err(s.missing("token-file", TOKEN)),
        };
        let server_id = s.optional("server-id", "server-id = \"203.0.113.10:27015\"", server_id)?;
        let name = s.required("name", "name = \"My server\"", shown)?;
        let ip = s.optional("ip", "ip = \"203.0.113.10\"", |value| {
            let address = text(value)?.parse::<std::net::IpAddr>();
            let address = address.map_err(|_| "it must be an IP address in quotes".to_owned())?;
            Ok(address.to_string().into())
        })?;
        let first = s.required("port", "port = 27015", port)?;
        let query_port = s.optional("query-port", "query-port = 27016", port)?;
        let query_port = match query_port.or(first.checked_add(1)) {
            Some(port) => port,
            None => {
                let mut error = s.missing("query-port", "query-port = 27016");
                error.problem = "this is missing, and no port comes after the port".to_owned();
                return Err(error);
            }
        };
        let version = s.optional("version", "version = \"1.4.2\"", shown)?;
        let meta = read_meta(s)?;
        section.finish()?;
        Ok(Discovery {
            url: url.unwrap_or_else(|| Discovery::URL.to_owned()).into(),
            token,
            server_id,
            name,
            ip,
            port: first,
            query_port,
            max_players: limits.max_players,
            version,
            meta,
        })
    }
}

/// Whether a directory may call a server so.
pub fn is_server_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:[]-".contains(&byte);
    (1..=128).contains(&text.len()) && text.bytes().all(plain)
}

fn server_id(value: &DeValue<'_>) -> Result<Arc<str>, String> {
    let id = value.as_str().filter(|text| is_server_id(text));
    id.map(Arc::from).ok_or_else(|| {
        "it must be 1 to 128 letters, digits and any of . _ : [ ] -, in quotes".to_owned()
    })
}

fn shown(value: &DeValue<'_>) -> Result<Arc<str>, String> {
    let line = line(128)(value)?;
    match line.trim().is_empty() || line.chars().any(char::is_control) {
        true => Err("it must be text in quotes, in one line".to_owned()),
        false => Ok(line),
    }
}

fn read_meta(section: &mut Section<'_>) -> Result<Map<String, Value>, ConfigError> {
    const EXAMPLE: &str = "meta = { map = \"harbour\" }";
    let mut meta = Map::new();
    let mut too_much = section.missing("meta", EXAMPLE);
    too_much.problem = format!("it must not have more than {MOST_META} bytes as JSON");
    let Some(mut table) = section.table("meta")? else {
        return Ok(meta);
    };
    for (name, entry) in table.rest() {
        meta.insert(name, entry.parse(meta_value)?);
    }
    match Value::Object(meta.clone()).to_string().len() > MOST_META {
        true => Err(too_much),
        false => Ok(meta),
    }
}

fn meta_value(value: &DeValue<'_>) -> Result<Value, String> {
    let text = value.as_str().map(Value::from);
    let flag = value.as_bool().map(Value::from);
    let number = value.as_integer().and_then(|digits| {
        let number = i64::from_str_radix(digits.as_str(), digits.radix()).ok();
        number.map(Value::from)
    });
    let any = text.or(flag).or(number);
    any.ok_or_else(|| "it must be text, a whole number, true or false".to_owned())
}

#[cfg(test)]
mod tests;
