//! Keys, claims on them, and the reasons that players are told.

use crate::contract::{Claim, Key, Reason, UnixMillis, Until};
use crate::part::Part;

impl Key {
    /// A key with no parts yet. By convention the namespace is one lower-case word.
    ///
    /// ```
    /// # use usher_sdk::Key;
    /// let key = Key::new("ticket").part("match-7").secret("3f9c");
    /// assert_eq!(format!("{:?}", key.parts), r#"["match-7", (secret)]"#);
    /// ```
    pub fn new(namespace: impl Into<String>) -> Key {
        Key {
            namespace: namespace.into(),
            parts: Vec::new(),
        }
    }

    /// The key that every session of the host holds.
    pub fn server() -> Key {
        Key::new("server")
    }

    /// The key that every session in a room holds.
    pub fn room(name: impl Into<String>) -> Key {
        Key::new("room").part(name.into())
    }

    /// The key whose index is the player's number, where the protocol has one.
    pub fn slot() -> Key {
        Key::new("slot")
    }

    /// With one more part.
    pub fn part(mut self, part: impl Into<Part>) -> Key {
        self.parts.push(part.into());
        self
    }

    /// With one more part, which is a secret.
    pub fn secret(self, text: impl Into<String>) -> Key {
        self.part(Part::secret(text))
    }
}

impl Claim {
    /// A claim that nobody else holds `key`, until the session ends. A player for whom it does not
    /// fit is told the code `full`.
    ///
    /// ```
    /// # use usher_sdk::{Claim, Key, Reason};
    /// Claim::on(Key::slot())
    ///     .at_most(4)
    ///     .lowest_index()
    ///     .or(Reason::new("server-full", "The game already has 4 players").number(1));
    /// ```
    pub fn on(key: Key) -> Claim {
        Claim {
            key,
            limit: 1,
            when_full: Reason::new("full", "There is no room"),
            until: Until::SessionEnd,
            lowest_index: false,
        }
    }

    /// Fits while fewer than `limit` units are held by others; 0 never fits.
    pub fn at_most(mut self, limit: u32) -> Claim {
        self.limit = limit;
        self
    }

    /// What the player is told when it does not fit.
    pub fn or(mut self, reason: Reason) -> Claim {
        self.when_full = reason;
        self
    }

    /// Keeps the unit taken until a moment, whether or not the session lasts that long.
    pub fn until(mut self, moment: UnixMillis) -> Claim {
        self.until = Until::Time(moment);
        self
    }

    /// Hands out the lowest index of the key that nobody holds.
    pub fn lowest_index(mut self) -> Claim {
        self.lowest_index = true;
        self
    }
}

impl Reason {
    /// A stable word for programs (`server-full`) and a sentence for the player.
    pub fn new(code: impl Into<String>, text: impl Into<String>) -> Reason {
        Reason {
            code: code.into(),
            text: text.into(),
            number: None,
        }
    }

    /// With the protocol's own number, for protocols whose refusals are numbers.
    pub fn number(mut self, number: u32) -> Reason {
        self.number = Some(number);
        self
    }
}
