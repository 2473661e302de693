//! JSON of which only a little matters: any value is taken, little of it is kept.
//!
//! What the endpoint says may be of any shape and size. Nothing here makes a tree of it: a value that is
//! not wanted is read past, however large it is.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::VecDeque;
use std::fmt;

/// What a visitor makes of values that are neither text nor list nor object.
macro_rules! scalars {
    ($null:expr, $other:expr) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($null)
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($other)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($other)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($other)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($other)
        }
    };
}

/// The longest text that is kept, in bytes. Ids of a ticket have 400 at most.
const TEXT: usize = 1024;

/// A value, as far as it is a simple one.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) enum Loose {
    /// `null`, or not there at all.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, written as one.
    Int(i64),
    /// A text that is not too long.
    Text(Box<str>),
    /// Anything else.
    Other,
}

impl Loose {
    /// The text, if it is one that is not empty.
    pub(super) fn text(self) -> Option<Box<str>> {
        match self {
            Loose::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// A number, or a text that is one: 64-bit numbers are texts in JSON that was made of protobuf.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Loose::Int(number) => Some(*number),
            Loose::Text(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Loose, D::Error> {
        from.deserialize_any(AnyValue { longest: TEXT })
    }
}

impl Loose {
    /// The value, with a text of whatever length: for what is bounded by what it comes in.
    pub(super) fn unbounded<'de, D: Deserializer<'de>>(from: D) -> Result<Loose, D::Error> {
        from.deserialize_any(AnyValue {
            longest: usize::MAX,
        })
    }
}

struct AnyValue {
    longest: usize,
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Loose;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Loose, E> {
        Ok(Loose::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Loose, E> {
        Ok(Loose::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Loose, E> {
        Ok(Loose::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Loose, E> {
        Ok(i64::try_from(value).map_or(Loose::Other, Loose::Int))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Loose, E> {
        Ok(Loose::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Loose, E> {
        match text.len() <= self.longest {
            true => Ok(Loose::Text(text.into())),
            false => Ok(Loose::Other),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Loose, A::Error> {
        pass_over(&mut seq)?;
        Ok(Loose::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }
}

/// Reads past the rest of a list. Returns whether there was any.
pub(super) fn pass_over<'de, A: SeqAccess<'de>>(seq: &mut A) -> Result<bool, A::Error> {
    let mut some = false;
    while seq.next_element::<IgnoredAny>()?.is_some() {
        some = true;
    }
    Ok(some)
}

/// The first or last entries of a list that can be used; absent where there is no list.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) enum Listed<T> {
    /// `null`, or not there at all.
    #[default]
    Absent,
    /// A list.
    List {
        /// What of it can be used.
        usable: Vec<T>,
        /// Whether there was nothing in it, usable or not.
        empty: bool,
        /// Whether there was something that cannot be used.
        skipped: bool,
        /// Whether there was more than is kept.
        cut: bool,
    },
    /// Something that is no list.
    Other,
}

/// An entry of a list.
pub(super) trait Entry: Sized {
    /// Most that are kept.
    const MOST: usize;

    /// Whether the last ones are kept where there are more, and not the first.
    const LAST: bool = false;

    /// What is read of each. It takes any value.
    type Wire: for<'de> Deserialize<'de>;

    /// The entry, if it can be used.
    fn of(wire: Self::Wire) -> Option<Self>;
}

impl<'de, T: Entry> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Listed<T>, D::Error> {
        struct List<T>(std::marker::PhantomData<T>);

        impl<'de, T: Entry> Visitor<'de> for List<T> {
            type Value = Listed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            scalars!(Listed::Absent, Listed::Other);

            fn visit_str<E>(self, _: &str) -> Result<Listed<T>, E> {
                Ok(Listed::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Listed<T>, A::Error> {
                AnyValue { longest: 0 }.visit_map(map)?;
                Ok(Listed::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Listed<T>, A::Error> {
                let mut usable = VecDeque::new();
                let (mut empty, mut skipped, mut cut) = (true, false, false);
                while let Some(wire) = seq.next_element::<T::Wire>()? {
                    empty = false;
                    match T::of(wire) {
                        Some(entry) => usable.push_back(entry),
                        None => skipped = true,
                    }
                    if T::LAST && usable.len() > T::MOST {
                        usable.pop_front();
                        cut = true;
                    } else if !T::LAST && usable.len() == T::MOST {
                        cut = pass_over(&mut seq)?;
                        break;
                    }
                }
                Ok(Listed::List {
                    usable: usable.into(),
                    empty,
                    skipped,
                    cut,
                })
            }
        }

        from.deserialize_any(List(std::marker::PhantomData))
    }
}

/// An object as a `T`, or anything else as nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part<T>(pub(super) Option<T>);

impl<T> Default for Part<T> {
    fn default() -> Part<T> {
        Part(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Part<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Part<T>, D::Error> {
        struct Object<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = Part<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            scalars!(Part(None), Part(None));

            fn visit_str<E>(self, _: &str) -> Result<Part<T>, E> {
                Ok(Part(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Part<T>, A::Error> {
                pass_over(&mut seq)?;
                Ok(Part(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Part<T>, A::Error> {
                T::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    .map(|it| Part(Some(it)))
            }
        }

        from.deserialize_any(Object(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_value_is_taken_and_only_simple_ones_are_kept() {
        for (json, value) in [
            ("null", Loose::Null),
            ("true", Loose::Bool(true)),
            ("-3", Loose::Int(-3)),
            ("9223372036854775807", Loose::Int(i64::MAX)),
            ("9223372036854775808", Loose::Other),
            ("2.0", Loose::Other),
            ("1e999", Loose::Other),
            (r#""\u0061""#, Loose::Text("a".into())),
            ("[1,[2]]", Loose::Other),
            (r#"{"a":{"b":[]}}"#, Loose::Other),
        ] {
            // A number beyond what a float can be is no value at all.
            match serde_json::from_str::<Loose>(json) {
                Ok(read) => assert_eq!(read, value, "{json}"),
                Err(_) => assert_eq!(json, "1e999"),
            }
        }
        let long = format!("{:?}", "a".repeat(TEXT + 1));
        assert_eq!(serde_json::from_str::<Loose>(&long).unwrap(), Loose::Other);
        assert_eq!(Loose::Text("12".into()).number(), Some(12));
        assert_eq!(Loose::Text("12a".into()).number(), None);
        assert_eq!(Loose::Text("".into()).text(), None);
    }
}
