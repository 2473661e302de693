//! Text that others wrote, made fit for a log and for a terminal.

use std::fmt;

/// Most characters that are shown of such a text.
const LIMIT: usize = 200;

/// Whether a terminal does more with it than show it, or turns what is around it: control characters,
/// bidirectional marks, and what breaks a line.
pub fn acts(letter: char) -> bool {
    let is_mark = matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    letter.is_control() || is_mark
}

/// Appends a JSON text so that a terminal shows it and does nothing else: people `cat` audits and `curl`
/// the status. JSON escapes controls only up to U+001F. In a JSON text the others can only stand inside a
/// string, where an escape means the same.
pub fn push_json(json: &str, to: &mut String) {
    for letter in json.chars() {
        match acts(letter) {
            true => to.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => to.push(letter),
        }
    }
}

/// Shows a peer's, a module's or a file's text on one line: control characters and bidirectional marks
/// are escaped, and it is cut where it is long.
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nearly all texts are plain names, and letter by letter they cost many times as much.
        let is_itself = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'\\';
        if self.0.len() <= LIMIT && self.0.bytes().all(is_itself) {
            return f.write_str(self.0);
        }
        let mut chars = self.0.chars();
        for char in chars.by_ref().take(LIMIT) {
            match char {
                '\'' | '"' => write!(f, "{char}")?,
                '\n' | '\r' | '\t' => write!(f, "{}", char.escape_debug())?,
                // `escape_debug` leaves some of these alone.
                char if acts(char) => write!(f, "{}", char.escape_unicode())?,
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
            ("a\u{61c}b\u{2028}", "a\\u{61c}b\\u{2028}"),
            ("back\\slash", "back\\\\slash"),
        ] {
            assert_eq!(Shown(text).to_string(), shown);
        }
    }

    #[test]
    fn json_means_the_same_and_commands_no_terminal() {
        let text = "a\"\n\u{7f}\u{9b}2J\u{61c}\u{202e}é";
        let mut shown = String::new();
        push_json(&serde_json::to_string(text).expect("JSON"), &mut shown);
        assert_eq!(shown, r#""a\"\n\u007f\u009b2J\u061c\u202eé""#);
        let read: String = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(read, text);
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(Shown(&"a".repeat(200)).to_string(), "a".repeat(200));
        assert_eq!(Shown(&"a".repeat(201)).to_string(), "a".repeat(200) + "…");
    }
}
