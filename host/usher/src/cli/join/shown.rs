//! What the server sends, made fit for a terminal.

use crate::text::acts;

/// Data on one line, whatever it is.
pub(super) fn printable(data: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(data) else {
        return data.escape_ascii().to_string();
    };
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => shown.push_str("\\\\"),
            letter if acts(letter) => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_stays_on_its_line() {
        for (data, shown) in [
            (&b"hello"[..], "hello"),
            ("né".as_bytes(), "né"),
            (b"a\nb\x1b[2J", "a\\nb\\u{1b}[2J"),
            ("a\u{9b}\u{202e}".as_bytes(), "a\\u{9b}\\u{202e}"),
            (b"\\n", "\\\\n"),
            (b"\xff\x00", "\\xff\\x00"),
        ] {
            assert_eq!(printable(data), shown);
        }
    }
}
