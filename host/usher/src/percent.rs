//! Text that becomes a part of an address and can never be more of it than that.

/// Appends text so that it is one segment of a path, or one value of a query: everything but letters, digits
/// and `-._~` is percent-encoded.
pub fn push_encoded(text: &str, to: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                to.push(char::from(byte));
            }
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                to.push('%');
                // Both are below 16.
                to.push(char::from(DIGITS[usize::from(byte >> 4)]));
                to.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
        }
    }
}

/// Whether a segment of a path with this text would mean a place and not a name: encoded dots mean the same.
pub fn is_dots(text: &str) -> bool {
    let dots = text.replace("%2e", ".").replace("%2E", ".");
    dots == "." || dots == ".."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_segment() {
        for (text, encoded) in [
            ("rsv-1", "rsv-1"),
            ("203.0.113.10:27015", "203.0.113.10%3A27015"),
            ("anon:player 7", "anon%3Aplayer%207"),
            ("a/b?c#d&e=f%g@h\\i", "a%2Fb%3Fc%23d%26e%3Df%25g%40h%5Ci"),
            ("\u{e9}\r\n\0", "%C3%A9%0D%0A%00"),
            ("A-Z_a.z~09", "A-Z_a.z~09"),
            ("", ""),
        ] {
            let mut to = String::new();
            push_encoded(text, &mut to);
            assert_eq!(to, encoded);
        }
        for dots in [".", "..", "%2e", ".%2E", "%2E%2e"] {
            assert!(is_dots(dots), "{dots}");
        }
        assert!(!is_dots("...") && !is_dots("") && !is_dots("a."));
    }
}
