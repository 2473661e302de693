//! What a single value of the file must be. Each error is the end of a sentence that begins with the
//! key and the value.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use toml::de::DeValue;

/// An hour: the longest of most durations. A longer one is more likely a slip than meant.
pub(super) const HOUR: Duration = Duration::from_secs(3600);

/// A whole number within bounds.
pub(super) fn number(
    within: RangeInclusive<u32>,
) -> impl FnOnce(&DeValue<'_>) -> Result<u32, String> {
    move |value| {
        let parsed = value.as_integer().and_then(|digits| {
            i128::from_str_radix(digits.as_str(), digits.radix())
                .ok()
                .and_then(|number| u32::try_from(number).ok())
        });
        parsed
            .filter(|number| within.contains(number))
            .ok_or_else(|| {
                let (low, high) = within.into_inner();
                format!("it must be a whole number from {low} to {high}")
            })
    }
}

/// A duration within bounds, such as `"1m 30s"`.
pub(super) fn duration(
    within: RangeInclusive<Duration>,
) -> impl FnOnce(&DeValue<'_>) -> Result<Duration, String> {
    move |value| {
        let parsed = value
            .as_str()
            .and_then(|text| humantime::parse_duration(text.trim()).ok());
        parsed.filter(|span| within.contains(span)).ok_or_else(|| {
            let (low, high) = within.into_inner();
            let (low, high) = (
                humantime::format_duration(low),
                humantime::format_duration(high),
            );
            format!("it must be a duration in quotes, from {low} to {high}")
        })
    }
}

/// An address to listen on. A host name is not taken: what it means is not the file's to say.
pub(super) fn address(value: &DeValue<'_>) -> Result<SocketAddr, String> {
    let parsed = value.as_str().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| {
        "it must be an IP address and a port in quotes (port 0: any free port)".to_owned()
    })
}

/// A name that labels, URLs and logs can carry as it is.
pub(super) fn name(value: &DeValue<'_>) -> Result<Arc<str>, String> {
    let parsed = value.as_str().filter(|text| is_name(text));
    parsed.map(Arc::from).ok_or_else(|| NAME_RULE.to_owned())
}

/// What a name must be.
pub(super) const NAME_RULE: &str =
    "it must be 1 to 64 lower-case letters, digits, - and _, and begin with a letter";

/// Whether this is a name.
pub(super) fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| plain(byte) || byte == b'-' || byte == b'_')
}

/// Text that is not empty.
pub(super) fn text(value: &DeValue<'_>) -> Result<String, String> {
    let parsed = value.as_str().filter(|text| !text.trim().is_empty());
    parsed
        .map(str::to_owned)
        .ok_or_else(|| "it must be text in quotes".to_owned())
}

/// Yes or no.
pub(super) fn flag(value: &DeValue<'_>) -> Result<bool, String> {
    let parsed = value.as_bool();
    parsed.ok_or_else(|| "it must be true or false".to_owned())
}

/// Text of at most so many bytes, which may be empty.
pub(super) fn line(most: usize) -> impl FnOnce(&DeValue<'_>) -> Result<Arc<str>, String> {
    move |value| {
        let parsed = value.as_str().filter(|text| text.len() <= most);
        parsed
            .map(Arc::from)
            .ok_or_else(|| format!("it must be text in quotes, of at most {most} bytes"))
    }
}

/// A list of text.
pub(super) fn list(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let wrong = || "it must be a list of text in quotes".to_owned();
    let items = value.as_array().ok_or_else(wrong)?;
    items
        .iter()
        .map(|item| item.get_ref().as_str().map(str::to_owned).ok_or_else(wrong))
        .collect()
}
