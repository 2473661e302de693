//! What a server says in text frames.

use data_encoding::BASE64;
use serde::Deserialize;

use super::error::Error;
use super::step::{Accepted, Step};

/// A text frame. What is not known is not an error: a newer server may say more.
#[derive(Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub(super) enum Told {
    Status {
        text: Option<String>,
        text_base64: Option<String>,
        position: Option<u32>,
    },
    Accepted {
        session: u64,
        number: Option<u32>,
        #[serde(default)]
        name: String,
        #[serde(default)]
        room: String,
        config: Option<String>,
        config_base64: Option<String>,
    },
    Rejected {
        code: String,
        #[serde(default)]
        text: String,
        number: Option<u32>,
    },
    Ended {
        reason: String,
        #[serde(default)]
        text: String,
    },
    #[serde(other)]
    Unknown,
}

impl Told {
    pub(super) fn parse(json: &str) -> Result<Told, Error> {
        serde_json::from_str(json).map_err(|error| Error::Protocol(error.to_string()))
    }

    /// What it means for a client on its way in; `None` for what means nothing.
    pub(super) fn into_step(self) -> Result<Option<Step>, Error> {
        Ok(match self {
            Told::Status {
                text,
                text_base64,
                position,
            } => Some(Step::Status {
                text: bytes(text, text_base64)?,
                position,
            }),
            Told::Accepted {
                session,
                number,
                name,
                room,
                config,
                config_base64,
            } => Some(Step::Accepted(Accepted {
                session,
                number,
                name,
                room,
                config: bytes(config, config_base64)?,
            })),
            Told::Rejected { code, text, number } => {
                return Err(Error::Rejected { code, text, number });
            }
            Told::Ended { reason, text } => return Err(Error::Ended { reason, text }),
            Told::Unknown => None,
        })
    }
}

fn bytes(text: Option<String>, base64: Option<String>) -> Result<Vec<u8>, Error> {
    match (text, base64) {
        (_, Some(base64)) => BASE64
            .decode(base64.as_bytes())
            .map_err(|error| Error::Protocol(error.to_string())),
        (text, None) => Ok(text.unwrap_or_default().into_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(json: &str) -> Result<Option<Step>, Error> {
        Told::parse(json)?.into_step()
    }

    #[test]
    fn what_the_server_says_is_a_step_or_an_end() {
        let status = step(r#"{"type":"status","text":"Wait.","position":2,"more":1}"#);
        assert_eq!(
            status.expect("a step"),
            Some(Step::Status {
                text: b"Wait.".to_vec(),
                position: Some(2)
            })
        );
        let accepted = step(r#"{"type":"accepted","session":7,"configBase64":"gAE="}"#);
        match accepted.expect("a step") {
            Some(Step::Accepted(accepted)) => {
                assert_eq!(
                    (accepted.session, &accepted.config[..]),
                    (7, &[0x80, 1][..])
                );
            }
            other => panic!("{other:?}"),
        }
        let rejected = step(r#"{"type":"rejected","code":"banned","text":"No.","number":7}"#);
        assert!(matches!(rejected, Err(Error::Rejected { code, .. }) if code == "banned"));
        let ended = step(r#"{"type":"ended","reason":"shutdown"}"#);
        assert!(matches!(ended, Err(Error::Ended { reason, .. }) if reason == "shutdown"));
        assert_eq!(step(r#"{"type":"news","text":1}"#).expect("nothing"), None);
    }

    #[test]
    fn what_is_not_of_the_protocol_is_an_error() {
        for json in [
            "",
            "{}",
            "[]",
            r#"{"type":"accepted"}"#,
            r#"{"type":"status","textBase64":"?"}"#,
        ] {
            assert!(matches!(step(json), Err(Error::Protocol(_))), "{json}");
        }
    }
}
