//! One JSON object, read as strictly as its RFC is written.
//!
//! `serde_json` says what JSON is, and decodes texts. What it lets pass is looked for here, in one walk over
//! what it found to be JSON: a key twice in any object, halves of surrogate pairs, nesting that is too deep.
//! Numbers stay as they are written: whether one is an integer is a question of its spelling, and one that no
//! float can hold is still JSON.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::value::RawValue;

/// How deep objects and arrays may lie in each other; the outermost object counts.
const MAX_DEPTH: usize = 64;

/// A key of the outermost object, decoded, and what it has.
pub(crate) struct Member<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) value: Value<'a>,
}

/// What a key has.
pub(crate) enum Value<'a> {
    /// A string, decoded.
    Text(Cow<'a, str>),
    /// A number or one of the words `true`, `false` and `null`, as it is written.
    Bare(&'a str),
    /// An object or an array.
    Nested,
}

/// The members of the object that a text is, or what is wrong with it. Time is that of reading the text, and
/// of sorting its keys.
pub(crate) fn members(text: &str) -> Result<Vec<Member<'_>>, &'static str> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|_| "it is not JSON")?;
    if !raw.get().starts_with('{') {
        return Err("it is not a JSON object");
    }
    let mut walk = Walk::default();
    let mut rest = raw.get();
    while !rest.is_empty() {
        // `serde_json` has seen to it that every token ends where an ASCII character does.
        let (token, after) = rest.split_at(token_length(rest));
        walk.step(token)?;
        rest = after;
    }
    Ok(walk.members)
}

/// Where the walk is.
#[derive(Default)]
struct Walk<'a> {
    /// The keys so far of each object around here, `None` for an array.
    around: Vec<Option<BTreeSet<Cow<'a, str>>>>,
    /// Whether a text would be a key.
    at_key: bool,
    /// The outermost object's key whose value comes next.
    key: Option<Cow<'a, str>>,
    members: Vec<Member<'a>>,
}

impl<'a> Walk<'a> {
    fn step(&mut self, token: &'a str) -> Result<(), &'static str> {
        match token.as_bytes().first() {
            Some(b'{') => self.open(Some(BTreeSet::new()))?,
            Some(b'[') => self.open(None)?,
            Some(b'}' | b']') => drop(self.around.pop()),
            Some(b',') => self.at_key = matches!(self.around.last(), Some(Some(_))),
            Some(b':') => self.at_key = false,
            Some(b' ' | b'\t' | b'\n' | b'\r') => {}
            Some(b'"') => {
                let text = decoded(token)?;
                match self.around.last_mut() {
                    Some(Some(keys)) if self.at_key => {
                        if !keys.insert(text.clone()) {
                            return Err("it has a key twice");
                        }
                        if self.around.len() == 1 {
                            self.key = Some(text);
                        }
                    }
                    _ => self.value(Value::Text(text)),
                }
            }
            _ => self.value(Value::Bare(token)),
        }
        Ok(())
    }

    fn open(&mut self, keys: Option<BTreeSet<Cow<'a, str>>>) -> Result<(), &'static str> {
        if self.around.len() == MAX_DEPTH {
            return Err("it is nested more than 64 deep");
        }
        self.value(Value::Nested);
        self.at_key = keys.is_some();
        self.around.push(keys);
        Ok(())
    }

    /// Keeps the values of the outermost object, which are those that come after one of its keys.
    fn value(&mut self, value: Value<'a>) {
        if let Some(key) = self.key.take() {
            self.members.push(Member { key, value });
        }
    }
}

/// How long the first token of something that is JSON is, in bytes: a text, a number or a word, or one
/// character.
fn token_length(json: &str) -> usize {
    let mut bytes = json.bytes();
    let more = match bytes.next() {
        Some(b'"') => {
            let mut escaped = false;
            let inside = bytes.take_while(|byte| {
                let end = *byte == b'"' && !escaped;
                escaped = *byte == b'\\' && !escaped;
                !end
            });
            // The quote at the end.
            inside.count() + 1
        }
        Some(b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') | None => 0,
        Some(_) => bytes
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
            .count(),
    };
    (1 + more).min(json.len())
}

/// What a text between quotes says.
fn decoded(token: &str) -> Result<Cow<'_, str>, &'static str> {
    let inside = token.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    match inside {
        Some(inside) if !inside.contains('\\') => Ok(Cow::Borrowed(inside)),
        // Every escape is one that JSON has, so all that can be wrong is what they come to.
        _ => serde_json::from_str::<String>(token)
            .map(Cow::Owned)
            .map_err(|_| "it has half of a surrogate pair"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// A walk that looked at all keys for each of them, or at the rest of the text for each level, would not
    /// end within minutes here.
    #[test]
    fn time_grows_with_the_text_and_no_faster() {
        let keys: String = (0..200_000)
            .map(|key| format!(r#""k{key}":[1],"#))
            .collect();
        let deep = format!("{}{}", r#"{"a":["#.repeat(30), "]}".repeat(30));
        let many = format!("{deep},").repeat(20_000);
        let text = format!(
            r#"{{{keys}"k":"{}","many":[{many}{deep}]}}"#,
            r"\u0041".repeat(200_000)
        );
        let members = members(&text).expect("JSON");
        assert_eq!(members.len(), 200_002);
    }

    #[test]
    fn values_are_kept_as_they_are_written() {
        let text = r#" {"a" : -0.50E+10 ,"b":null,"c":"\u0078\"","d":[{"e":1},"f"],"g":{"h":"i"},"j":""} "#;
        let members = members(text).expect("JSON");
        let seen: Vec<_> = members
            .iter()
            .map(|member| match &member.value {
                Value::Text(text) => format!("{}=text {text}", member.key),
                Value::Bare(token) => format!("{}=bare {token}", member.key),
                Value::Nested => format!("{}=nested", member.key),
            })
            .collect();
        let expected = [
            "a=bare -0.50E+10",
            "b=bare null",
            "c=text x\"",
            "d=nested",
            "g=nested",
            "j=text ",
        ];
        assert_eq!(seen, expected);
    }
}
