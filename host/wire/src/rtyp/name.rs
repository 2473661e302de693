//! The player's name.

use std::fmt;
use std::str::FromStr;

use super::limits::MAX_NAME;

/// A player's name that keeps the rules of section 3.2: 1 to 16 bytes of UTF-8, without U+0000 to U+001F
/// and U+007F.
///
/// C1 controls and bidirectional overrides are allowed. So there is no `Display`: `Debug` escapes what a
/// terminal or a log could be fooled with, and [`as_str`](Self::as_str) gives the name as it was sent.
/// Two names are the same when their bytes are.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerName(Box<str>);

/// Why bytes are not a [`PlayerName`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// No bytes at all.
    #[error("the name is empty; it needs 1 to {MAX_NAME} bytes")]
    Empty,
    /// This many bytes, above [`MAX_NAME`].
    #[error("the name has {0} bytes; it may have {MAX_NAME}")]
    TooLong(usize),
    /// Not UTF-8.
    #[error("the name is not UTF-8")]
    NotUtf8,
    /// A character below U+0020, or U+007F.
    #[error("the name has a control character")]
    Control,
}

impl PlayerName {
    /// The name in these bytes.
    ///
    /// # Errors
    ///
    /// The first rule that the bytes break.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidName> {
        if bytes.is_empty() {
            return Err(InvalidName::Empty);
        }
        if bytes.len() > MAX_NAME {
            return Err(InvalidName::TooLong(bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| InvalidName::NotUtf8)?;
        // In UTF-8 these bytes occur only as the characters themselves.
        if bytes.iter().any(u8::is_ascii_control) {
            return Err(InvalidName::Control);
        }
        Ok(Self(text.into()))
    }

    /// The name as it was sent: escape it before it goes to a terminal or a log.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name's bytes, 1 to 16 of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl FromStr for PlayerName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        Self::from_bytes(text.as_bytes())
    }
}

impl fmt::Debug for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        let good: &[&[u8]] = &[
            b"R",
            b"R9",
            b" ",
            b"sixteen bytes ok",
            "éééééééé".as_bytes(),   // 8 characters, 16 bytes
            "\u{85}".as_bytes(),     // a C1 control
            "a\u{202E}b".as_bytes(), // a bidirectional override
            "\u{1F600}".as_bytes(),  // four bytes, one character
            b"\x20\x7e",             // the edges of printable ASCII
        ];
        for bytes in good {
            let name = PlayerName::from_bytes(bytes);
            assert_eq!(name.as_ref().map(PlayerName::as_bytes), Ok(*bytes));
        }

        let bad: &[(&[u8], InvalidName)] = &[
            (b"", InvalidName::Empty),
            (b"seventeen bytes!!", InvalidName::TooLong(17)),
            ("ééééééééé".as_bytes(), InvalidName::TooLong(18)),
            (&[b'a'; 508], InvalidName::TooLong(508)),
            (b"\xff", InvalidName::NotUtf8),
            (b"a\xc3", InvalidName::NotUtf8), // cut inside a character
            (b"\xc0\x80", InvalidName::NotUtf8), // an overlong U+0000
            (b"\xed\xa0\x80", InvalidName::NotUtf8), // a surrogate
            (b"\x00", InvalidName::Control),
            (b"a\nb", InvalidName::Control),
            (b"\x1f", InvalidName::Control),
            (b"R9\x7f", InvalidName::Control),
        ];
        for (bytes, cause) in bad {
            assert_eq!(PlayerName::from_bytes(bytes), Err(*cause), "{bytes:02x?}");
        }
    }

    #[test]
    fn debug_escapes_what_could_fool_a_terminal() {
        let name = PlayerName::from_bytes("a\u{202E}\u{9b}".as_bytes());
        assert_eq!(format!("{name:?}"), r#"Ok("a\u{202e}\u{9b}")"#);
    }
}
