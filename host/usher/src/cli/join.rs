//! `usher join`: goes through a door as a player would, for people who try a rule.

mod mafianet;
mod rtyp;
mod shown;
mod target;
mod typed;
mod websocket;

use super::args::Join;
use super::exit::Exit;
use super::terminal::complain;
use target::Target;
use usher_client::{raknet, websocket as ws};

pub(super) fn run(said: &Join) -> Exit {
    let target = match Target::new(said) {
        Ok(target) => target,
        Err(error) => {
            complain(error);
            return Exit::Usage;
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(error);
            return Exit::Failure;
        }
    };
    match target {
        Target::Rtyp { address, name } => runtime.block_on(rtyp::join(&address, &name)),
        Target::MafiaNet {
            address,
            payload,
            password,
            session_timeout,
        } => {
            let options = raknet::Options::default()
                .payload(payload)
                .password(password)
                .session_timeout(session_timeout);
            runtime.block_on(mafianet::join(&address, options))
        }
        Target::WebSocket {
            address,
            name,
            payload,
            session_timeout,
        } => {
            let mut options = ws::Options::default()
                .payload(payload)
                .session_timeout(session_timeout);
            if let Some(name) = name {
                options = options.name(name);
            }
            runtime.block_on(websocket::join(&address, options))
        }
    }
}
