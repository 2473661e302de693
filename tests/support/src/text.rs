//! Text on its way in: percent-decoding, and the time of day in milliseconds.

use std::time::{SystemTime, UNIX_EPOCH};

/// `a%3Ab` as `a:b`. What is no escape is left as it is.
pub(crate) fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn escapes_are_decoded_and_everything_else_is_kept() {
        assert_eq!(
            percent_decoded("203.0.113.10%3A27015"),
            "203.0.113.10:27015"
        );
        assert_eq!(percent_decoded("a%2Fb%20c"), "a/b c");
        assert_eq!(percent_decoded("%C3%A9%"), "é%");
        assert_eq!(percent_decoded("100%zz%4"), "100%zz%4");
        assert_eq!(percent_decoded("%é1"), "%é1");
    }
}
