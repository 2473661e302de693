//! Someone who comes with a payload, at any door: what is the same at all of them.

use crate::asked::Asked;
use crate::guest::Guest;
use crate::host::Usher;
use crate::keep;
use crate::page::Page;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use usher_client::raknet::{Error, Options};

/// A door of a host that was set up for tickets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Door {
    /// `mafianet`, named `main`.
    MafiaNet,
    /// `http`, named `desk`.
    Http,
    /// `websocket`, named `web`.
    WebSocket,
}

impl Door {
    /// All of them.
    pub const ALL: [Door; 3] = [Door::MafiaNet, Door::Http, Door::WebSocket];
}

/// Someone at a door, or inside. Dropping it is a crash.
#[derive(Debug)]
pub enum Visitor {
    /// A client of `mafianet`.
    MafiaNet(Guest),
    /// A player of a game server that asks over `http`.
    Http(Asked),
    /// A page with a `websocket`, or why there is none.
    WebSocket(io::Result<Page>),
}

impl Visitor {
    /// Comes from an address of this machine.
    pub async fn come(host: &Usher, door: Door, from: Ipv4Addr, payload: &[u8]) -> Visitor {
        match door {
            Door::MafiaNet => {
                let options = Options::default()
                    .local(SocketAddrV4::new(from, 0))
                    .payload(payload);
                Visitor::MafiaNet(Guest::come_with(options, host.udp))
            }
            Door::Http => Visitor::Http(Asked::come(&host.desk, from, payload)),
            Door::WebSocket => Visitor::WebSocket(Page::come(host.web, from, payload).await),
        }
    }

    /// How it ends: in, or refused for a reason, by its word for programs.
    ///
    /// # Panics
    ///
    /// If it ends in neither way.
    pub async fn outcome(&mut self) -> Result<(), String> {
        let refused = match self {
            Visitor::MafiaNet(guest) => match guest.outcome().await {
                Ok(_) => return Ok(()),
                Err(Error::Rejected(reason)) => {
                    (String::from_utf8_lossy(&reason).into_owned(), String::new())
                }
                Err(other) => return Err(format!("lost: {other}")),
            },
            Visitor::Http(asked) => match asked.outcome().await {
                Ok(()) => return Ok(()),
                Err(refused) => refused,
            },
            Visitor::WebSocket(Ok(page)) => match page.outcome().await {
                Ok(()) => return Ok(()),
                Err(refused) => refused,
            },
            Visitor::WebSocket(Err(error)) => return Err(format!("lost: {error}")),
        };
        let (code, text) = refused;
        keep::told(&format!("{code} {text}"));
        Err(code)
    }

    /// Leaves in good order.
    pub async fn leave(self) {
        match self {
            Visitor::MafiaNet(guest) => guest.leave().await,
            Visitor::Http(asked) => asked.leave().await,
            Visitor::WebSocket(page) => {
                if let Ok(page) = page {
                    page.leave().await;
                }
            }
        }
    }

    /// Goes, as its door has it, whether there was an answer or not: with a goodbye, by having itself given up,
    /// or by closing the connection without a word.
    pub async fn go(self) {
        match self {
            Visitor::MafiaNet(guest) => guest.leave().await,
            Visitor::Http(asked) => asked.give_up().await,
            Visitor::WebSocket(_) => {}
        }
    }
}
