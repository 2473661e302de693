//! The texts of a ticket that are no secrets, each with its limits. Lengths count characters (code points).

use alloc::boxed::Box;
use core::fmt;
use core::ops::RangeInclusive;

/// How long an id may be, in characters.
pub(crate) const ID: RangeInclusive<usize> = 1..=100;
/// How long a name for other players may be, in characters.
const NAME: RangeInclusive<usize> = 0..=32;

/// The text, if it keeps the limit.
pub(crate) fn measured(
    text: impl Into<Box<str>>,
    limit: RangeInclusive<usize>,
) -> Result<Box<str>, WrongLength> {
    let text = text.into();
    match limit.contains(&text.chars().count()) {
        true => Ok(text),
        false => Err(WrongLength { limit }),
    }
}

/// A text has too many characters, or none where it needs one. It does not say which text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongLength {
    limit: RangeInclusive<usize>,
}

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = self.limit.clone().into_inner();
        write!(f, "it must have {least} to {most} characters")
    }
}

impl core::error::Error for WrongLength {}

macro_rules! plain_text {
    ($(#[$doc:meta])* $name:ident, $limit:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(Box<str>);

        impl $name {
            /// Checks its length in characters.
            pub fn new(text: impl Into<Box<str>>) -> Result<$name, WrongLength> {
                measured(text, $limit).map($name)
            }

            /// The text, as it came: any character may be in it, those that act on a terminal too.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

plain_text!(
    /// Who the client says the player is: 1 to 100 characters. Nothing proves it.
    PlayerId,
    ID
);
plain_text!(
    /// The match that a ticket is for: 1 to 100 characters.
    AllocationId,
    ID
);
plain_text!(
    /// A name to show to other players: 0 to 32 characters, chosen by the client.
    DisplayName,
    NAME
);
