//! Takes every port that the configuration names, before anyone can come in through one.

use super::error::ServeError;
use crate::admin::Server;
use crate::config::{Config, Protocol};
use crate::doors::rtyp::{BindError, Bound};
use std::net::SocketAddr;

/// The ports, taken.
pub(super) struct Ports {
    /// By `DoorId`.
    pub(super) doors: Vec<Bound>,
    pub(super) admin: Option<Server>,
}

impl Ports {
    pub(super) async fn bind(config: &Config) -> Result<Ports, ServeError> {
        let mut doors = Vec::with_capacity(config.doors.len());
        for (place, door) in config.doors.iter().enumerate() {
            let Protocol::Rtyp(rtyp) = &door.protocol;
            let bound = Bound::bind(rtyp.tcp, rtyp.udp).map_err(|error| match error {
                BindError::Tcp(error) => ServeError::Bind {
                    key: format!("door[{place}].tcp"),
                    address: rtyp.tcp,
                    error,
                },
                BindError::Udp(error) => ServeError::Bind {
                    key: format!("door[{place}].udp"),
                    address: rtyp.udp,
                    error,
                },
            })?;
            doors.push(bound);
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

    /// TCP and UDP of each door.
    pub(super) fn addresses(&self) -> Vec<(SocketAddr, SocketAddr)> {
        let doors = self.doors.iter();
        doors
            .map(|door| (door.tcp_address(), door.udp_address()))
            .collect()
    }
}
