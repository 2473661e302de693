//! Takes every port that the configuration names, before anyone can come in through one.

use super::error::ServeError;
use crate::admin::Server;
use crate::config::{Config, Door, Protocol};
use crate::doors::door::{Addresses, Bound};
use crate::doors::rtyp::{self, BindError};
use usher_core::DoorId;

/// The room that players enter.
pub(super) const ROOM: &str = "main";

/// The ports, taken.
pub(super) struct Ports {
    /// By `DoorId`.
    pub(super) doors: Vec<Box<dyn Bound>>,
    pub(super) admin: Option<Server>,
}

impl Ports {
    pub(super) async fn bind(config: &Config) -> Result<Ports, ServeError> {
        let mut doors = Vec::with_capacity(config.doors.len());
        for (place, door) in (0..).zip(&config.doors) {
            doors.push(bind(config, DoorId(place), door)?);
        }
        let admin = match &config.admin {
            None => None,
            Some(admin) => {
                let failed = |error| ServeError::Bind {
                    key: "admin.listen".to_owned(),
                    address: admin.listen,
                    error,
                };
                Some(Server::bind(admin).await.map_err(failed)?)
            }
        };
        Ok(Ports { doors, admin })
    }

    /// Where each door listens.
    pub(super) fn addresses(&self) -> Vec<Addresses> {
        self.doors.iter().map(|door| door.addresses()).collect()
    }
}

fn bind(config: &Config, id: DoorId, door: &Door) -> Result<Box<dyn Bound>, ServeError> {
    let taken = |port: &str, address, error| ServeError::Bind {
        key: format!("door[{id}].{port}"),
        address,
        error,
    };
    match &door.protocol {
        Protocol::Rtyp(rtyp) => {
            let settings = rtyp::Settings {
                id,
                name: door.name.clone(),
                room: ROOM.into(),
                longest_wait: config.limits.queue_max_wait,
            };
            match rtyp::Ports::bind(settings, rtyp.tcp, rtyp.udp) {
                Ok(ports) => Ok(Box::new(ports)),
                Err(BindError::Tcp(error)) => Err(taken("tcp", rtyp.tcp, error)),
                Err(BindError::Udp(error)) => Err(taken("udp", rtyp.udp, error)),
            }
        }
    }
}
