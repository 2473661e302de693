//! The connection passwords and tokens of doors, which may change while the host runs.

use crate::config::{Config, Door, Protocol};
use tokio::sync::watch;
use usher_core::{DoorId, Secret};

/// The passwords, by `DoorId`.
pub(super) struct Passwords(Vec<watch::Sender<Option<Secret>>>);

impl Passwords {
    pub(super) fn new(config: &Config) -> Passwords {
        let doors = config.doors.iter();
        Passwords(
            doors
                .map(|door| watch::Sender::new(password(door)))
                .collect(),
        )
    }

    /// Where a door finds its own.
    pub(super) fn of(&self, door: DoorId) -> watch::Receiver<Option<Secret>> {
        match self.0.get(usize::from(door.0)) {
            Some(password) => password.subscribe(),
            None => watch::Sender::new(None).subscribe(),
        }
    }

    /// Takes over those of a configuration that was read again. What was a door with a password stays one,
    /// and what was none stays none: what the policies are to see takes a restart.
    pub(super) fn configure(&self, config: &Config) {
        for (set, door) in self.0.iter().zip(&config.doors) {
            let new = password(door);
            set.send_if_modified(|old| {
                let takes = old.is_some() && new.is_some() && *old != new;
                if takes {
                    old.clone_from(&new);
                    tracing::info!(door = &*door.name, "another password or token is in force");
                }
                takes
            });
        }
    }
}

fn password(door: &Door) -> Option<Secret> {
    match &door.protocol {
        Protocol::Rtyp(_) | Protocol::WebSocket(_) => None,
        Protocol::Mafianet(mafianet) => {
            let file = mafianet.password.as_ref()?;
            Some(file.password.clone())
        }
        Protocol::Http(http) => http.token.clone(),
    }
}
