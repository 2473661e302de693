//! The ids that let in whoever knows them. They print as a ref: enough to find the same id in two logs, and
//! of no use at a door.

use crate::text::{ID, WrongLength, measured};
use alloc::boxed::Box;
use core::fmt;
use sha2::{Digest as _, Sha256};

/// The first 12 hex digits of the SHA-256 of a secret's UTF-8: what is shown in its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretRef([u8; 6]);

impl SecretRef {
    fn of(secret: &str) -> SecretRef {
        let [a, b, c, d, e, f, ..]: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        SecretRef([a, b, c, d, e, f])
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! secret_text {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// A secret: `Debug` and `Display` show its [`SecretRef`].
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            pub(crate) fn read(text: impl Into<Box<str>>) -> Result<$name, WrongLength> {
                measured(text, ID).map($name)
            }

            /// The id itself, to be compared with evidence or sent; never to be shown.
            pub fn expose(&self) -> &str {
                &self.0
            }

            /// What may be shown in its place.
            pub fn secret_ref(&self) -> SecretRef {
                SecretRef::of(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.secret_ref().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.secret_ref())
            }
        }
    };
}

secret_text!(
    /// The matchmaking ticket of a player's party: 1 to 100 characters. Whoever knows it is let in, so a
    /// client makes one with `mint` and with nothing else.
    TicketId
);
secret_text!(
    /// The hold of a place: 1 to 100 characters.
    ReservationId
);

impl TicketId {
    /// The id that another member of the party minted and passed on.
    pub fn from_party(text: impl Into<Box<str>>) -> Result<TicketId, WrongLength> {
        TicketId::read(text)
    }

    #[cfg(feature = "mint")]
    pub(crate) fn minted(text: alloc::string::String) -> TicketId {
        TicketId(text.into())
    }
}

impl ReservationId {
    /// The id with which a place was reserved.
    pub fn new(text: impl Into<Box<str>>) -> Result<ReservationId, WrongLength> {
        ReservationId::read(text)
    }
}
