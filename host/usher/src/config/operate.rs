//! `[audit]` and `[admin]`: what the operator sees, and from where.

use super::error::ConfigError;
use super::reader::Section;
use super::value::{address, text};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use usher_core::Secret;

/// Where every decision is written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Audit {
    /// The file, one JSON object a line.
    pub file: PathBuf,
}

/// The operator's HTTP endpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Admin {
    /// Where it listens.
    pub listen: SocketAddr,
    /// What a caller must show. Always there when other machines can reach the endpoint.
    pub token: Option<Secret>,
}

impl Default for Admin {
    /// For this machine alone.
    fn default() -> Admin {
        Admin {
            listen: (Ipv4Addr::LOCALHOST, 4280).into(),
            token: None,
        }
    }
}

impl Audit {
    /// Reads the table.
    pub(super) fn read(mut section: Section<'_>) -> Result<Audit, ConfigError> {
        let directory = section.source.directory();
        let file = section.required("file", "file = \"audit.jsonl\"", |value| {
            let file = directory.join(text(value)?);
            match file.parent() {
                Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
                    Err(format!("there is no directory {}", parent.display()))
                }
                _ if file.is_dir() => Err("this is a directory".to_owned()),
                _ => Ok(file),
            }
        })?;
        section.finish()?;
        Ok(Audit { file })
    }
}

/// Fewer characters than this can be guessed.
const SHORTEST_TOKEN: usize = 16;

impl Admin {
    /// Reads the table.
    pub(super) fn read(mut section: Section<'_>) -> Result<Admin, ConfigError> {
        const TOKEN_FILE: &str = "token-file = \"admin.token\"";
        let listen = section
            .optional("listen", "listen = \"127.0.0.1:4280\"", address)?
            .unwrap_or(Admin::default().listen);
        let token = token_file(&mut section, TOKEN_FILE)?;
        if token.is_none() && !listen.ip().to_canonical().is_loopback() {
            let mut error = section.missing("token-file", TOKEN_FILE);
            error.problem = format!(
                "this is missing, and other machines can reach the listen address {listen}"
            );
            return Err(error);
        }
        section.finish()?;
        Ok(Admin { listen, token })
    }
}

/// Reads the token that is in the file of `token-file`, if there is one.
pub(super) fn token_file(
    section: &mut Section<'_>,
    example: &'static str,
) -> Result<Option<Secret>, ConfigError> {
    let directory = section.source.directory();
    let token = section.optional("token-file", example, |value| {
        let content = crate::files::read_text(&directory.join(text(value)?)).map_err(|error| {
            format!(
                "the file that this names cannot be read: {error}; it must hold a token, such as \
                 `openssl rand -hex 32` gives"
            )
        })?;
        parse_token(&content)
    });
    // Whoever writes the token itself where its file belongs must not find it in the log.
    token.map_err(|error| ConfigError {
        value: None,
        ..error
    })
}

fn parse_token(content: &str) -> Result<Secret, String> {
    let token = content.trim();
    if token.len() < SHORTEST_TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!(
            "the file must hold one token of at least {SHORTEST_TOKEN} printable ASCII characters, \
             such as `openssl rand -hex 32` gives"
        ));
    }
    Ok(Secret::new(token))
}
