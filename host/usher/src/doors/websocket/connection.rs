//! The life of one connection: HTTP, the first message, the decision, the game, the end.

use super::ask::Asked;
use super::codes::{self, Misdeed};
use super::shared::Shared;
use super::talk::{End, Talk};
use super::upgrade::{Upgraded, upgrade};
use super::wire::{Heard, Next, Wire};
use crate::doors::strangers::Stranger;
use crate::metrics;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::Bytes;
use usher_core::{
    Abilities, Attribute, AttributeValue, Input, Reason, ReasonAbility, RequestData, RequestId,
    canonical, code,
};

/// What came of a connection that was a stranger's.
enum Met {
    /// It has said what it wants.
    Guest(Asked, Wire, Bytes),
    /// It is to be told something, and closed.
    Misdeed(Wire, Misdeed),
    /// It closes.
    Goodbye(Wire),
    /// It has gone.
    Gone,
}

/// Serves a connection from its first byte to its last.
pub(super) async fn serve(tcp: TcpStream, peer: SocketAddr, door: Arc<Shared>, stranger: Stranger) {
    // Small messages go out at once; only a matter of speed.
    let _ = tcp.set_nodelay(true);
    let mut closing = door.closing.clone();
    let met = tokio::select! {
        met = meet(tcp, canonical(peer), &door) => met,
        () = stranger.evicted() => return,
        _ = closing.wait_for(|closing| *closing) => return,
    };
    match met {
        Met::Guest(asked, wire, payload) => admit(asked, wire, &payload, &door, stranger).await,
        Met::Misdeed(wire, misdeed) => {
            metrics::knock_refused(&door.name, misdeed.word());
            wire.close(misdeed.farewell(), stranger).await;
        }
        Met::Goodbye(wire) => wire.finish(stranger).await,
        Met::Gone => {}
    }
}

/// Up to the first message.
async fn meet(tcp: TcpStream, peer: SocketAddr, door: &Shared) -> Met {
    let within = door.config.first_message_timeout;
    let by = Instant::now() + within;
    let upgraded = timeout_at(by, upgrade(tcp, peer, &door.config, within)).await;
    let (asked, mut wire) = match upgraded {
        Ok(Upgraded::Yes(asked, wire)) => (asked, wire),
        Ok(Upgraded::Refused(refused)) => {
            metrics::knock_refused(&door.name, refused.word);
            return Met::Gone;
        }
        Ok(Upgraded::Gone) | Err(_) => return Met::Gone,
    };
    loop {
        let Ok(next) = timeout_at(by, wire.next(true)).await else {
            return Met::Misdeed(wire, Misdeed::Silent);
        };
        match next {
            Next::Heard(Heard::Message { bytes, .. }) => return Met::Guest(asked, wire, bytes),
            Next::Heard(Heard::Misdeed(misdeed)) => return Met::Misdeed(wire, misdeed),
            Next::Heard(Heard::Goodbye(_)) => return Met::Goodbye(wire),
            Next::Heard(Heard::Closed) => return Met::Gone,
            Next::Heard(Heard::Control) | Next::Flushed => {}
        }
    }
}

/// From the first message on: the core decides.
async fn admit(asked: Asked, wire: Wire, payload: &[u8], door: &Shared, stranger: Stranger) {
    let peer = door.peers.enter(door.core.next_request(), payload.len());
    let request = request(peer.request(), asked, payload, door);
    if door.core.knock(Arc::new(request)).is_err() {
        drop(peer);
        metrics::knock_refused(&door.name, code::POOL_FULL);
        let full = Reason::new(code::POOL_FULL, "Too many are at the door.");
        return wire.close(codes::rejection(&full), stranger).await;
    }
    // From here on the pending pool bounds it, and then its seat.
    drop(stranger);
    let request = peer.request();
    let (end, wire) = Talk::new(door, wire, peer).run().await;
    // Its request, or its session, is over: it is a stranger again until it has gone.
    let stranger = door.strangers.enter();
    match end {
        End::Told(farewell) => wire.close(farewell, stranger).await,
        End::Left(how) => {
            door.core.send(Input::Gone { request, how });
            wire.finish(stranger).await;
        }
        End::Misdeed(misdeed) => {
            let how = misdeed.departure();
            door.core.send(Input::Gone { request, how });
            tracing::debug!(door = &*door.name, %request, "ended: {}", misdeed.word());
            wire.close(misdeed.farewell(), stranger).await;
        }
        // It takes nothing any more, not even a last word.
        End::Lost(how) => door.core.send(Input::Gone { request, how }),
    }
}

fn request(id: RequestId, asked: Asked, payload: &[u8], door: &Shared) -> RequestData {
    let origin = asked.origin.map(|origin| Attribute {
        name: door.origin.clone(),
        value: AttributeValue::Text(origin),
    });
    RequestData {
        id,
        door: door.id,
        door_name: door.name.clone(),
        protocol: door.protocol.clone(),
        abilities: Abilities {
            status: true,
            reasons: ReasonAbility::Text,
            longest_wait: None,
        },
        room: door.room.clone(),
        peer: canonical(asked.client),
        proven: true,
        name: asked.name,
        password: None,
        args: Vec::new(),
        payload: payload.into(),
        attributes: origin.into_iter().collect(),
        one_way: None,
    }
}
