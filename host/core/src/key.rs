//! Keys of the ledger: a namespace and parts, never a joined string (semantics 2).

use crate::secret::Digest;
use std::fmt;
use std::sync::Arc;

/// One part of a [`Key`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Text that operators may see.
    Plain(Arc<str>),
    /// A secret, of which only the digest is kept.
    Secret(Digest),
}

/// Names something that holders may have a unit of, such as `server` or `name:R9`. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    namespace: Arc<str>,
    parts: Arc<[Part]>,
}

impl Key {
    /// A key of these parts. Equal when namespace and every part are.
    pub fn new(namespace: impl Into<Arc<str>>, parts: impl Into<Arc<[Part]>>) -> Key {
        Key {
            namespace: namespace.into(),
            parts: parts.into(),
        }
    }

    /// A key without parts.
    pub fn bare(namespace: &str) -> Key {
        Key::new(namespace, [])
    }

    /// A key with one plain part.
    pub fn of(namespace: &str, part: &str) -> Key {
        Key::new(namespace, [Part::Plain(part.into())])
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

    /// `identity:<identity>`: every session of a proven identity holds a unit of it.
    pub fn identity(identity: Arc<str>) -> Key {
        Key::new("identity", [Part::Plain(identity)])
    }

    /// The identity of a key that [`Key::identity`] makes.
    pub(crate) fn as_identity(&self) -> Option<&str> {
        match (&*self.namespace, &*self.parts) {
            ("identity", [Part::Plain(identity)]) => Some(identity),
            _ => None,
        }
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

/// For people; two different keys may look alike. Secret parts show their ref.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.namespace)?;
        for part in self.parts.iter() {
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
    fn a_secret_part_is_shown_as_its_ref() {
        let key = Key::new("ticket", [Part::Secret(Digest::of("abc"))]);
        assert_eq!(key.to_string(), "ticket:ba7816bf8f01");
        assert_eq!(format!("{key:?}"), "ticket:ba7816bf8f01");
    }
}
