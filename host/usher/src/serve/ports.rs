//! Takes every port that the configuration names, before anyone can come in through one.

use super::error::ServeError;
use super::passwords::Passwords;
use crate::admin::Server;
use crate::config::{Config, Door, Mafianet, Protocol};
use crate::doors::door::{Addresses, Bound};
use crate::doors::http;
use crate::doors::mafianet;
use crate::doors::rtyp::{self, BindError};
use crate::doors::tickets::in_words;
use crate::doors::websocket;
use std::sync::Arc;
use usher_core::{DoorId, Reason, code};
use usher_runtime::LiveBuckets;
use usher_wire::raknet::Budget;

/// The room that players enter.
pub(super) const ROOM: &str = "main";

/// What doors are given of the rest of the host.
pub(super) struct Means {
    pub(super) buckets: LiveBuckets,
    pub(super) passwords: Arc<Passwords>,
    /// What the peers of all doors may keep together.
    pub(super) budget: Budget,
}

impl Means {
    fn settings(
        &self,
        config: &Config,
        id: DoorId,
        door: &Door,
        mafianet: &Mafianet,
    ) -> mafianet::Settings {
        let limits = &config.limits;
        let bans = mafianet.ban_bucket.as_ref().map(|bucket| mafianet::Bans {
            buckets: self.buckets.clone(),
            bucket: bucket.clone(),
        });
        mafianet::Settings {
            id,
            name: door.name.clone(),
            room: ROOM.into(),
            cookie: mafianet.cookie,
            protocols: mafianet.protocols.clone(),
            password: self.passwords.of(id),
            bans,
            advertise: mafianet.advertise.clone(),
            pongs: mafianet::PongLimits {
                total: mafianet.pongs,
                each: mafianet.pongs_each,
            },
            connection_timeout: mafianet.connection_timeout,
            max_message: mafianet.max_message as usize,
            full_reason: mafianet.full_reason.clone(),
            max_players: limits.max_players,
            max_pending: match limits.max_pending {
                0 => limits.max_players,
                most => most,
            },
            budget: self.budget.clone(),
        }
    }
}

/// The ports, taken.
pub(super) struct Ports {
    /// By `DoorId`.
    pub(super) doors: Vec<Box<dyn Bound>>,
    pub(super) admin: Option<Server>,
}

impl Ports {
    pub(super) async fn bind(config: &Config, means: &Means) -> Result<Ports, ServeError> {
        let mut doors = Vec::with_capacity(config.doors.len());
        for (place, door) in (0..).zip(&config.doors) {
            doors.push(bind(config, means, DoorId(place), door)?);
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

fn bind(
    config: &Config,
    means: &Means,
    id: DoorId,
    door: &Door,
) -> Result<Box<dyn Bound>, ServeError> {
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
        Protocol::Mafianet(mafianet) => {
            let settings = means.settings(config, id, door, mafianet);
            match mafianet::Port::bind(settings, mafianet.udp) {
                Ok(port) => Ok(Box::new(port)),
                Err(error) => Err(taken("udp", mafianet.udp.into(), error)),
            }
        }
        Protocol::WebSocket(websocket) => {
            let settings = websocket::Settings {
                id,
                name: door.name.clone(),
                room: ROOM.into(),
                config: websocket.clone(),
                tickets: config.carries_tickets(door),
            };
            match websocket::Port::bind(settings) {
                Ok(port) => Ok(Box::new(port)),
                Err(error) => Err(taken("tcp", websocket.tcp, error)),
            }
        }
        Protocol::Http(http) => {
            let settings = http::Settings {
                id,
                name: door.name.clone(),
                room: ROOM.into(),
                token: means.passwords.of(id),
                confirm_timeout: http.confirm_timeout,
                lease: http.lease,
                full: full(config, door),
            };
            match http::Port::bind(settings, http.tcp) {
                Ok(port) => Ok(Box::new(port)),
                Err(error) => Err(taken("tcp", http.tcp, error)),
            }
        }
    }
}

/// What a knock is told that the core never saw, because too many came at once.
fn full(config: &Config, door: &Door) -> Reason {
    let full = Reason::new(code::POOL_FULL, "Too many are waiting.");
    match config.carries_tickets(door) {
        true => in_words(full, door.protocol.refuses_by_text_alone()),
        false => full,
    }
}
