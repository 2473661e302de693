//! Just enough of Rust's lexer to tell code from comments and text. Checks that read source as
//! plain lines would complain about their own documentation.

/// One token; whatever no check asks about (numbers, lifetimes, comments) is left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// An identifier or keyword, raw ones without their `r#`.
    Word(String),
    /// `::`
    PathSeparator,
    /// A string of any kind, without quotes.
    Text(String),
    /// Any other character of the grammar.
    Sign(char),
}

/// A token and the line it is on, counted from 1.
pub(crate) type Placed = (Token, usize);

/// Splits source into tokens. Source that does not compile gives some tokens too: it is the
/// compiler's business to complain.
pub(crate) fn tokens(source: &str) -> Vec<Placed> {
    let mut lexer = Lexer {
        rest: source,
        line: 1,
    };
    let mut tokens = Vec::new();
    while let Some(first) = lexer.rest.chars().next() {
        let line = lexer.line;
        if let Some(token) = lexer.next(first) {
            tokens.push((token, line));
        }
    }
    tokens
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl Lexer<'_> {
    /// Takes one token or one thing that is none.
    fn next(&mut self, first: char) -> Option<Token> {
        if self.rest.starts_with("//") {
            self.take_until("\n");
            return None;
        }
        if self.rest.starts_with("/*") {
            self.take_block_comment();
            return None;
        }
        if let Some(text) = self.take_string() {
            return Some(Token::Text(text));
        }
        if is_word(first) {
            if self.rest.starts_with("r#") {
                self.take(2);
            }
            let word = self.take_word();
            return (!first.is_ascii_digit()).then_some(Token::Word(word));
        }
        if first == '\'' {
            self.take_character_or_lifetime();
            return None;
        }
        if self.rest.starts_with("::") {
            self.take(2);
            return Some(Token::PathSeparator);
        }
        self.take(first.len_utf8());
        (!first.is_whitespace()).then_some(Token::Sign(first))
    }

    /// Moves on by some bytes, counting lines. The count always ends between two characters.
    fn take(&mut self, bytes: usize) -> &str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// Moves on behind the next occurrence of an end mark, or to the end of the source.
    fn take_until(&mut self, end: &str) -> String {
        let at = self.rest.find(end);
        let taken = self.take(at.map_or(self.rest.len(), |at| at + end.len()));
        taken.strip_suffix(end).unwrap_or(taken).to_owned()
    }

    fn take_word(&mut self) -> String {
        let end = self.rest.find(|c| !is_word(c));
        self.take(end.unwrap_or(self.rest.len())).to_owned()
    }

    /// Block comments nest in Rust.
    fn take_block_comment(&mut self) {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
            } else if let Some(other) = self.rest.chars().next() {
                self.take(other.len_utf8());
            }
            if depth == 0 || self.rest.is_empty() {
                return;
            }
        }
    }

    /// Takes `"…"`, `r"…"` or `r#"…"#`, each also with a `b` or `c` in front, if one is next.
    fn take_string(&mut self) -> Option<String> {
        let prefix = self.rest.find(|c| !"rbc#".contains(c))?;
        if !self.rest[prefix..].starts_with('"') {
            return None;
        }
        let before = &self.rest[..prefix];
        let (kind, hashes) = before.split_at(before.find('#').unwrap_or(prefix));
        if !matches!(kind, "" | "r" | "b" | "c" | "br" | "cr") || hashes.contains(|c| c != '#') {
            return None;
        }
        if kind.ends_with('r') {
            let end = format!("\"{hashes}");
            self.take(prefix + 1);
            return Some(self.take_until(&end));
        }
        if !hashes.is_empty() {
            return None;
        }
        self.take(prefix + 1);
        let mut escaped = false;
        let end = self.rest.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let text = self.take(end.unwrap_or(self.rest.len())).to_owned();
        self.take(usize::from(!self.rest.is_empty()));
        Some(text)
    }

    /// `'a'` and `'\n'` are characters, `'a` is a lifetime.
    fn take_character_or_lifetime(&mut self) {
        self.take(1);
        let mut next = self.rest.chars();
        match (next.next(), next.next()) {
            (Some('\\'), Some(escaped)) => {
                self.take(1 + escaped.len_utf8());
                self.take_until("'");
            }
            (Some(letter), Some('\'')) => {
                self.take(letter.len_utf8() + 1);
            }
            _ => {
                self.take_word();
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a source with their lines.
    fn words(source: &str) -> Vec<(String, usize)> {
        let word = |(token, line)| match token {
            Token::Word(word) => Some((word, line)),
            _ => None,
        };
        tokens(source).into_iter().filter_map(word).collect()
    }

    fn only_words(source: &str) -> Vec<String> {
        words(source).into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn comments_are_no_code() {
        assert_eq!(
            only_words("a // b\nc /* d /* e */ f */ g //! h"),
            ["a", "c", "g"]
        );
    }

    #[test]
    fn strings_of_every_kind_are_no_code() {
        let source = r####"a "b \" c" d b"e" f r#"g " h"# i br##"j "# k"## l c"m" n "\\" o"####;
        assert_eq!(only_words(source), ["a", "d", "f", "i", "l", "n", "o"]);
    }

    #[test]
    fn characters_do_not_open_a_string_and_lifetimes_do_not_open_a_character() {
        let source = r#"a '"' b '\'' c '\u{22}' d<'e> f 'x' g: &'static str '"' h"#;
        assert_eq!(
            only_words(source),
            ["a", "b", "c", "d", "f", "g", "str", "h"]
        );
    }

    #[test]
    fn lines_are_counted_through_everything() {
        let source = "a\n/* x\n y */ b \"\n\n\" c\nr#\"\n\"# d\n'\\n' e";
        let lines: Vec<_> = words(source).into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, [1, 3, 5, 7, 8]);
    }

    #[test]
    fn raw_words_and_numbers_and_paths() {
        assert_eq!(only_words("r#type 0x1f 1_000u32 x"), ["type", "x"]);
        assert_eq!(
            tokens("a::b: c"),
            [
                (Token::Word("a".into()), 1),
                (Token::PathSeparator, 1),
                (Token::Word("b".into()), 1),
                (Token::Sign(':'), 1),
                (Token::Word("c".into()), 1),
            ]
        );
    }

    #[test]
    fn source_that_breaks_off_is_read_to_its_end() {
        for source in ["\"abc", "/* abc", "r#\"abc", "'", "'\\", "b\"", "r#"] {
            tokens(source);
        }
    }
}
