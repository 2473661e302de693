//! Keys and their parts.

use super::bound::{Breach, ID, WORD, list, text};
use crate::bindings::types;
use crate::contract as wit;
use usher_core::{Digest, Key, Part};

/// A key that a module names. Secret parts are hashed here and go no further in the clear.
pub(crate) fn key_in(key: wit::Key) -> Result<Key, Breach> {
    let namespace = text(key.namespace, "namespace", 1..=WORD)?;
    // Most keys are one of these.
    match &key.parts[..] {
        [] => return Ok(Key::bare(&namespace)),
        [wit::Part::Plain(plain)] if plain.len() <= ID => return Ok(Key::of(&namespace, plain)),
        _ => {}
    }
    let parts = list(key.parts, "parts", 0..=8, part_in)?;
    Ok(Key::new(namespace, parts))
}

fn part_in(part: wit::Part) -> Result<Part, Breach> {
    Ok(match part {
        wit::Part::Plain(plain) => Part::Plain(text(plain, "plain", 0..=ID)?),
        wit::Part::Secret(secret) => {
            let secret = text(secret, "secret", 0..=ID)?;
            Part::Secret(Digest::of(&secret))
        }
    })
}

/// A key as a module sees it. Of a secret part only the ref is known any more.
pub(crate) fn key_out(key: &Key) -> types::Key {
    let parts = key.parts().into_iter().map(|part| match part {
        Part::Plain(plain) => types::Part::Plain(plain.to_string()),
        Part::Secret(digest) => types::Part::Secret(digest.to_string()),
    });
    types::Key {
        namespace: key.namespace().to_owned(),
        parts: parts.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(namespace: &str, parts: Vec<wit::Part>) -> wit::Key {
        wit::Key {
            namespace: namespace.into(),
            parts,
        }
    }

    #[test]
    fn a_plain_key_goes_in_and_out_unchanged() {
        let plain = key("player", vec![wit::Part::Plain("a:b".into())]);
        let inside = key_in(plain).expect("within bounds");
        assert_eq!(inside, Key::of("player", "a:b"));
        let out = key_out(&inside);
        assert_eq!(out.namespace, "player");
        assert!(matches!(&out.parts[..], [types::Part::Plain(part)] if part == "a:b"));
    }

    #[test]
    fn a_secret_is_kept_as_its_digest_only() {
        let secret = key("ticket", vec![wit::Part::Secret("abc".into())]);
        let inside = key_in(secret).expect("within bounds");
        assert_eq!(inside.parts(), [Part::Secret(Digest::of("abc"))]);
        let out = key_out(&inside);
        assert!(matches!(&out.parts[..], [types::Part::Secret(part)] if part == "ba7816bf8f01"));
    }

    #[test]
    fn bounds_are_kept() {
        let long = || wit::Part::Secret("x".repeat(513).into());
        for (given, says) in [
            (key("", vec![]), "namespace has 0 bytes"),
            (key(&"n".repeat(65), vec![]), "namespace has 65 bytes"),
            (key("n", vec![long()]), "parts[0].secret has 513 bytes"),
            (
                key("n", vec![wit::Part::Plain("".into()); 9]),
                "parts has 9 entries",
            ),
        ] {
            let breach = key_in(given).unwrap_err().to_string();
            assert!(breach.starts_with(says), "{breach}");
        }
    }
}
