//! What a game server says.

use data_encoding::BASE64;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// The longest payload, in bytes.
const PAYLOAD: usize = 65_536;
/// The longest name or password, in bytes.
const NAME: usize = 1024;
/// The most arguments, and the longest one, in bytes.
const ARGS: usize = 64;
const ARG: usize = 1024;
/// The longest one-way delay, in milliseconds: a minute is no delay any more.
const DELAY: u32 = 60_000;

/// The longest name of a place in the endings.
const PLACE: usize = 64;

/// The longest that an answer may be held.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A player who wants to come in, as the game server sees it.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct NewRequest {
    /// The player's IP address. `0.0.0.0` for a player of whom the game server knows none, such as behind
    /// a relay.
    #[schemars(schema_with = "ip_address", example = "192.0.2.7")]
    pub(in crate::doors::http) address: IpAddr,
    /// The player's port, if it is known.
    #[serde(default)]
    #[schemars(example = 50000)]
    pub(in crate::doors::http) port: u16,
    /// Whether the player has shown that it receives what is sent to this address, as the handshake of
    /// most engines has it.
    #[serde(default)]
    pub(in crate::doors::http) proven: bool,
    /// What the player sent to be let in, such as a join ticket, where that is text. At most 65,536 bytes
    /// of UTF-8.
    #[schemars(length(max = 65536))]
    payload: Option<String>,
    /// The same where it is anything else, in base64 (RFC 4648, with padding). At most 65,536 bytes
    /// decoded.
    #[schemars(length(max = 87384))]
    payload_base64: Option<String>,
    /// What the player calls itself. At most 1,024 bytes.
    #[schemars(length(max = 1024), example = &"R9")]
    pub(in crate::doors::http) name: Option<String>,
    /// The password that the player gave. At most 1,024 bytes.
    #[schemars(length(max = 1024))]
    pub(in crate::doors::http) password: Option<String>,
    /// Further options, each at most 1,024 bytes.
    #[serde(default)]
    #[schemars(length(max = 64), inner(length(max = 1024)))]
    pub(in crate::doors::http) args: Vec<String>,
    /// The measured delay one way, in milliseconds.
    #[schemars(range(max = 60000), example = 23)]
    one_way_ms: Option<u32>,
}

fn ip_address(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "string", "format": "ipv4" },
            { "type": "string", "format": "ipv6" },
        ],
    })
}

/// A value that is not as the description has it; the display says what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(in crate::doors::http) struct Unfit(String);

impl NewRequest {
    /// The payload, whole.
    ///
    /// # Errors
    ///
    /// What is not as it should be, of any field.
    pub(in crate::doors::http) fn payload(&self) -> Result<Arc<[u8]>, Unfit> {
        let unfit = |what: &str| Err(Unfit(what.to_owned()));
        let within = |text: &Option<String>| text.as_ref().is_none_or(|text| text.len() <= NAME);
        if !within(&self.name) || !within(&self.password) {
            return unfit("name and password may each have 1,024 bytes");
        }
        if self.args.len() > ARGS || self.args.iter().any(|arg| arg.len() > ARG) {
            return unfit("args may have 64 items of 1,024 bytes each");
        }
        if self.one_way_ms.is_some_and(|delay| delay > DELAY) {
            return unfit("one_way_ms may be 60000 at most");
        }
        let payload: Arc<[u8]> = match (&self.payload, &self.payload_base64) {
            (Some(_), Some(_)) => return unfit("give payload or payload_base64, not both"),
            (Some(text), None) => text.as_bytes().into(),
            (None, Some(encoded)) => match BASE64.decode(encoded.as_bytes()) {
                Ok(bytes) => bytes.into(),
                Err(_) => return unfit("payload_base64 must be base64 with padding, in one line"),
            },
            (None, None) => Arc::default(),
        };
        if payload.len() > PAYLOAD {
            return unfit("a payload may have 65,536 bytes");
        }
        Ok(payload)
    }

    /// The delay, as far as it was measured.
    pub(in crate::doors::http) fn one_way(&self) -> Option<Duration> {
        let millis = self.one_way_ms.map(u64::from);
        millis.map(Duration::from_millis)
    }
}

/// A player of the game server's own machine, who needs no approval.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct NewLocal {
    /// What the player is called. At most 1,024 bytes.
    #[schemars(length(max = 1024), example = &"Host")]
    name: Option<String>,
}

impl NewLocal {
    /// The player's name.
    ///
    /// # Errors
    ///
    /// It is too long.
    pub(in crate::doors::http) fn name(&self) -> Result<Arc<str>, Unfit> {
        let name = self.name.as_deref().unwrap_or("local player");
        match name.len() <= NAME {
            true => Ok(name.into()),
            false => Err(Unfit("a name may have 1,024 bytes".to_owned())),
        }
    }
}

/// A player who is gone.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct End {
    /// How.
    pub(in crate::doors::http) how: EndHow,
}

/// How a player went.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::doors::http) enum EndHow {
    /// It said goodbye.
    Left,
    /// Its connection closed or went silent.
    Dropped,
}

/// How long an answer may be held.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct Wait {
    /// The longest that the answer may be held while there is nothing to say, such as `20s` or `500ms`; at
    /// most `30s`.
    #[schemars(
        regex(pattern = r"^(?:(?:[0-9]|[12][0-9]|30)s|(?:[0-9]{1,4}|[12][0-9]{4}|30000)ms)$"),
        example = "20s"
    )]
    wait: Option<String>,
}

/// How long an answer may be held, and what is known already.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct WaitAfter {
    /// The longest that the answer may be held while there is nothing to say, such as `20s` or `500ms`; at
    /// most `30s`.
    #[schemars(
        regex(pattern = r"^(?:(?:[0-9]|[12][0-9]|30)s|(?:[0-9]{1,4}|[12][0-9]{4}|30000)ms)$"),
        example = "20s"
    )]
    wait: Option<String>,
    /// The `version` that is known: a newer status is something to say, too.
    pub(in crate::doors::http) after: Option<u64>,
}

/// How long an answer may be held, and where to read on.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct After {
    /// The longest that the answer may be held while there is nothing to say, such as `20s` or `500ms`; at
    /// most `30s`.
    #[schemars(
        regex(pattern = r"^(?:(?:[0-9]|[12][0-9]|30)s|(?:[0-9]{1,4}|[12][0-9]{4}|30000)ms)$"),
        example = "20s"
    )]
    wait: Option<String>,
    /// The `next` of the answer before. Without it, everything that is still known is told.
    #[schemars(length(max = 64))]
    after: Option<String>,
}

/// Where to read on.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct Behind {
    /// The id of the last event that is known. Without it, everything that is still known is told.
    #[schemars(length(max = 64))]
    after: Option<String>,
}

impl Wait {
    /// The time.
    ///
    /// # Errors
    ///
    /// It is no time, or too long.
    pub(in crate::doors::http) fn or(&self, default: Duration) -> Result<Duration, Unfit> {
        parse(self.wait.as_deref()).map(|wait| wait.unwrap_or(default))
    }
}

impl WaitAfter {
    /// The time; none unless it is given.
    ///
    /// # Errors
    ///
    /// It is no time, or too long.
    pub(in crate::doors::http) fn wait(&self) -> Result<Duration, Unfit> {
        parse(self.wait.as_deref()).map(Option::unwrap_or_default)
    }
}

impl After {
    /// The time; none unless it is given.
    ///
    /// # Errors
    ///
    /// It is no time, or too long.
    pub(in crate::doors::http) fn wait(&self) -> Result<Duration, Unfit> {
        parse(self.wait.as_deref()).map(Option::unwrap_or_default)
    }

    /// Where to read on.
    ///
    /// # Errors
    ///
    /// It is no place.
    pub(in crate::doors::http) fn after(&self) -> Result<Option<&str>, Unfit> {
        place(self.after.as_deref())
    }
}

impl Behind {
    /// Where to read on.
    ///
    /// # Errors
    ///
    /// It is no place.
    pub(in crate::doors::http) fn after(&self) -> Result<Option<&str>, Unfit> {
        place(self.after.as_deref())
    }
}

fn place(after: Option<&str>) -> Result<Option<&str>, Unfit> {
    match after {
        Some(after) if after.chars().count() > PLACE => Err(Unfit(
            "after must be the next, or the id, that was told last".to_owned(),
        )),
        _ => Ok(after),
    }
}

fn parse(wait: Option<&str>) -> Result<Option<Duration>, Unfit> {
    let Some(wait) = wait else {
        return Ok(None);
    };
    let (digits, unit) = match wait.strip_suffix("ms") {
        Some(digits) => (digits, 1),
        None => (wait.strip_suffix('s').unwrap_or_default(), 1000),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse::<u32>().ok().filter(|_| plain);
    let span = number.map(|number| Duration::from_millis(u64::from(number) * unit));
    match span.filter(|span| *span <= LONGEST_WAIT) {
        Some(span) => Ok(Some(span)),
        None => Err(Unfit(
            "wait must be a time from 0s to 30s, such as 20s or 500ms".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(more: &str) -> Result<NewRequest, serde_json::Error> {
        serde_json::from_str(&format!("{{\"address\": \"192.0.2.7\"{more}}}"))
    }

    #[test]
    fn a_payload_is_text_or_base64_and_never_both() {
        let payload = |more: &str| {
            let asked = request(more).expect("a request");
            asked.payload().map(|bytes| bytes.to_vec()).ok()
        };
        assert_eq!(payload(""), Some(Vec::new()));
        assert_eq!(
            payload(", \"payload\": \"a\u{e9}\""),
            Some(b"a\xc3\xa9".to_vec())
        );
        assert_eq!(
            payload(", \"payload_base64\": \"AP8=\""),
            Some(vec![0, 255])
        );
        for wrong in ["AP8", "AP 8=", "AP-_", "AP8=\\n", "=", "A"] {
            assert_eq!(
                payload(&format!(", \"payload_base64\": \"{wrong}\"")),
                None,
                "{wrong}"
            );
        }
        assert_eq!(
            payload(", \"payload\": \"\", \"payload_base64\": \"\""),
            None
        );
    }

    #[test]
    fn bounds_are_bytes_and_exact() {
        let fits = |more: String| request(&more).expect("a request").payload().is_ok();
        let long = |text: &str, times: usize| text.repeat(times);
        for (key, most) in [("payload", 65_536), ("name", 1024), ("password", 1024)] {
            assert!(
                fits(format!(", \"{key}\": \"{}\"", long("x", most))),
                "{key}"
            );
            assert!(
                !fits(format!(", \"{key}\": \"{}\"", long("x", most + 1))),
                "{key}"
            );
            assert!(
                !fits(format!(", \"{key}\": \"{}\"", long("\u{e9}", most / 2 + 1))),
                "{key}"
            );
        }
        assert!(fits(format!(
            ", \"args\": [{}]",
            vec!["\"x\""; 64].join(",")
        )));
        assert!(!fits(format!(
            ", \"args\": [{}]",
            vec!["\"x\""; 65].join(",")
        )));
        assert!(fits(", \"one_way_ms\": 60000".to_owned()));
        assert!(!fits(", \"one_way_ms\": 60001".to_owned()));
    }

    #[test]
    fn a_wait_is_plain_and_bounded() {
        for (text, millis) in [
            ("0s", 0),
            ("20s", 20_000),
            ("30s", 30_000),
            ("30000ms", 30_000),
            ("5ms", 5),
        ] {
            let wait = parse(Some(text)).expect("a time");
            assert_eq!(wait, Some(Duration::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "s",
            "ms",
            "20",
            "31s",
            "30001ms",
            "-1s",
            "+1s",
            "1.5s",
            "1m",
            " 1s",
            "99999999999s",
        ] {
            assert!(parse(Some(text)).is_err(), "{text:?}");
        }
        assert!(matches!(parse(None), Ok(None)));
    }
}
