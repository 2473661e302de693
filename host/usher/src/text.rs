//! Text that others wrote, made fit for a log.

use std::fmt;

/// Most characters that are shown of such a text.
const LIMIT: usize = 200;

/// Shows a peer's, a module's or a file's text on one line: control characters and bidirectional marks
/// are escaped, and it is cut where it is long.
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chars = self.0.chars();
        for char in chars.by_ref().take(LIMIT) {
            match char {
                '\'' | '"' => write!(f, "{char}")?,
                // `escape_debug` leaves these alone, and terminals act on them.
                '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    write!(f, "{}", char.escape_unicode())?;
                }
                char => write!(f, "{}", char.escape_debug())?,
            }
        }
        if chars.next().is_some() {
            f.write_str("…")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_reaches_the_terminal_as_a_command() {
        for (text, shown) in [
            ("R9", "R9"),
            ("it's \"R9\"", "it's \"R9\""),
            ("a\nb\u{1b}[2J", "a\\nb\\u{1b}[2J"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("a\u{202e}b\u{2066}", "a\\u{202e}b\\u{2066}"),
            ("back\\slash", "back\\\\slash"),
        ] {
            assert_eq!(Shown(text).to_string(), shown);
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(Shown(&"a".repeat(200)).to_string(), "a".repeat(200));
        assert_eq!(Shown(&"a".repeat(201)).to_string(), "a".repeat(200) + "…");
    }
}
