//! Things to do besides the verdict, and what a module says of itself.

use crate::contract::{
    BucketPut, Command, Description, KickIdentity, KickSession, Millis, Reason, SessionId,
};

impl Command {
    /// Ends a session.
    pub fn kick(session: SessionId, reason: Reason) -> Command {
        Command::KickSession(KickSession { session, reason })
    }

    /// Ends every session of an identity.
    pub fn kick_identity(identity: impl Into<String>, reason: Reason) -> Command {
        Command::KickIdentity(KickIdentity {
            identity: identity.into(),
            reason,
        })
    }

    /// Puts an entry in a named bucket, such as a ban list: for `lasts` ms, or for good.
    pub fn put(
        bucket: impl Into<String>,
        entry: impl Into<String>,
        lasts: Option<Millis>,
    ) -> Command {
        Command::BucketPut(BucketPut {
            bucket: bucket.into(),
            entry: entry.into(),
            lasts,
        })
    }
}

impl Description {
    /// A module that asks no questions. Name and version are those of its package until stated.
    pub fn new() -> Description {
        Description {
            name: String::new(),
            version: String::new(),
            questions: Vec::new(),
            max_players: None,
        }
    }

    /// With a name of its own.
    pub fn name(mut self, name: impl Into<String>) -> Description {
        self.name = name.into();
        self
    }

    /// With a version of its own.
    pub fn version(mut self, version: impl Into<String>) -> Description {
        self.version = version.into();
        self
    }

    /// With a question or act that the module may use; the host takes any other for a fault.
    pub fn question(mut self, name: impl Into<String>) -> Description {
        self.questions.push(name.into());
        self
    }

    /// With the most players that the module can seat. A host configured for more does not start.
    pub fn max_players(mut self, players: u32) -> Description {
        self.max_players = Some(players);
        self
    }

    /// Fills in what the module left open.
    pub(crate) fn or_package(mut self, name: &str, version: &str) -> Description {
        if self.name.is_empty() {
            self.name = name.to_owned();
        }
        if self.version.is_empty() {
            self.version = version.to_owned();
        }
        self
    }
}

impl Default for Description {
    fn default() -> Description {
        Description::new()
    }
}
