//! Text from a module, made fit for a log.

/// The text with control characters, bidirectional marks and the like escaped, cut where it would pass
/// `most` bytes.
pub(crate) fn escaped(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(text.len().min(most));
    for c in text.chars() {
        let before = line.len();
        match c {
            '"' | '\'' => line.push(c),
            _ => line.extend(c.escape_debug()),
        }
        if line.len() > most {
            line.truncate(before);
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_mislead_is_escaped() {
        for (given, shown) in [
            ("it's \"fine\" ä", "it's \"fine\" ä"),
            ("a\nb\0c\x1b[31m", "a\\nb\\0c\\u{1b}[31m"),
            ("\u{202e}gnp", "\\u{202e}gnp"),
            ("back\\slash", "back\\\\slash"),
        ] {
            assert_eq!(escaped(given, 100), shown);
        }
    }

    #[test]
    fn it_is_cut_at_a_whole_character() {
        assert_eq!(escaped("aaaa", 3), "aaa");
        assert_eq!(escaped("aaä", 3), "aa");
        assert_eq!(escaped("aa\n", 3), "aa");
        assert_eq!(escaped(&"x".repeat(5_000), 1_024).len(), 1_024);
    }
}
