//! What a client is told, as JSON in text frames.

use data_encoding::BASE64;
use serde::Serialize;
use usher_core::{Grant, Reason};

/// A text frame.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Said<'a> {
    /// It waits.
    Status {
        #[serde(flatten)]
        text: Told<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
    },
    /// It is in.
    Accepted {
        session: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<u32>,
        name: &'a str,
        room: &'a str,
        #[serde(flatten)]
        config: Config<'a>,
    },
    /// It is not let in.
    Rejected {
        code: &'a str,
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<u32>,
    },
    /// It was in, or waited, and this is why it does not any more.
    Ended {
        reason: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<&'a str>,
        #[serde(skip_serializing_if = "str::is_empty")]
        text: &'a str,
    },
}

/// The text of a status: whatever bytes the policy gave.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Told<'a> {
    Text {
        text: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Bytes {
        text_base64: String,
    },
}

/// What the policy gives the client: whatever bytes.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Config<'a> {
    Text {
        config: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Bytes {
        config_base64: String,
    },
}

impl<'a> Said<'a> {
    pub(super) fn status(text: &'a [u8], position: Option<u32>) -> Said<'a> {
        let text = match std::str::from_utf8(text) {
            Ok(text) => Told::Text { text },
            Err(_) => Told::Bytes {
                text_base64: BASE64.encode(text),
            },
        };
        Said::Status { text, position }
    }

    pub(super) fn accepted(grant: &'a Grant) -> Said<'a> {
        Said::Accepted {
            session: grant.session.0,
            number: grant.number,
            name: &grant.name,
            room: &grant.room,
            config: match std::str::from_utf8(&grant.config) {
                Ok(config) => Config::Text { config },
                Err(_) => Config::Bytes {
                    config_base64: BASE64.encode(&grant.config),
                },
            },
        }
    }

    pub(super) fn rejected(reason: &'a Reason) -> Said<'a> {
        Said::Rejected {
            code: &reason.code,
            text: &reason.text,
            number: reason.number,
        }
    }

    /// As it is sent.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("text and numbers are always JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usher_core::SessionId;

    #[test]
    fn a_client_is_told_in_json() {
        let mut reason = Reason::new("banned", "You are \"banned\".");
        assert_eq!(
            Said::rejected(&reason).to_json(),
            r#"{"type":"rejected","code":"banned","text":"You are \"banned\"."}"#
        );
        reason.number = Some(7);
        assert_eq!(
            Said::rejected(&reason).to_json(),
            r#"{"type":"rejected","code":"banned","text":"You are \"banned\".","number":7}"#
        );
        assert_eq!(
            Said::status("Bitte warten … ü".as_bytes(), Some(3)).to_json(),
            r#"{"type":"status","text":"Bitte warten … ü","position":3}"#
        );
        assert_eq!(
            Said::status(b"\xff", None).to_json(),
            r#"{"type":"status","textBase64":"/w=="}"#
        );
        let ended = Said::Ended {
            reason: "kicked",
            code: Some("cheating"),
            text: "",
        };
        assert_eq!(
            ended.to_json(),
            r#"{"type":"ended","reason":"kicked","code":"cheating"}"#
        );
    }

    #[test]
    fn a_config_that_is_text_comes_as_text() {
        let mut grant = Grant {
            session: SessionId(9),
            token: None,
            number: None,
            name: "R9".into(),
            room: "main".into(),
            config: (*b"{\"map\":1}").into(),
        };
        assert_eq!(
            Said::accepted(&grant).to_json(),
            r#"{"type":"accepted","session":9,"name":"R9","room":"main","config":"{\"map\":1}"}"#
        );
        grant.config = [0x80, 1].into();
        assert_eq!(
            Said::accepted(&grant).to_json(),
            r#"{"type":"accepted","session":9,"name":"R9","room":"main","configBase64":"gAE="}"#
        );
        grant.config = [].into();
        assert!(
            Said::accepted(&grant)
                .to_json()
                .ends_with(r#""config":""}"#)
        );
    }
}
