//! An address with places for arguments: `https://example.org/users/{0}?by={1}`.

use super::place;
use crate::percent::{is_dots, push_encoded};
use hyper::http::Uri;

/// The longest address that comes of it, in bytes.
const LONGEST: usize = 8192;

/// The most arguments.
const MOST: usize = 8;

/// Such an address. Arguments stand in its path and its query, never before these, and each is percent-encoded:
/// whatever they are, host, path and query stay what they were.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// What comes before the path.
    origin: String,
    path: Vec<Piece>,
    query: Vec<Piece>,
    arguments: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    Text(String),
    Argument(usize),
}

/// Arguments that do not fit. It says nothing of what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// Too few, or too many.
    #[error("it takes {0} arguments")]
    Count(usize),
    /// A part of the path would be empty, or lead elsewhere.
    #[error("an argument makes another address of it")]
    Place,
    /// It would be too long.
    #[error("its arguments are too long")]
    Long,
}

impl Template {
    /// Understands an address; the error is the end of a sentence about it.
    pub(super) fn parse(text: &str) -> Result<Template, String> {
        let begin = text.find("://").map(|scheme| scheme + 3);
        let begin = begin.and_then(|host| Some(host + text.get(host..)?.find('/')?));
        let begin = begin.unwrap_or(text.len());
        let (origin, rest) = text.split_at(begin);
        if origin.contains(['{', '}']) {
            return Err("an argument can stand only in its path or its query".to_owned());
        }
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut named = Vec::new();
        let template = Template {
            origin: origin.to_owned(),
            path: pieces(path, &mut named)?,
            query: pieces(query, &mut named)?,
            arguments: named.iter().max().map_or(0, |most| most + 1),
        };
        if let Some(unnamed) = (0..template.arguments).find(|place| !named.contains(place)) {
            return Err(format!(
                "there is no {{{unnamed}}} in it; arguments are {{0}}, {{1}} and so on"
            ));
        }
        // Everything else is as it will be, whatever the arguments are.
        let sample = vec!["a"; template.arguments];
        let sample = template
            .fill(&sample)
            .map_err(|_| "a part of its path leads elsewhere".to_owned())?;
        place::checked(&sample.to_string())?;
        match query.contains('#') || path.contains('#') {
            true => Err("what is behind a # is not sent".to_owned()),
            false => Ok(template),
        }
    }

    /// Whether it is `https`.
    pub fn is_encrypted(&self) -> bool {
        self.origin.starts_with("https:")
    }

    /// The address with these arguments in their places.
    ///
    /// # Errors
    ///
    /// [`Unfit`] when they do not fit.
    pub fn fill(&self, arguments: &[&str]) -> Result<Uri, Unfit> {
        if arguments.len() != self.arguments {
            return Err(Unfit::Count(self.arguments));
        }
        let path = filled(&self.path, arguments)?;
        let mut segments = path.split('/').skip(1).peekable();
        while let Some(segment) = segments.next() {
            let ends = segments.peek().is_none();
            if is_dots(segment) || (segment.is_empty() && !(ends && self.ends_open())) {
                return Err(Unfit::Place);
            }
        }
        let mut whole = self.origin.clone() + &path;
        if !self.query.is_empty() {
            whole.push('?');
            whole.push_str(&filled(&self.query, arguments)?);
        }
        if whole.len() > LONGEST {
            return Err(Unfit::Long);
        }
        whole.parse().map_err(|_| Unfit::Place)
    }

    /// Whether its path ends with a slash of its own.
    fn ends_open(&self) -> bool {
        matches!(self.path.last(), Some(Piece::Text(text)) if text.ends_with('/'))
    }
}

fn filled(pieces: &[Piece], arguments: &[&str]) -> Result<String, Unfit> {
    let mut filled = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Argument(place) => {
                let argument = arguments.get(*place).copied().unwrap_or_default();
                push_encoded(argument, &mut filled);
            }
        }
        if filled.len() > LONGEST {
            return Err(Unfit::Long);
        }
    }
    Ok(filled)
}

fn pieces(text: &str, named: &mut Vec<usize>) -> Result<Vec<Piece>, String> {
    const RULE: &str = "what is in braces must be the number of an argument, from {0} to {7}";
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (number, after) = after.split_once('}').ok_or(RULE)?;
        let digits = number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|number| *number < MOST);
        let number = number.filter(|_| digits).ok_or(RULE)?;
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        pieces.push(Piece::Argument(number));
        named.push(number);
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    let closed = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains('}'));
    match pieces.iter().any(closed) {
        true => Err(RULE.to_owned()),
        false => Ok(pieces),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, arguments: &[&str]) -> Result<String, Unfit> {
        let template = Template::parse(template).unwrap_or_else(|why| panic!("{template}: {why}"));
        template.fill(arguments).map(|uri| uri.to_string())
    }

    #[test]
    fn an_argument_stays_in_its_place() {
        let place = "https://example.org/users/{0}/bans?by={1}&all";
        for (arguments, whole) in [
            (["ada", "x"], "https://example.org/users/ada/bans?by=x&all"),
            (
                ["a/../b", ""],
                "https://example.org/users/a%2F..%2Fb/bans?by=&all",
            ),
            (
                ["?a#b", "1&by=2"],
                "https://example.org/users/%3Fa%23b/bans?by=1%26by%3D2&all",
            ),
            (
                ["@evil.example", "{0}"],
                "https://example.org/users/%40evil.example/bans?by=%7B0%7D&all",
            ),
            (
                ["\r\nhost: a", "\0"],
                "https://example.org/users/%0D%0Ahost%3A%20a/bans?by=%00&all",
            ),
            (
                ["%2e%2e", "+"],
                "https://example.org/users/%252e%252e/bans?by=%2B&all",
            ),
        ] {
            assert_eq!(filled(place, &arguments).as_deref(), Ok(whole));
        }
        let both = filled("http://127.0.0.1:1/{1}{0}{1}", &["a", "b"]);
        assert_eq!(both.as_deref(), Ok("http://127.0.0.1:1/bab"));
        let none = filled("https://example.org", &[]);
        assert_eq!(none.as_deref(), Ok("https://example.org/"));
        let open = filled("https://example.org/a/", &[]);
        assert_eq!(open.as_deref(), Ok("https://example.org/a/"));
    }

    #[test]
    fn an_argument_that_would_lead_elsewhere_is_refused() {
        let one = "https://example.org/users/{0}/bans";
        for argument in ["", ".", ".."] {
            assert_eq!(filled(one, &[argument]), Err(Unfit::Place));
        }
        let two = "https://example.org/.{0}{1}";
        for arguments in [[".", ""], ["", ""], ["", "."]] {
            assert_eq!(filled(two, &arguments), Err(Unfit::Place));
        }
        assert_eq!(
            filled("https://example.org/a/{0}", &[""]),
            Err(Unfit::Place)
        );
        assert_eq!(filled(one, &[]), Err(Unfit::Count(1)));
        assert_eq!(filled(one, &["a", "b"]), Err(Unfit::Count(1)));
        let long = "a".repeat(LONGEST);
        assert_eq!(filled(one, &[&long]), Err(Unfit::Long));
    }

    #[test]
    fn what_is_no_address_with_arguments_is_refused() {
        for bad in [
            "https://{0}/a",
            "https://example.{0}/a",
            "https://example.org{0}",
            "{0}://example.org/",
            "https://example.org/{1}",
            "https://example.org/{8}",
            "https://example.org/{00}",
            "https://example.org/{+1}",
            "https://example.org/{name}",
            "https://example.org/{",
            "https://example.org/}",
            "https://example.org/{0}}",
            "https://example.org/../{0}",
            "https://example.org/%2e%2E/{0}",
            "https://example.org//{0}",
            "https://example.org/{0}#a",
            "http://example.org/{0}",
            "https://user@example.org/{0}",
        ] {
            assert!(Template::parse(bad).is_err(), "{bad}");
        }
    }
}
