//! Keys of the ledger: a namespace and parts, never a joined string (semantics 2).

use crate::secret::Digest;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// One part of a [`Key`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Text that operators may see.
    Plain(Arc<str>),
    /// A secret, of which only the digest is kept.
    Secret(Digest),
}

/// Names something that holders may have a unit of, such as `server` or `name:R9`. Cheap to clone, and
/// small: each who waits has one of their own.
///
/// It is the namespace, and before each part what kind of part it is: a byte that no text has in it. A
/// digest may have it, and is known by its length.
#[derive(Clone)]
pub struct Key(Bytes);

/// Most keys are short. Those lie where the key is: to look one up is not to look at memory elsewhere too,
/// and to clone one is not to count it.
#[derive(Clone)]
enum Bytes {
    Short { len: u8, bytes: [u8; SHORT] },
    Long(Arc<[u8]>),
}

/// As many bytes as fit without making a key larger than three words.
const SHORT: usize = 22;

/// Before a plain part. Neither byte is in any UTF-8.
const PLAIN: u8 = 0xff;
/// Before the digest of a secret part.
const SECRET: u8 = 0xfe;

impl Key {
    /// A key of these parts. Equal when namespace and every part are.
    pub fn new(namespace: impl AsRef<str>, parts: impl AsRef<[Part]>) -> Key {
        let mut bytes = namespace.as_ref().as_bytes().to_vec();
        for part in parts.as_ref() {
            match part {
                Part::Plain(text) => {
                    bytes.push(PLAIN);
                    bytes.extend_from_slice(text.as_bytes());
                }
                Part::Secret(digest) => {
                    bytes.push(SECRET);
                    bytes.extend_from_slice(digest.bytes());
                }
            }
        }
        Key::of_pieces([&bytes])
    }

    /// A key without parts.
    pub fn bare(namespace: &str) -> Key {
        Key::of_pieces([namespace.as_bytes()])
    }

    /// A key with one plain part.
    pub fn of(namespace: &str, part: &str) -> Key {
        Key::of_pieces([namespace.as_bytes(), &[PLAIN], part.as_bytes()])
    }

    fn of_pieces<const N: usize>(pieces: [&[u8]; N]) -> Key {
        let mut bytes = [0; SHORT];
        let mut len = 0_u8;
        let mut room = &mut bytes[..];
        for piece in pieces {
            let Some((place, rest)) = room.split_at_mut_checked(piece.len()) else {
                return Key(Bytes::Long(pieces.concat().into()));
            };
            place.copy_from_slice(piece);
            // It fits into the few that there are.
            len += piece.len() as u8;
            room = rest;
        }
        Key(Bytes::Short { len, bytes })
    }

    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Short { len, bytes } => &bytes[..usize::from(*len)],
            Bytes::Long(bytes) => bytes,
        }
    }

    /// `server`: every session of the host holds a unit of it.
    pub fn server() -> Key {
        Key::bare("server")
    }

    /// `room:<name>`: every session in the room holds a unit of it.
    pub fn room(name: &str) -> Key {
        Key::of("room", name)
    }

    /// `slot`: its index is the player number, at doors that have one. With parts it is another key.
    pub fn slot() -> Key {
        Key::bare("slot")
    }

    /// Whether it is [`Key::server`].
    pub(crate) fn is_server(&self) -> bool {
        *self.bytes() == *b"server"
    }

    /// Whether it is [`Key::slot`].
    pub(crate) fn is_slot(&self) -> bool {
        *self.bytes() == *b"slot"
    }

    /// `identity:<identity>`: every session of a proven identity holds a unit of it.
    pub fn identity(identity: &str) -> Key {
        Key::of("identity", identity)
    }

    /// The identity of a key that [`Key::identity`] makes.
    pub(crate) fn as_identity(&self) -> Option<&str> {
        let identity = self.bytes().strip_prefix(b"identity\xff")?;
        std::str::from_utf8(identity).ok()
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        text(self.bytes()).0
    }

    /// The parts.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut rest = text(self.bytes()).1;
        while let Some((kind, after)) = rest.split_first() {
            let digest = after.split_first_chunk().filter(|_| *kind == SECRET);
            if let Some((digest, after)) = digest {
                parts.push(Part::Secret(Digest::from_bytes(*digest)));
                rest = after;
            } else {
                let (plain, after) = text(after);
                parts.push(Part::Plain(plain.into()));
                rest = after;
            }
        }
        parts
    }
}

/// The text that bytes begin with, and what comes after.
fn text(bytes: &[u8]) -> (&str, &[u8]) {
    let end = bytes.iter().position(|byte| *byte >= SECRET);
    let (text, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
    // It was text when the key was made.
    (std::str::from_utf8(text).unwrap_or_default(), rest)
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

/// For people; two different keys may look alike. Secret parts show their ref.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.namespace())?;
        for part in self.parts() {
            match part {
                Part::Plain(text) => write!(f, ":{}", text.escape_debug())?,
                Part::Secret(digest) => write!(f, ":{digest}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_never_joined() {
        let joined = Key::of("player", "a:b");
        let apart = Key::new("player", [Part::Plain("a".into()), Part::Plain("b".into())]);
        assert_ne!(joined, apart);
    }

    #[test]
    fn a_key_gives_back_what_it_was_made_of() {
        let plain = |text: &str| Part::Plain(text.into());
        // A digest that looks like the beginning of a part, and text that looks like nothing special.
        let digest = Digest::from_bytes([PLAIN; 32]);
        let parts = [
            plain(""),
            Part::Secret(digest),
            plain("\u{ff}\u{fe}:\0\u{10ffff}"),
            Part::Secret(Digest::of("abc")),
            Part::Secret(Digest::from_bytes([SECRET; 32])),
            plain("end"),
        ];
        for count in 0..=parts.len() {
            let key = Key::new("n\u{e9}", &parts[..count]);
            assert_eq!(key.namespace(), "n\u{e9}");
            assert_eq!(key.parts(), parts[..count]);
        }
        let of = Key::new("name", [plain("R9")]);
        assert_eq!(of, Key::of("name", "R9"));
        let long = "R9".repeat(100);
        assert_eq!(Key::new("name", [plain(&long)]), Key::of("name", &long));
        assert!(Key::server().is_server() && Key::slot().is_slot() && !of.is_slot());
        assert_eq!(Key::new("server", []), Key::server());
        assert_eq!(Key::identity("ada").as_identity(), Some("ada"));
        for other in [
            Key::bare("identity"),
            Key::of("identity2", "ada"),
            Key::new("identity", [plain("a"), plain("b")]),
            Key::new("identity", [Part::Secret(Digest::of("ada"))]),
        ] {
            assert_eq!(other.as_identity(), None, "{other}");
        }
    }

    #[test]
    fn keys_of_every_length_are_told_apart_and_in_the_order_of_their_bytes() {
        let texts: Vec<_> = (0..2 * SHORT).map(|len| "a".repeat(len)).collect();
        let keys: Vec<_> = texts.iter().map(|text| Key::of("n", text)).collect();
        assert!(keys.is_sorted() && keys.windows(2).all(|two| two[0] != two[1]));
        for (text, key) in texts.iter().zip(&keys) {
            assert_eq!(*key, Key::new("n", [Part::Plain(text.as_str().into())]));
            assert_eq!(key.to_string(), format!("n:{text}"));
        }
        assert_eq!(size_of::<Key>(), 24);
    }

    #[test]
    fn a_secret_part_is_shown_as_its_ref() {
        let key = Key::new("ticket", [Part::Secret(Digest::of("abc"))]);
        assert_eq!(key.to_string(), "ticket:ba7816bf8f01");
        assert_eq!(format!("{key:?}"), "ticket:ba7816bf8f01");
    }
}
