//! Commands.

use super::bound::{Breach, ID, NAME, WORD, list, text};
use super::reason::reason_in;
use crate::contract as wit;
use std::time::Duration;
use usher_core::{Command, SessionId};

/// The commands of an answer.
pub(crate) fn commands_in(commands: Vec<wit::Command>) -> Result<Vec<Command>, Breach> {
    list(commands, "commands", 0..=16, command_in)
}

fn command_in(command: wit::Command) -> Result<Command, Breach> {
    match command {
        wit::Command::KickSession(kick) => {
            let reason = reason_in(kick.reason).map_err(|breach| breach.within("reason"))?;
            Ok(Command::KickSession(SessionId(kick.session), reason))
        }
        wit::Command::KickIdentity(kick) => {
            let identity = text(kick.identity, "identity", 0..=ID)?;
            let reason = reason_in(kick.reason).map_err(|breach| breach.within("reason"))?;
            Ok(Command::KickIdentity(identity, reason))
        }
        wit::Command::BucketPut(put) => Ok(Command::BucketPut {
            bucket: text(put.bucket, "bucket", 1..=WORD)?,
            entry: text(put.entry, "entry", 0..=NAME)?,
            lasts: put.lasts.map(Duration::from_millis),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(entry: usize) -> wit::Command {
        wit::Command::BucketPut(wit::BucketPut {
            bucket: "bans".into(),
            entry: "e".repeat(entry).into(),
            lasts: Some(5),
        })
    }

    #[test]
    fn commands_keep_their_order() {
        let translated = commands_in(vec![put(1), put(2)]).expect("within bounds");
        let entries: Vec<usize> = translated
            .iter()
            .map(|command| match command {
                Command::BucketPut { entry, .. } => entry.len(),
                _ => 0,
            })
            .collect();
        assert_eq!(entries, [1, 2]);
    }

    #[test]
    fn bounds_are_kept() {
        let breach = commands_in(vec![put(257)]).unwrap_err();
        assert_eq!(
            breach.to_string(),
            "commands[0].entry has 257 bytes, at most 256 are allowed"
        );
        let many = (0..17).map(|_| put(1)).collect();
        assert!(commands_in(many).is_err());
    }
}
