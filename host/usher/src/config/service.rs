//! `[[service]]`: a web service that policies may ask by its name.

use super::error::ConfigError;
use super::reader::Section;
use super::secret::SecretFile;
use super::template::Template;
use super::value::{duration, name, number, text};
use hyper::http::{HeaderName, HeaderValue, Method};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use usher_core::Secret;

/// Those that HTTP itself, or the address, decides about.
const NOT_OURS: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Those whose value is a secret.
const SECRET: &[&str] = &["authorization", "cookie"];

/// A web service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Service {
    /// Its name, by which policies know it.
    pub name: Arc<str>,
    /// Where it is asked.
    pub url: Template,
    /// How.
    pub method: Method,
    /// What it is told besides, each name once.
    pub headers: Vec<Header>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How long it may be, in bytes.
    pub max_response: u32,
}

/// A header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// Its name.
    pub name: HeaderName,
    /// The file that its value is in, for those that are secrets.
    pub file: Option<PathBuf>,
    /// Its value: a header's, as it was checked to be.
    pub value: Secret,
}

impl Service {
    /// Reads the tables, in the order of the file.
    pub(super) fn read_all(root: &mut Section<'_>) -> Result<Vec<Service>, ConfigError> {
        let mut services: Vec<Service> = Vec::new();
        for section in root.tables("service")? {
            let twice = section.missing("name", "name = \"second\"");
            let service = Service::read(section)?;
            if services.iter().any(|other| other.name == service.name) {
                return Err(ConfigError {
                    value: Some(format!("{:?}", service.name)),
                    problem: "another [[service]] has this name".to_owned(),
                    ..twice
                });
            }
            services.push(service);
        }
        Ok(services)
    }

    fn read(mut section: Section<'_>) -> Result<Service, ConfigError> {
        const URL: &str = "url = \"https://example.org/players/{0}\"";
        let s = &mut section;
        let name = s.required("name", "name = \"players\"", name)?;
        let url = s.required("url", URL, |value| Template::parse(&text(value)?))?;
        let method = s.optional("method", "method = \"GET\"", |value| match value.as_str() {
            Some("GET") => Ok(Method::GET),
            Some("POST") => Ok(Method::POST),
            Some("PUT") => Ok(Method::PUT),
            _ => Err("it must be \"GET\", \"POST\" or \"PUT\"".to_owned()),
        })?;
        let mut headers = Vec::new();
        read_headers(s, &mut headers)?;
        read_header_files(s, &mut headers)?;
        let timeout = s.optional(
            "timeout",
            "timeout = \"2s\"",
            duration(Duration::from_millis(10)..=Duration::from_secs(60)),
        )?;
        let most = s.optional("max-response", "max-response = 65536", number(0..=524_288))?;
        section.finish()?;
        Ok(Service {
            name,
            url,
            method: method.unwrap_or(Method::GET),
            headers,
            timeout: timeout.unwrap_or(Duration::from_secs(2)),
            max_response: most.unwrap_or(65_536),
        })
    }
}

fn read_headers(section: &mut Section<'_>, headers: &mut Vec<Header>) -> Result<(), ConfigError> {
    const EXAMPLE: &str = "headers = { accept = \"application/json\" }";
    let Some(mut table) = section.hidden_table("headers", EXAMPLE)? else {
        return Ok(());
    };
    for (key, entry) in table.rest() {
        let header = entry.parse_hidden(|value| {
            let name = header_name(&key, headers)?;
            if SECRET.contains(&name.as_str()) {
                return Err(
                    "this is a secret: put its value into a file, and name that in header-files"
                        .to_owned(),
                );
            }
            let value = text(value)?;
            HeaderValue::from_str(&value)
                .map_err(|_| "it must be what a header can hold, in one line".to_owned())?;
            let (file, value) = (None, Secret::new(value));
            Ok(Header { name, file, value })
        })?;
        headers.push(header);
    }
    Ok(())
}

fn read_header_files(
    section: &mut Section<'_>,
    headers: &mut Vec<Header>,
) -> Result<(), ConfigError> {
    const EXAMPLE: &str = "header-files = { authorization = \"players.authorization\" }";
    let Some(mut table) = section.hidden_table("header-files", EXAMPLE)? else {
        return Ok(());
    };
    for (key, entry) in table.rest() {
        let name = entry.parse_hidden(|_| header_name(&key, headers))?;
        let secret = SecretFile::read(&entry, "the header's value, such as \"Bearer …\"")?;
        let (file, value) = (Some(secret.file), secret.secret);
        headers.push(Header { name, file, value });
    }
    Ok(())
}

fn header_name(text: &str, known: &[Header]) -> Result<HeaderName, String> {
    let name = HeaderName::from_bytes(text.as_bytes());
    let name = name.map_err(|_| "its name is no header's".to_owned())?;
    if NOT_OURS.contains(&name.as_str()) {
        return Err("this header is not yours to set".to_owned());
    }
    match known.iter().any(|header| header.name == name) {
        true => Err("this header is set already".to_owned()),
        false => Ok(name),
    }
}

#[cfg(test)]
mod tests;
